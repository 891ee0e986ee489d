import type { Place } from '../forwarding/listeners.mts';
import type { Random } from '../random.mts';

/**
 * Where proxies can listen. Linux takes any 127.x.y.z; elsewhere only 127.0.0.1 is configured, so the
 * proxies differ by their port alone.
 */
export type AddressPlan = 'own addresses' | 'own ports';

// With one port each, between the privileged ones and the range the system gives out by itself.
const FIRST_OWN_PORT = 10_000;
export const OWN_PORTS = 22_000;

const BLOCK = 254;
const ADDRESSES = BLOCK * 256;

/**
 * Places for proxies, no two alike. The addresses are spread over the whole of 127.x.y.z, so that
 * their beginnings select something. 127.0.*.* is left to everything else that runs on the machine.
 */
export class Places {
	private readonly start: number;
	private readonly step: number;
	private given = 0;
	private kept = 0;

	/** @param part the last number of each address, from 1 to 254 */
	constructor(
		readonly plan: AddressPlan,
		random: Random,
		private readonly part = 1,
	) {
		this.start = Math.floor(random() * ADDRESSES);
		this.step = stepThroughAll(random);
	}

	/** The port is a wish: where only ports tell proxies apart, it is another. */
	next(wishedPort: () => number): Place {
		return this.plan === 'own addresses'
			? { address: this.nextAddress(), port: wishedPort() }
			: { address: '127.0.0.1', port: this.nextOwnPort() };
	}

	/** What was given so far is never given again, also when ports run out and later ones have to be. */
	keepGiven(): void {
		this.kept = this.given;
	}

	private nextAddress(): string {
		if (this.given === ADDRESSES) {
			throw new RangeError(`There are only ${ADDRESSES} loopback addresses`);
		}
		const index = (this.start + this.given * this.step) % ADDRESSES;
		this.given += 1;
		return `127.${1 + (index % BLOCK)}.${Math.floor(index / BLOCK)}.${this.part}`;
	}

	private nextOwnPort(): number {
		if (this.kept === OWN_PORTS) {
			throw new RangeError(`With 127.0.0.1 only, there are at most ${OWN_PORTS} proxies`);
		}
		if (this.given === OWN_PORTS) this.given = this.kept;
		const port = FIRST_OWN_PORT + this.given;
		this.given += 1;
		return port;
	}
}

/** Without a common divisor with the number of addresses, a step visits each one before it repeats. */
function stepThroughAll(random: Random): number {
	let step = Math.floor(random() * ADDRESSES);
	while (greatestCommonDivisor(step, ADDRESSES) !== 1) step += 1;
	return step;
}

function greatestCommonDivisor(left: number, right: number): number {
	return right === 0 ? left : greatestCommonDivisor(right, left % right);
}

import type { Socket } from 'node:net';
import type { ProxyOrder } from '../accounts/order.mts';
import { SwitchedOn } from '../faults/switchedOn.mts';
import type { Place } from './listeners.mts';
import type { ProxyStatus } from './statuses.mts';

/**
 * Ways in which a proxy dies, in the words of the service's faults. `refuse`: nothing listens any more; not at tunnels.
 * `hang`: connections are accepted and never answered, a CONNECT neither. `reset` and `cut` end them in place of an
 * answer. `stall` and `halfBody` come in the middle of one: nothing more arrives, or the connection ends.
 */
export type ProxyDeath = 'refuse' | 'hang' | 'reset' | 'cut' | 'stall' | 'halfBody';

interface ProxyTarget {
	/** Without one, the proxies of every order, also open ones. */
	orderId?: string;
	/** With 10: the 10th, 20th, 30th proxy that is handed out, counted from the start of the sandbox. */
	everyNth?: number;
	/** How often; until it is taken away by default. */
	times?: number;
}

/** What a test does to proxies, of all that nothing here leads to by itself. */
export type ProxyFault = ProxyTarget &
	(
		| {
				kind: 'status';
				status: ProxyStatus;
				/** `statusLine` puts the words there, with a server's name and no body; in the body by default. */
				form?: 'statusLine';
		  }
		| { kind: ProxyDeath }
	);

export class ProxyFaults extends SwitchedOn<ProxyFault> {
	/** Counted from 1, by `address:port`. */
	private readonly numbers = new Map<string, number>();
	/** Called when proxies may have to stop listening. */
	onAdd = (): void => {};

	override add(...faults: readonly ProxyFault[]): void {
		super.add(...faults);
		this.onAdd();
	}

	handedOut({ address, port }: Place): void {
		const proxy = `${address}:${port}`;
		if (!this.numbers.has(proxy)) this.numbers.set(proxy, this.numbers.size + 1);
	}

	/** Whether nothing listens at a proxy of these orders. */
	refuses(proxy: string, orderIds: readonly string[]): boolean {
		const fault = this.takeFirst(
			(each) =>
				isRefusal(each) &&
				this.hitsProxy(each, proxy) &&
				(each.orderId === undefined || orderIds.includes(each.orderId)),
		);
		return fault !== undefined;
	}

	/** Of a client that has been let in. */
	take(proxy: string, order: ProxyOrder | undefined): ProxyFault | undefined {
		return this.takeFirst(
			(fault) =>
				!isRefusal(fault) &&
				this.hitsProxy(fault, proxy) &&
				(fault.orderId ?? order?.orderId) === order?.orderId,
		);
	}

	private hitsProxy({ everyNth }: ProxyFault, asked: string): boolean {
		return everyNth === undefined || (this.numbers.get(asked) ?? NaN) % everyNth === 0;
	}
}

function isRefusal(fault: ProxyFault): boolean {
	return fault.kind === 'refuse';
}

/** Ends what a client began, or leaves it hanging, in place of an answer. */
export function dieBeforeAnswer(client: Socket, death: ProxyDeath): void {
	if (death === 'reset') client.resetAndDestroy();
	if (death === 'cut') client.destroy();
}

/** Less than the answer to most pages, and more than it takes to agree on encryption. */
const DEADLY_BYTES = 2000;

/** Lets a few bytes from the target through, and then nothing more: with `stall`, not even the end. */
export function dieLater(target: Socket, death: ProxyDeath): void {
	const push = target.push.bind(target);
	let left = DEADLY_BYTES;
	target.push = (chunk: unknown) => {
		if (left <= 0) return true;
		if (!Buffer.isBuffer(chunk)) return push(chunk);
		const passed = chunk.subarray(0, left);
		left -= passed.length;
		if (left <= 0 && death === 'halfBody') setImmediate(() => target.destroy());
		return push(passed);
	};
}

import type { Socket } from 'node:net';
import type { Clock } from '../../time/clock.mts';
import type { Visit } from '../gate.mts';

const THIRD_OCTETS = 255;
const FOURTH_OCTETS = 254;

/**
 * Where requests leave a tunnel: a new address 127.255.x.y with every call, so that a change can always be
 * seen. Proxies do not listen on these.
 */
export class Exits {
	private given: number;

	constructor(random: () => number) {
		this.given = Math.floor(random() * THIRD_OCTETS * FOURTH_OCTETS);
	}

	next(): string {
		this.given = (this.given + 1) % (THIRD_OCTETS * FOURTH_OCTETS);
		const third = Math.floor(this.given / FOURTH_OCTETS);
		return `127.255.${third}.${1 + (this.given % FOURTH_OCTETS)}`;
	}
}

/** What the client added to the login of an order. */
export interface Wishes {
	/** What follows the user name, `-period-1-sid-a` for one. */
	suffix: string;
	/** What follows the password and a colon; undefined when there is no colon. */
	note: string | undefined;
}

/** How the exit of an order's tunnel changes. */
export interface Tunnel {
	/** Undefined for a login that this sort of tunnel does not understand. */
	exitFor(visit: Visit, wishes: Wishes): string | undefined;
}

interface HeldExit {
	exit: string;
	until: number;
}

/** Exits that stay the same for a while. */
export class HeldExits {
	private readonly held = new Map<string, HeldExit>();
	private readonly ofConnections = new WeakMap<Socket, Map<string, string>>();

	constructor(
		private readonly clock: Clock,
		private readonly exits: Exits,
	) {}

	/** One for each key, for so long from the first request on. Later requests do not prolong it. */
	forTime(key: string, milliseconds: number): string {
		const known = this.find(key);
		if (known !== undefined) return known;
		this.forgetOld();
		const exit = this.exits.next();
		this.held.set(key, { exit, until: this.clock.milliseconds() + milliseconds });
		return exit;
	}

	/** One as long as a connection lasts, unless the client asks for another place over it. */
	forConnection(connection: Socket, suffix = ''): string {
		const ofConnection = this.ofConnections.get(connection) ?? new Map<string, string>();
		this.ofConnections.set(connection, ofConnection);
		const exit = ofConnection.get(suffix) ?? this.exits.next();
		ofConnection.set(suffix, exit);
		return exit;
	}

	find(key: string): string | undefined {
		const known = this.held.get(key);
		return known && known.until > this.clock.milliseconds() ? known.exit : undefined;
	}

	private forgetOld(): void {
		const now = this.clock.milliseconds();
		for (const [key, { until }] of this.held) if (until <= now) this.held.delete(key);
	}
}

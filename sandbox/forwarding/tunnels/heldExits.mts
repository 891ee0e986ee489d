import type { Socket } from 'node:net';
import type { Clock } from '../../time/clock.mts';
import type { Exit, Exits } from '../exits.mts';

interface HeldExit {
	exit: Exit;
	until: number;
}

/** Exits that stay the same for a while. */
export class HeldExits {
	private readonly held = new Map<string, HeldExit>();
	private readonly ofConnections = new WeakMap<Socket, Map<string, Exit>>();

	constructor(
		private readonly clock: Clock,
		private readonly exits: Exits,
	) {}

	/** One for each key, for so long from the first request on. Later requests do not prolong it. */
	forTime(key: string, milliseconds: number, place?: Exit['place']): Exit {
		const known = this.find(key);
		if (known) return known;
		this.forgetOld();
		const exit = this.exits.next(place);
		this.held.set(key, { exit, until: this.clock.milliseconds() + milliseconds });
		return exit;
	}

	/** One as long as a connection lasts, unless the client asks for another place over it. */
	forConnection(connection: Socket, place?: Exit['place']): Exit {
		const ofConnection = this.ofConnections.get(connection) ?? new Map<string, Exit>();
		this.ofConnections.set(connection, ofConnection);
		const key = JSON.stringify(place ?? {});
		const exit = ofConnection.get(key) ?? this.exits.next(place);
		ofConnection.set(key, exit);
		return exit;
	}

	find(key: string): Exit | undefined {
		const known = this.held.get(key);
		return known && known.until > this.clock.milliseconds() ? known.exit : undefined;
	}

	private forgetOld(): void {
		const now = this.clock.milliseconds();
		for (const [key, { until }] of this.held) if (until <= now) this.held.delete(key);
	}
}

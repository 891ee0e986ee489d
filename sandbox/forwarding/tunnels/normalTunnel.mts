import type { TunnelProxyOrder } from '../../accounts/order.mts';
import type { Clock } from '../../time/clock.mts';
import { type Exits, HeldExits, type Tunnel, type Wishes } from './exits.mts';
import type { Visit } from '../gate.mts';

const LOCK_MS = 30_000;

const CHANGES_PER_PERIOD = 2;

interface Channel {
	/** The number of the period that the exit belongs to. */
	period: number;
	exit: string;
}

/**
 * Leaves from another address with every connection, or after every period. The periods of an order
 * are counted from its first request and are the same for all its channels; how the service counts
 * is not documented.
 */
export class NormalTunnel implements Tunnel {
	private readonly held: HeldExits;
	private readonly channels = new Map<number, Channel>();
	private firstRequest: number | undefined;
	private changes = { period: 0, count: 0 };

	constructor(
		private readonly order: TunnelProxyOrder,
		private readonly clock: Clock,
		private readonly exits: Exits,
	) {
		this.held = new HeldExits(clock, exits);
	}

	exitFor({ connection }: Visit, { suffix, note = '' }: Wishes): string | undefined {
		if (suffix !== '') return undefined;
		if (this.order.period > 0) return this.exitOf(this.channelFor(note));
		return note === '' ? this.held.forConnection(connection) : this.held.forTime(note, LOCK_MS);
	}

	/** Of the channels that were used so far, in their order. */
	currentAddresses(): string[] {
		const used = [...this.channels.keys()].toSorted((left, right) => left - right);
		return used.map((channel) => this.exitOf(channel));
	}

	mayChange(): boolean {
		return this.changesInPeriod(this.currentPeriod()) < CHANGES_PER_PERIOD;
	}

	/**
	 * Gives the channels with these addresses others, or all channels if there are none. The period goes
	 * on. The first channel also gets one if nothing was used before.
	 */
	change(addresses: readonly string[] = []): void {
		const period = this.currentPeriod();
		this.changes = { period, count: this.changesInPeriod(period) + 1 };
		if (this.channels.size === 0) this.exitOf(0);
		for (const channel of this.channels.keys()) {
			const address = this.exitOf(channel);
			if (addresses.length > 0 && !addresses.includes(address)) continue;
			this.channels.set(channel, { period, exit: this.exits.next() });
		}
	}

	private changesInPeriod(period: number): number {
		return this.changes.period === period ? this.changes.count : 0;
	}

	private exitOf(channel: number): string {
		const period = this.currentPeriod();
		const known = this.channels.get(channel);
		if (known?.period === period) return known.exit;
		const exit = this.exits.next();
		this.channels.set(channel, { period, exit });
		return exit;
	}

	private currentPeriod(): number {
		const now = this.clock.milliseconds();
		this.firstRequest ??= now;
		return Math.floor((now - this.firstRequest) / (this.order.period * 1000));
	}

	// Without a channel the order's forwarding mode decides: here it is always the first one.
	private channelFor(text: string): number {
		const number = Number(text);
		return Number.isInteger(number) && number >= 1 && number <= this.order.channels
			? number - 1
			: 0;
	}
}

import { isUsable, type ProxyOrder } from '../accounts/order.mts';
import type { Whitelists } from '../accounts/whitelists.mts';
import type { Clock } from '../time/clock.mts';
import type { Passage, Visit } from './gate.mts';
import type { ProxyFaults } from './proxyFaults.mts';
import type { RequestRates } from './requestRates.mts';
import { notOnWhitelist, refusal, wrongLogin, type ProxyRefusal } from './statuses.mts';

/** What the gates of all products ask of a client. */
export class Admission {
	constructor(
		private readonly clock: Clock,
		private readonly whitelists: Whitelists,
		private readonly rates: RequestRates,
		private readonly faults: ProxyFaults,
	) {}

	isOnWhitelist(order: ProxyOrder, { clientAddress }: Visit): boolean {
		return this.whitelists.admits(order, clientAddress);
	}

	/**
	 * To a client that no order knows. Whether the whitelist saves one with a wrong login is not
	 * documented; here a login that was sent counts.
	 */
	unknownClient({ login, clientAddress }: Visit): ProxyRefusal {
		return login ? wrongLogin() : notOnWhitelist(clientAddress);
	}

	/** What is asked once it is clear whose client it is. @throws ProxyRefusal */
	check(order: ProxyOrder, expiresAt?: Date): void {
		const now = this.clock.now();
		// What the clients of an order get that is over is not documented. It is the same here as when
		// only the address is over.
		if (!isUsable(order, now) || (expiresAt && expiresAt <= now)) throw refusal(454, order);
		if (!this.rates.take(order)) throw refusal(441, order);
	}

	/** @throws ProxyRefusal */
	checkFaults({ order }: Passage): void {
		const status = this.faults.take(order);
		if (status !== undefined) throw refusal(status, order);
	}
}

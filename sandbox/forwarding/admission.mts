import { isUsable, type ProxyOrder } from '../accounts/order.mts';
import type { Whitelists } from '../accounts/whitelists.mts';
import type { Clock } from '../time/clock.mts';
import type { Passage, Visit } from './gate.mts';
import type { ProxyDeath, ProxyFaults } from './proxyFaults.mts';
import type { RequestRates } from './requestRates.mts';
import { notOnWhitelist, refusal, wrongLogin, type ProxyRefusal } from './statuses.mts';

/** Less than the answer to most pages, and more than it takes to agree on encryption. */
const DEADLY_BYTES = 2000;

export interface Dying {
	death: ProxyDeath;
	afterBytes: number;
}

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

	/** @returns how the proxy dies on this client; undefined if it lives. @throws ProxyRefusal */
	takeFault(proxy: string, { order }: Passage): Dying | undefined {
		const fault = this.faults.take(proxy, order);
		if (!fault) return undefined;
		if ('status' in fault) throw refusal(fault.status, order);
		return { death: fault.dies, afterBytes: fault.afterBytes ?? DEADLY_BYTES };
	}
}

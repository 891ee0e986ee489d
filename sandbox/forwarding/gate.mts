import type { Socket } from 'node:net';
import { isUsable, type ProxyLogin, type ProxyOrder } from '../accounts/order.mts';
import type { Whitelists } from '../accounts/whitelists.mts';
import type { RateLimitSettings } from '../limits/rateLimits.mts';
import { type Clock, monotonicMs } from '../time/clock.mts';
import type { OrderedPlace } from './listeners.mts';
import type { ProxyDeath, ProxyFaults } from './proxyFaults.mts';
import { notOnWhitelist, type ProxyRefusal, refusal, wrongLogin } from './statuses.mts';

/** A request that came to a proxy: to a page over http, or a CONNECT. */
export interface Visit {
	/** Several requests to pages can come over one. */
	connection: Socket;
	clientAddress: string;
	/** What the client sent as user name and password. */
	login: ProxyLogin | undefined;
}

/** A visit that may go on. */
export interface Passage {
	/** Undefined at an open proxy. */
	order?: ProxyOrder;
	/** The address from which it leaves; undefined = that at which it came in. */
	exit?: string | undefined;
}

/** Who may pass at a place. */
export interface Gate {
	/** @throws ProxyRefusal */
	admit(visit: Visit): Passage;
}

/** Lets everybody through. */
export const OPEN_GATE: Gate = { admit: () => ({}) };

/**
 * How many requests and connections an order has made through its proxies in the last second. Only
 * tunnels have a documented limit. A refused request does not count; the service does not say.
 */
export class RequestRates {
	private readonly recent = new WeakMap<ProxyOrder, number[]>();

	constructor(private readonly settings: RateLimitSettings) {}

	/** Whether one more is allowed; it counts then. */
	take(order: ProxyOrder): boolean {
		if (!this.settings.on || !('maxRps' in order)) return true;
		const now = monotonicMs();
		const since = now - 1000 * this.settings.scale;
		const recent = (this.recent.get(order) ?? []).filter((time) => time > since);
		if (recent.length >= order.maxRps) return false;
		this.recent.set(order, [...recent, now]);
		return true;
	}
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

	/**
	 * @returns how the proxy dies on this client, or what it refuses with in the status line; undefined if it works
	 * @throws ProxyRefusal
	 */
	takeFault(proxy: string, { order }: Passage): ProxyDeath | { refused: ProxyRefusal } | undefined {
		const fault = this.faults.take(proxy, order);
		if (!fault) return undefined;
		if (fault.kind !== 'status') return fault.kind;
		const refused = refusal(fault.status, order, order === undefined);
		if (fault.form !== 'statusLine') throw refused;
		return { refused };
	}
}

interface Grant {
	order: ProxyOrder;
	place: OrderedPlace;
}

/** At a place that was handed out to orders: private, dedicated and overseas static proxies. */
export class OrderGate implements Gate {
	// The one that was handed out last comes last.
	private grants: Grant[] = [];

	constructor(private readonly admission: Admission) {}

	grant(order: ProxyOrder, place: OrderedPlace): void {
		this.grants = [...this.grants.filter((grant) => grant.order !== order), { order, place }];
	}

	orderIds(): string[] {
		return this.grants.map(({ order }) => order.orderId);
	}

	admit(visit: Visit): Passage {
		const grant = this.grants.findLast((each) => this.isClientOf(each, visit));
		if (!grant) throw this.admission.unknownClient(visit);
		const { order, place } = grant;
		this.admission.check(order, place.expiresAt);
		if (place.works === false) throw refusal(503, order);
		return { order, exit: place.exitAddress };
	}

	private isClientOf({ order, place }: Grant, visit: Visit): boolean {
		if (!visit.login) return this.admission.isOnWhitelist(order, visit);
		const { username, password } = place.login ?? order.login;
		return visit.login.username === username && visit.login.password === password;
	}
}

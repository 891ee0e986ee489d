import { ResponseCache, singleFlight } from '../../shared/concurrency/responseCache';
import { DescribedError } from '../../shared/errors/callErrors';
import { fingerprintOf } from '../../shared/fingerprint';
import { proxyLogin, type ProxyLogin } from '../../shared/queries/proxyLogin';
import type { RunQuery } from '../../shared/service/query';
import { explainUndocumented } from '../../shared/transport/describeFailure';
import type { Item } from '../operation';
import type { ExtractedProxy } from './entries';

/** Settings of a tunnel that are sent as part of the login, and nowhere else. */
export interface LoginSettings {
	/** Appended to the password of a normal tunnel: a lock or a channel. */
	readonly lock?: string;
	/** Appended to the user name, in this order, such as `['period', '0.5']`. */
	readonly suffixes?: ReadonlyArray<readonly [name: string, value: string]>;
	/** Appended after those, as it was typed. */
	readonly suffix?: string;
}

/**
 * The login with its settings: `password:lock`, `name-period-0.5-sid-s01`. Source: the service's manual on
 * connecting through a tunnel.
 */
export function composeLogin(
	{ username, password }: ProxyLogin,
	loginSettings: LoginSettings,
): ProxyLogin {
	const { lock, suffixes = [], suffix = '' } = loginSettings;
	const named = suffixes.map(([name, value]) => `-${name}-${value}`).join('');
	const typed = suffix === '' || suffix.startsWith('-') ? suffix : `-${suffix}`;
	return {
		username: `${username}${named}${typed}`,
		password: lock === undefined ? password : `${password}:${lock}`,
	};
}

/** What was typed, too, with 'Skip Local Checks': half a character would throw after the proxies were paid for. */
function encoded(text: string): string {
	return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD'));
}

/** @param scheme SOCKS needs its own; to pages over https, too, a proxy is spoken to over http */
export function proxyUrlWith(
	scheme: 'http' | 'socks5',
	address: string,
	login?: ProxyLogin,
): string {
	if (login === undefined) return `${scheme}://${address}`;
	const [username, password] = [login.username, login.password].map(encoded);
	return `${scheme}://${username}:${password}@${address}`;
}

const SESSION_LENGTH = 6;
const SESSIONS = 36 ** SESSION_LENGTH;

/**
 * A session that no other number has, of six letters and digits.
 *
 * @param start where this run begins, so that two runs hardly ever meet
 */
export function sessionOf(start: number, number: number): string {
	return ((start + number) % SESSIONS).toString(36).padStart(SESSION_LENGTH, '0');
}

/** Where a run begins to count its sessions. */
export function randomSessionStart(random: () => number = Math.random): number {
	return Math.floor(random() * SESSIONS);
}

/** The login that came with the proxy. */
export function ownLogin({ username, password }: ExtractedProxy): ProxyLogin | undefined {
	return username === undefined || password === undefined ? undefined : { username, password };
}

/** For all executions of this process. */
const proxyLogins = new ResponseCache<ProxyLogin>({ longestAgeMs: 300_000, largestSize: 500 });

/**
 * Lets the next one who needs the login fetch it again, unless that has happened already.
 *
 * @param refused as it was sent, maybe with a session behind the user name or the password
 */
export function forgetProxyLogin(orderKey: string, { username, password }: ProxyLogin): void {
	const held = proxyLogins.peek(orderKey);
	if (held === undefined) return;
	if (username.startsWith(held.username) && password.startsWith(held.password))
		proxyLogins.delete(orderKey);
}

/** Uses a login that was fetched just now, which may have another password than the one in memory. */
export async function rememberProxyLogin(orderKey: string, login: ProxyLogin): Promise<void> {
	proxyLogins.delete(orderKey);
	await proxyLogins.obtain(orderKey, async () => login);
}

/**
 * The login of an order, held in memory for at most five minutes.
 *
 * @param orderKey tells the key pairs of orders apart
 * @throws what `callService` throws
 */
async function obtainProxyLogin(
	run: RunQuery,
	orderKey: string,
	signal: AbortSignal | undefined,
): Promise<ProxyLogin> {
	const fetch = async () => await run(proxyLogin);
	return await singleFlight(async () => await proxyLogins.obtain(orderKey, fetch), signal);
}

/**
 * The login of an item's order.
 *
 * @throws what `callService` throws
 */
export async function orderLogin(item: Item): Promise<ProxyLogin> {
	return await explainUndocumented(
		obtainProxyLogin(item.run, await item.orderKey(), item.signal),
		"The login for the proxies could not be fetched. Check that 'Product' is the product of the order, which 'Order: Get' shows.",
	);
}

/** After so many proxies in a row that refuse a login, although it was fetched again, it is the login that is wrong. */
const MOST_REFUSALS_IN_A_ROW = 5;

/** The first time, the password may have just been changed. */
const MOST_REFUSALS_OF_PROXY = 2;

/** How the proxies took a login. */
interface Reception {
	/** How often each proxy refused it, by address. */
	readonly refusals: Map<string, number>;
	/** Addresses of those that have refused it since one accepted it, and since it was fetched again. */
	readonly inARow: Set<string>;
	wasAccepted: boolean;
	/** Whether it is still the same although it was fetched again after a refusal. */
	wasFetchedAgain: boolean;
}

function idOf({ username, password }: ProxyLogin): string {
	return fingerprintOf(username, password);
}

/** The login of an order in a run, which is fetched again when proxies refuse it. */
export class LeaseLogins {
	private readonly receptions = new Map<string, Reception>();

	/** The login that was given last. */
	private latest = '';

	private readonly refused = new AbortController();

	/** Why no more proxies are to be taken for the order in this run. */
	refusal?: DescribedError;

	constructor(
		private readonly item: Item,
		private readonly order: string,
	) {}

	/** Aborts when there is a refusal. */
	get refusedSignal(): AbortSignal {
		return this.refused.signal;
	}

	/** @throws `refusal`, and what `callService` throws */
	async current(): Promise<ProxyLogin> {
		if (this.refusal !== undefined) throw this.refusal;
		const login = await orderLogin(this.item);
		this.latest = idOf(login);
		const reception = this.receptionOf(login);
		reception.wasFetchedAgain ||= reception.refusals.size > 0;
		return login;
	}

	/** @returns the addresses of proxies that are to blame, as others accept what they have refused */
	accept(login: ProxyLogin): string[] {
		const reception = this.receptionOf(login);
		reception.wasAccepted = true;
		reception.inARow.clear();
		return toBlame(reception);
	}

	/** @returns the same */
	refuse(login: ProxyLogin, address: string): string[] {
		forgetProxyLogin(this.order, login);
		const reception = this.receptionOf(login);
		const { refusals, inARow } = reception;
		refusals.set(address, (refusals.get(address) ?? 0) + 1);
		if (reception.wasFetchedAgain) inARow.add(address);
		if (inARow.size >= MOST_REFUSALS_IN_A_ROW) {
			this.refusal = loginRefused();
			this.refused.abort();
		}
		return toBlame(reception);
	}

	/** Whether it has been refused, and no proxy has accepted it so far. */
	get isInDoubt(): boolean {
		const reception = this.receptions.get(this.latest);
		return reception?.wasAccepted === false && reception.refusals.size > 0;
	}

	/** Whether it is of no use to try a proxy once more. */
	isRefusedBy(address: string): boolean {
		const count = this.receptions.get(this.latest)?.refusals.get(address) ?? 0;
		return count >= MOST_REFUSALS_OF_PROXY;
	}

	private receptionOf(login: ProxyLogin): Reception {
		const id = idOf(login);
		const reception = this.receptions.get(id) ?? {
			refusals: new Map<string, number>(),
			inARow: new Set<string>(),
			wasAccepted: false,
			wasFetchedAgain: false,
		};
		this.receptions.set(id, reception);
		return reception;
	}
}

function toBlame({ wasAccepted, refusals }: Reception): string[] {
	if (!wasAccepted) return [];
	const refusing = [...refusals].filter(([, count]) => count >= MOST_REFUSALS_OF_PROXY);
	for (const [address] of refusing) refusals.delete(address);
	return refusing.map(([address]) => address);
}

function loginRefused(): DescribedError {
	return new DescribedError({
		message: 'The proxies refuse the user name and password of the order',
		description: `${MOST_REFUSALS_IN_A_ROW} proxies in a row did not accept what Kuaidaili gives as the order's login, so no more are taken for it. In the member center, check the order's user name and password and its whitelist, which 'Whitelist: Get' shows, too. If the password was changed there a moment ago, wait a minute. Then run the node again.`,
		code: '407',
	});
}

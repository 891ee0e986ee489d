import { fingerprintOf } from '../../../../shared/fingerprint';
import { InvalidFieldError } from '../../../../shared/fields/invalidFieldError';
import { obtainProxyLogin, type ProxyLogin } from '../../../../shared/orders/proxyLogin';
import { CallError, CancelledError } from '../../../../shared/transport/callErrors';
import { formatNumber } from '../../../../shared/wording';
import type { Item } from '../../operation';
import { mostPerRunField } from './commonFields';
import { extractProxies, type Extracted } from './extractProxies';
import type { ExtractRequest } from './fields';
import { composeLogin, proxyUrlWith, type LoginWishes } from './login';
import type { Extraction } from './product';
import type { ExtractedProxy } from './proxyEntry';
import { proxyPool } from './proxyPool';

/** How many proxies a run has asked for. */
export class RunQuota {
	private asked = 0;

	/** @throws InvalidFieldError when that many more are too many; nothing was asked for then */
	take(count: number, most: number): void {
		if (most > 0 && this.asked + count > most) {
			const before = this.asked === 0 ? '' : `, and this run has asked for ${this.asked} before`;
			throw new InvalidFieldError(
				mostPerRunField.displayName,
				most,
				`This call would extract ${formatNumber(count)} proxies${before}. Ask for fewer, or raise the limit in 'Options'.`,
			);
		}
		this.asked += count;
	}
}

/** Where an item is worked on. */
export interface Surroundings {
	readonly item: Item;
	readonly quota: RunQuota;
}

async function reused(
	request: ExtractRequest,
	reuse: NonNullable<Extraction['reuse']>,
	{ item, quota }: Surroundings,
): Promise<Extracted> {
	const { extraction, settings, mostPerRun } = request;
	let last: Extracted | undefined;
	const { proxies, error } = await proxyPool.obtain({
		key: fingerprintOf(await item.orderKey(), extraction.endpoint.path, extraction.parameters),
		count: extraction.total,
		minimumSecondsLeft: reuse.minimumSecondsLeft,
		signal: item.signal,
		async extract(missing, keep) {
			quota.take(missing, mostPerRun);
			const some = { ...extraction, total: missing };
			last = await extractProxies(item.extract, some, { ...settings, onProxies: keep });
		},
	});
	// The run was cancelled, or the limit is reached: more than a hint
	if (error instanceof CancelledError) throw error;
	if (error instanceof Error && !(error instanceof CallError)) throw error;
	const failure = error instanceof CallError ? error : last?.endedBy;
	const endedBy = proxies.length < extraction.total ? failure : undefined;
	return { proxies, left: last?.left, endedBy };
}

/** These come first, or are said anew. */
const OWN_FIELDS = new Set(['proxyUrl', 'address', 'host', 'port', 'username', 'password']);

function finished(
	proxy: ExtractedProxy,
	{ scheme = 'http' }: Extraction,
	login: ProxyLogin | undefined,
): ExtractedProxy {
	const { address, host, port } = proxy;
	const others = Object.entries(proxy).filter(([name]) => !OWN_FIELDS.has(name));
	const proxyUrl = proxyUrlWith(scheme, address, login);
	return { proxyUrl, address, host, port, ...login, ...Object.fromEntries(others) };
}

/** What was extracted for one or several items. */
export interface Obtained {
	readonly extracted: Extracted;
	/**
	 * A proxy as it is put out.
	 *
	 * @param wishes what its login is to say
	 */
	readonly finish: (proxy: ExtractedProxy, wishes?: LoginWishes) => ExtractedProxy;
}

function ownLogin({ username, password }: ExtractedProxy): ProxyLogin | undefined {
	return username === undefined || password === undefined ? undefined : { username, password };
}

/**
 * Gets the proxies that a request asks for, and what is needed to use them. The login is fetched first:
 * if that fails, nothing is used up.
 *
 * @throws InvalidFieldError, and what `callService` throws
 */
export async function obtainProxies(
	request: ExtractRequest,
	surroundings: Surroundings,
): Promise<Obtained> {
	const { extraction, settings, wantsLogin, mostPerRun } = request;
	const { item, quota } = surroundings;
	const loginOfOrder = async () => await obtainProxyLogin(item.run, await item.orderKey());
	let login = wantsLogin && extraction.login === 'order' ? await loginOfOrder() : undefined;

	const { reuse } = extraction;
	if (reuse === undefined) quota.take(extraction.isUsedUp ? extraction.total : 0, mostPerRun);
	const extracted =
		reuse === undefined
			? await extractProxies(item.extract, extraction, settings)
			: await reused(request, reuse, surroundings);

	const isLacking = extracted.proxies.some((proxy) => ownLogin(proxy) === undefined);
	if (wantsLogin && extraction.login === 'entries' && isLacking) login = await loginOfOrder();
	return {
		extracted,
		finish(proxy, wishes = extraction.wishes ?? {}) {
			if (extraction.login === undefined) return proxy;
			const plain = ownLogin(proxy) ?? login;
			const wanted = wantsLogin && plain !== undefined ? composeLogin(plain, wishes) : undefined;
			return finished(proxy, extraction, wanted);
		},
	};
}

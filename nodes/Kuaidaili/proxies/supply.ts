import type { IExecuteFunctions } from 'n8n-workflow';

import { fingerprintOf } from '../../shared/fingerprint';
import type { ProxyLogin } from '../../shared/orders/proxyLogin';
import { ApiError, CallError, CancelledError } from '../../shared/errors/callErrors';
import type { Item } from '../operation';
import type { ExtractedProxy } from './entries';
import { extractProxies, type Extracted } from './extraction';
import { composeLogin, orderLogin, proxyUrlWith, type LoginSettings } from './logins';
import { proxyPool } from './pool';
import type { Extraction } from './products/product';
import { runMemoryOf, type RunMemory } from './quota';
import type { ProxyRequest } from './request';

/** The service's code for an order that it does not know yet. */
const NEW_ORDER = -2;

/**
 * Whether `raw` may contain a login: entries can have layouts that are not documented, above all where each
 * has its own login.
 */
function mayHoldLogin(
	{ raw = '', address }: ExtractedProxy,
	{ login: comesFrom }: Extraction,
): boolean {
	return comesFrom === 'entries' || /[:@]/.test(raw.replace(address, ''));
}

/** Fields that `finished` puts first or replaces. */
const OWN_FIELDS = new Set(['proxyUrl', 'address', 'host', 'port', 'username', 'password']);

function finished(
	proxy: ExtractedProxy,
	extraction: Extraction,
	login: ProxyLogin | undefined,
): ExtractedProxy {
	const { address, host, port } = proxy;
	const { scheme = 'http' } = extraction;
	const isHidden = (name: string) =>
		OWN_FIELDS.has(name) ||
		(name === 'raw' && login === undefined && mayHoldLogin(proxy, extraction));
	const others = Object.entries(proxy).filter(([name]) => !isHidden(name));
	const proxyUrl = proxyUrlWith(scheme, address, login);
	return { proxyUrl, address, host, port, ...login, ...Object.fromEntries(others) };
}

/** What was extracted for one or several items. */
export interface Obtained {
	readonly extracted: Extracted;
	/**
	 * A proxy as the output has it.
	 *
	 * @param loginSettings what its login is to say
	 */
	readonly finish: (proxy: ExtractedProxy, loginSettings?: LoginSettings) => ExtractedProxy;
}

function ownLogin({ username, password }: ExtractedProxy): ProxyLogin | undefined {
	return username === undefined || password === undefined ? undefined : { username, password };
}

/** The proxies of one run of the node. */
export class ProxySupply {
	private runMemory?: RunMemory;

	/** Keys of new orders that this run has already waited for in vain. */
	private readonly ordersTooNew = new Set<string>();

	constructor(private readonly context: IExecuteFunctions) {}

	/** What may be used up, without a period; undefined where that is nothing. */
	get countedInWords(): string | undefined {
		return this.runMemory?.quota.inWords;
	}

	/**
	 * Gets the proxies that a request asks for, and what is needed to use them. The login is fetched first:
	 * if that fails, nothing is used up.
	 *
	 * @param index of the item, or of the first one of those that share what is extracted
	 * @throws InvalidFieldError, and what `callService` throws
	 */
	async obtain(request: ProxyRequest, item: Item, index: number): Promise<Obtained> {
		const { extraction, wantsLogin } = request;
		let login = wantsLogin && extraction.login === 'order' ? await orderLogin(item) : undefined;
		const extracted = await this.extractedFor(request, item, index);

		const isLacking = extracted.proxies.some((proxy) => ownLogin(proxy) === undefined);
		if (wantsLogin && extraction.login === 'entries' && isLacking) login = await orderLogin(item);
		return {
			extracted,
			finish(proxy, settings = extraction.loginSettings ?? {}) {
				const plain = ownLogin(proxy) ?? login;
				// Open proxies have none; an entry that looks like it is shown without
				if (extraction.login === undefined && plain === undefined) return proxy;
				const isShown = wantsLogin && plain !== undefined;
				return finished(proxy, extraction, isShown ? composeLogin(plain, settings) : undefined);
			},
		};
	}

	/** Only where something is used up: finding out which run of the node this is takes long. */
	private memory(): RunMemory {
		this.runMemory ??= runMemoryOf(this.context);
		return this.runMemory;
	}

	private async extractedFor(request: ProxyRequest, item: Item, index: number): Promise<Extracted> {
		const { endpoint, parameters, total, usesQuota, reuse } = request.extraction;
		if (!usesQuota) return await this.extractWithin(request, item);
		const of = [String(index), await item.orderKey(), endpoint.path, parameters, total];
		return await this.memory().once(fingerprintOf(...of), async () =>
			reuse === undefined
				? await this.extractWithin(request, item)
				: await this.reused(request, reuse, item),
		);
	}

	/**
	 * Extracts with the limit of the run, and gives back what was not used up.
	 *
	 * @throws InvalidFieldError beyond the limit, and what `extractProxies` throws
	 */
	private async extractWithin(
		{ extraction, settings, maxExtractions }: ProxyRequest,
		item: Item,
	): Promise<Extracted> {
		const { ordersTooNew } = this;
		const { total, usesQuota } = extraction;
		const quota = usesQuota ? this.memory().quota : undefined;
		quota?.take(total, maxExtractions);
		const newOrder = settings.waitForNewOrder === true ? await item.orderKey() : undefined;
		const waitForNewOrder = newOrder !== undefined && !ordersTooNew.has(newOrder);
		let spent = 0;
		const onSpent = (count: number) => (spent += count);
		const waiting = { ...settings, waitForNewOrder, onSpent };
		return await extractProxies(item.extract, extraction, waiting)
			.catch((error: unknown) => {
				// A minute for each of many items would be an hour
				const isTooNew = error instanceof ApiError && error.code === NEW_ORDER;
				if (isTooNew && newOrder !== undefined) ordersTooNew.add(newOrder);
				throw error;
			})
			.finally(() => quota?.giveBack(Math.max(0, total - spent)));
	}

	private async reused(
		request: ProxyRequest,
		{ minimumSecondsLeft }: NonNullable<Extraction['reuse']>,
		item: Item,
	): Promise<Extracted> {
		const { extraction, settings } = request;
		const { endpoint, parameters, total } = extraction;
		// Format and separator don't change which proxies come
		const isFilter = ([name]: [string, string]) => name !== 'format' && name !== 'sep';
		const matching = Object.entries(parameters).filter(isFilter).sort();
		let last: Extracted | undefined;
		const { proxies, error } = await proxyPool.obtain({
			key: fingerprintOf(await item.orderKey(), endpoint.path, matching),
			count: total,
			minimumSecondsLeft,
			signal: item.signal,
			extract: async (missing, keep) => {
				const some: ProxyRequest = {
					...request,
					extraction: { ...extraction, total: missing },
					settings: { ...settings, onProxies: keep },
				};
				last = await this.extractWithin(some, item);
			},
		});
		// The run was cancelled, or the limit is reached: more than a hint
		if (error instanceof CancelledError) throw error;
		if (error instanceof Error && !(error instanceof CallError)) throw error;
		const failure = error instanceof CallError ? error : (last?.endedBy ?? 'repeats');
		return { proxies, left: last?.left, endedBy: proxies.length < total ? failure : undefined };
	}
}

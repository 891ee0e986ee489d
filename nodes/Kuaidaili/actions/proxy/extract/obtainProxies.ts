import { fingerprintOf } from '../../../../shared/fingerprint';
import { obtainProxyLogin, type ProxyLogin } from '../../../../shared/orders/proxyLogin';
import { ApiError, CallError, CancelledError } from '../../../../shared/errors/callErrors';
import { explainUndocumented } from '../../../../shared/transport/describeFailure';
import type { Item } from '../../../operation';
import { extractProxies, type Extracted } from './extractProxies';
import type { ExtractRequest } from './extractRequest';
import { composeLogin, proxyUrlWith, type LoginWishes } from './login';
import type { Extraction } from './product';
import type { ExtractedProxy } from './proxyEntry';
import { proxyPool } from './proxyPool';
import type { RunMemory } from './runMemory';

/** The service's code for an order that it does not know yet. */
const NEW_ORDER = -2;

/** What the extraction of an item needs besides its request. */
export interface Surroundings {
	readonly item: Item;
	/** The item, or the items that share what is extracted. */
	readonly itemKey: string;
	/** The memory of the run. */
	readonly memory: () => RunMemory;
	/** Keys of new orders that this run has already waited for in vain. */
	readonly notWaitedFor: Set<string>;
}

/**
 * Extracts with the limit of the run, and gives back what was not used up.
 *
 * @throws InvalidFieldError beyond the limit, and what `extractProxies` throws
 */
async function extractWithin(
	{ extraction, settings, mostPerRun }: ExtractRequest,
	{ item, memory, notWaitedFor }: Surroundings,
): Promise<Extracted> {
	const { total, isUsedUp } = extraction;
	const quota = isUsedUp ? memory().quota : undefined;
	quota?.take(total, mostPerRun);
	const newOrder = settings.waitForNewOrder === true ? await item.orderKey() : undefined;
	const waitForNewOrder = newOrder !== undefined && !notWaitedFor.has(newOrder);
	let spent = 0;
	const onSpent = (count: number) => (spent += count);
	return await extractProxies(item.extract, extraction, { ...settings, waitForNewOrder, onSpent })
		.catch((error: unknown) => {
			// A minute for each of many items would be an hour
			const isTooNew = error instanceof ApiError && error.code === NEW_ORDER;
			if (isTooNew && newOrder !== undefined) notWaitedFor.add(newOrder);
			throw error;
		})
		.finally(() => quota?.giveBack(Math.max(0, total - spent)));
}

async function reused(
	request: ExtractRequest,
	reuse: NonNullable<Extraction['reuse']>,
	surroundings: Surroundings,
): Promise<Extracted> {
	const { extraction, settings } = request;
	const { item } = surroundings;
	const { endpoint, parameters } = extraction;
	// Format and separator don't change which proxies come
	const isFilter = ([name]: [string, string]) => name !== 'format' && name !== 'sep';
	const matching = Object.entries(parameters).filter(isFilter).sort();
	let last: Extracted | undefined;
	const { proxies, error } = await proxyPool.obtain({
		key: fingerprintOf(await item.orderKey(), endpoint.path, matching),
		count: extraction.total,
		minimumSecondsLeft: reuse.minimumSecondsLeft,
		signal: item.signal,
		async extract(missing, keep) {
			const some: ExtractRequest = {
				...request,
				extraction: { ...extraction, total: missing },
				settings: { ...settings, onProxies: keep },
			};
			last = await extractWithin(some, surroundings);
		},
	});
	// The run was cancelled, or the limit is reached: more than a hint
	if (error instanceof CancelledError) throw error;
	if (error instanceof Error && !(error instanceof CallError)) throw error;
	const failure = error instanceof CallError ? error : (last?.endedBy ?? 'repeats');
	const endedBy = proxies.length < extraction.total ? failure : undefined;
	return { proxies, left: last?.left, endedBy };
}

async function extractedFor(
	request: ExtractRequest,
	surroundings: Surroundings,
): Promise<Extracted> {
	const { endpoint, parameters, total, isUsedUp, reuse } = request.extraction;
	if (!isUsedUp) return await extractWithin(request, surroundings);
	const { item, itemKey, memory } = surroundings;
	const key = fingerprintOf(itemKey, await item.orderKey(), endpoint.path, parameters, total);
	return await memory().once(key, async () =>
		reuse === undefined
			? await extractWithin(request, surroundings)
			: await reused(request, reuse, surroundings),
	);
}

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

/** Fields that `finished` puts first or writes anew. */
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
	const { extraction, wantsLogin } = request;
	const { item } = surroundings;
	const loginOfOrder = async () =>
		await explainUndocumented(
			obtainProxyLogin(item.run, await item.orderKey(), item.signal),
			"The login for the proxies could not be fetched. Check that 'Product' is the product of the order, which 'Order: Get' shows.",
		);
	let login = wantsLogin && extraction.login === 'order' ? await loginOfOrder() : undefined;
	const extracted = await extractedFor(request, surroundings);

	const isLacking = extracted.proxies.some((proxy) => ownLogin(proxy) === undefined);
	if (wantsLogin && extraction.login === 'entries' && isLacking) login = await loginOfOrder();
	return {
		extracted,
		finish(proxy, wishes = extraction.wishes ?? {}) {
			const plain = ownLogin(proxy) ?? login;
			// Open proxies have none; an entry that looks like it is shown without
			if (extraction.login === undefined && plain === undefined) return proxy;
			const wanted = wantsLogin && plain !== undefined ? composeLogin(plain, wishes) : undefined;
			return finished(proxy, extraction, wanted);
		},
	};
}

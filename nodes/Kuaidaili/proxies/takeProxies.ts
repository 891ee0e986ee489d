import { fingerprintOf } from '../../shared/api/sign';
import { asError, CallError, CancelledError } from '../../shared/api/errors';
import { throwIfCancelled, untilCancelled } from '../../shared/api/wait';
import type { Item } from '../run/item';
import type { Extracted, ProxyExtractor } from './extraction';
import { ownLogin, type ProxyLogin } from './logins';
import type { ProxyRequest } from './productFields';
import { partitionOf, proxyPool, type PooledProxy, type ProxyReport } from './proxyPool';

/* How Extract takes proxies: as many at once as its items need. */

/** The items that one extraction serves: those with the same settings where each gets a proxy, otherwise one. */
export interface ItemGroup {
	/** The first of them. */
	readonly item: Item;
	readonly index: number;
	/** Whether each gets a proxy, so that no other items of the run are to get the same ones. */
	readonly isExclusive: boolean;
	/** Proxies that the items had before and that are not to come again. */
	readonly failed: readonly ProxyReport[];
	/** For as many proxies as all of them need. */
	readonly request: ProxyRequest;
}

/** Proxies that items got, and what is needed to use them. */
export interface TakenProxies {
	readonly extracted: Extracted;
	/** The login of the order, where a proxy without one of its own needs it. */
	readonly login?: ProxyLogin;
}

/** Several items may have had the same proxy, which has refused one login once then. */
function reportFailed(order: string, failed: readonly ProxyReport[]): void {
	const idOf = ({ address, fault, site }: ProxyReport) =>
		`${address} ${fault === 'blocked' ? site : fault}`;
	const reports = new Map(failed.map((report) => [idOf(report), report]));
	for (const report of reports.values()) proxyPool.report(order, report);
}

/**
 * Takes the proxies that a group of items wants, or as many as there are: kept ones where it reuses them, otherwise only
 * extracted ones. It does so once for each group, also where n8n repeats the run.
 *
 * @throws InvalidFieldError beyond the limit of the execution, and what `runQuery` throws
 */
export async function takeProxies(
	extractor: ProxyExtractor,
	group: ItemGroup,
): Promise<TakenProxies> {
	const { item, index, isExclusive, failed, request } = group;
	const { endpoint, parameters, total, usesQuota, reuse, wantsLogin } = request;
	const order = await item.orderKey();
	if (failed.length > 0) reportFailed(order, failed);
	// Before anything is extracted, so that nothing is used up where it cannot be fetched
	const isOfOrder = wantsLogin && request.login === 'order';
	const login = isOfOrder ? await extractor.loginOf(order, item) : undefined;
	const key = fingerprintOf(String(index), order, endpoint.path, parameters, total);
	let extracted = usesQuota ? extractor.taken.get(key) : undefined;
	if (extracted === undefined) {
		if (usesQuota && reuse !== undefined) extracted = await takeKept(extractor, order, group);
		else {
			extracted = await extractor.extract(request, item);
			if (isExclusive) extracted = withoutFailed(extracted, order, group);
		}
		// Where nothing matched, something may match later
		if (usesQuota && extracted.proxies.length > 0) extractor.taken.set(key, extracted);
	}
	if (!wantsLogin || request.login !== 'entries') return { extracted, login };
	const isLacking = extracted.proxies.some((proxy) => ownLogin(proxy) === undefined);
	return { extracted, login: isLacking ? await extractor.loginOf(order, item) : undefined };
}

/** Whether sites of items have blocked it; also of those whose last proxy failed: an earlier one may have been blocked. */
function isBlocked(proxy: PooledProxy, failed: readonly ProxyReport[]): boolean {
	return failed.some(({ site }) => proxy.isBlockedFor(site));
}

/** Leaves out what the service has sent again although it had failed. */
function withoutFailed(
	extracted: Extracted,
	order: string,
	{ request, failed }: ItemGroup,
): Extracted {
	if (request.isWholeList === true) return extracted;
	const pooled = proxyPool.add(order, extracted.proxies);
	const isGood = (proxy: PooledProxy) => proxy.isUsable && !isBlocked(proxy, failed);
	const proxies = extracted.proxies.filter((_proxy, index) => isGood(pooled[index]));
	// Better one that failed than none: the site may have been to blame
	if (proxies.length === 0) return extracted;
	// More than one for each item is kept for those who reuse
	if (request.usesQuota)
		partitionOf(order, request).add(pooled.filter(isGood).slice(request.total));
	const endedBy =
		extracted.endedBy ?? (proxies.length < request.total ? 'failedBefore' : undefined);
	return { ...extracted, proxies, endedBy };
}

/** Extractions for a group at most: proxies may end while the missing ones are extracted. */
const MOST_EXTRACTIONS = 3;

/** Takes proxies of the pool, and extracts only the missing ones. */
async function takeKept(
	extractor: ProxyExtractor,
	order: string,
	{ request, item, isExclusive, failed }: ItemGroup,
): Promise<Extracted> {
	const { total } = request;
	const { handedOut } = extractor;
	const partition = partitionOf(order, request);
	const ofGroup = new Set<PooledProxy>();
	const extractions: Extracted[] = [];
	let failure: Error | undefined;
	let mayExtract = true;
	let extracting: Promise<void> | undefined;
	const extractMissing = async (missing: number): Promise<void> => {
		const extraction = await extractor.extract({ ...request, total: missing }, item).catch(asError);
		let added = 0;
		if (extraction instanceof Error) failure = extraction;
		else {
			extractions.push(extraction);
			const { proxies, fresh } = proxyPool.addTo(partition, order, extraction.proxies);
			for (const proxy of proxies) ofGroup.add(proxy);
			added = fresh.length;
		}
		// Fewer than were asked for: there are no more
		mayExtract = failure === undefined && added >= missing && extractions.length < MOST_EXTRACTIONS;
	};
	const fits = (proxy: PooledProxy) =>
		// What came for this is handed out even if it lives too shortly
		ofGroup.has(proxy) ||
		(proxy.isReusableFor(request) &&
			!isBlocked(proxy, failed) &&
			!(isExclusive && handedOut.has(proxy)));
	throwIfCancelled(item.signal);
	let found = partition.find(total, fits);
	while (found.length < total && mayExtract) {
		const missing = total - found.length;
		extracting = partition.extractOnce(async () => await extractMissing(missing)) ?? extracting;
		await untilCancelled(partition.untilChanged(), item.signal);
		found = partition.find(total, fits);
	}
	partition.handOut(found, undefined);
	if (isExclusive) for (const proxy of found) handedOut.add(proxy);
	// What else it says comes with its end
	if (extracting !== undefined) await untilCancelled(extracting, item.signal);
	// The run was cancelled, or the limit is reached: more than a hint
	const isOfCall = failure instanceof CallError && !(failure instanceof CancelledError);
	if (failure !== undefined && found.length < total && (found.length === 0 || !isOfCall))
		throw failure;
	const last = extractions.at(-1);
	const hadFailed = [...ofGroup].some(({ isUsable }) => !isUsable);
	const endedBy = last?.endedBy ?? (hadFailed ? 'failedBefore' : 'repeats');
	const shortBecause = failure instanceof CallError ? failure : endedBy;
	return {
		proxies: found.map(({ current }) => current),
		left: last?.left,
		reused: found.filter((proxy) => !ofGroup.has(proxy)).length,
		fresh: extractions.reduce((sum, { proxies: came }) => sum + came.length, 0),
		endedBy: found.length < total ? shortBecause : undefined,
	};
}

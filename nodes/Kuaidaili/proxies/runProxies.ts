import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { fingerprintOf } from '../../shared/fingerprint';
import { formatNumber, plural } from '../../shared/wording';
import type { ProxyLogin } from '../../shared/orders/orderQueries';
import { obtainOrderDetails } from '../../shared/orders/orderDetails';
import { InvalidFieldError } from '../../shared/fields/invalidFieldError';
import { ApiError, asError, CallError, CancelledError } from '../../shared/api/errors';
import { untilCancelled } from '../../shared/api/wait';
import { memoryOfRuns, savedData } from '../run/nodeRun';
import type { Item } from '../run/item';
import type { ExtractedProxy } from './entries';
import { extractProxies, type Extracted, type ExtractionWatch } from './extraction';
import { orderLogin, ownLogin, proxyUrlWith } from './logins';
import { maxExtractionsField } from './products/product';
import type { ProxyRequest } from './productFields';
import {
	partitionOf,
	proxyPool,
	type PooledProxy,
	type PoolPartition,
	type ProxyReport,
} from './proxyPool';

/** The number of proxies that a node has used up in an execution, or may have: across all its runs. */
export class ExtractionQuota {
	/** @param saved has the `count`, if there is any yet */
	constructor(private readonly saved: IDataObject) {}

	get count(): number {
		return Number(this.saved.count ?? 0);
	}

	/** How many of them may be asked for; a `max` of 0 sets no limit. */
	allowed(count: number, max: number): number {
		return max > 0 ? Math.max(0, Math.min(count, max - this.count)) : count;
	}

	/** @throws InvalidFieldError when that many more are too many; nothing was asked for then */
	take(count: number, max: number): void {
		if (this.allowed(count, max) < count) {
			const needed =
				this.count === 0
					? `${plural(count, 'proxy is', 'proxies are')} needed`
					: `More proxies are needed, and this node has already asked for ${formatNumber(this.count)} in this execution`;
			const { displayName } = maxExtractionsField;
			throw new InvalidFieldError(
				displayName,
				max,
				`${needed}. Raise the limit in 'Options' to go on.`,
				`'${displayName}' allows only ${formatNumber(max)}`,
			);
		}
		this.saved.count = this.count + count;
	}

	/** Corrects what was taken when it is known how many are used up, or may be. */
	settle(taken: number, spent: number): void {
		this.saved.count = this.count + spent - taken;
	}
}

/** A tool has one as well. */
function quotaOf(context: IExecuteFunctions): ExtractionQuota {
	const saved = savedData(context, 'extractions');
	const execution = context.getExecutionId();
	// One that is retried begins with the data of the one that failed
	if (saved.execution !== execution) Object.assign(saved, { execution, count: 0 });
	return new ExtractionQuota(saved);
}

const PREPAID_WITH_FILTERS = [
	'Filters',
	'',
	"This order is prepaid, so its proxies would come from anywhere, and count. Remove these filters, or choose a pay-per-IP order in 'Order'.",
	"'Areas' and 'Carrier' work with pay-per-IP orders only",
] as const;

/** Whether the node has waited a minute for the order in vain, as it is new, or too many addresses call with it. */
function isStillRefused(error: unknown): error is ApiError {
	const retry = error instanceof ApiError ? error.meaning?.retry : undefined;
	return retry === 'notYet';
}

/** A proxy as it is put out: its URL fits the Proxy option of the HTTP Request node as it is. */
function finished(
	proxy: ExtractedProxy,
	request: ProxyRequest,
	login: ProxyLogin | undefined,
): { readonly proxyUrl: string } & ExtractedProxy {
	const { address, host, port, username, ...others } = proxy;
	const { raw = '' } = others;
	const isOpen = request.login === undefined && username === undefined;
	// Layouts that are not documented may have a login, above all where each entry has its own
	const mayHoldLogin = request.login === 'entries' || /[:@]/.test(raw.replace(address, ''));
	if (login === undefined && !isOpen && mayHoldLogin) delete others.raw;
	delete others.password;
	const proxyUrl = proxyUrlWith(request.scheme, address, login);
	return { proxyUrl, address, host, port, ...login, ...others };
}

/** The memory of a run, which lives on while n8n repeats it for 'Retry On Fail'. */
const memoryOf = memoryOfRuns((context) => ({
	/** Extractions by the item, and everything that decides about them. */
	extracted: new Map<string, Extracted>(),
	/** The number of proxies that the node had used up when the run began. */
	usedBefore: quotaOf(context).count,
}));

/** Proxies that one or several items want of an extraction. */
export interface WantedProxies {
	readonly request: ProxyRequest;
	/** Any of the items. */
	readonly item: Item;
	/** The product of the first item. */
	readonly index: number;
	/** Whether no other items of the run are to get the same proxies. */
	readonly isExclusive: boolean;
	/** Proxies that the items had before and that are not to come again. */
	readonly failed: readonly ProxyReport[];
}

/** The proxies that items wanted, and how they are put out. */
export interface ObtainedProxies {
	readonly extracted: Extracted;
	/** A proxy as it is put out: its login says what the settings want, with the session of the item. */
	readonly finish: (proxy: ExtractedProxy, session: string) => ReturnType<typeof finished>;
}

/** The reports, each once: several items may have had the same proxy, which has refused the same login once then. */
function withoutRepeats(failed: readonly ProxyReport[]): Iterable<ProxyReport> {
	const idOf = ({ address, fault, site }: ProxyReport) =>
		`${address} ${fault === 'blocked' ? site : fault}`;
	return new Map(failed.map((report) => [idOf(report), report])).values();
}

/**
 * Adds extracted proxies to a partition, and to the fresh ones of a request.
 *
 * @returns how many of them it did not have, or not as usable ones
 */
function addFresh(
	order: string,
	partition: PoolPartition,
	proxies: readonly ExtractedProxy[],
	fresh: Set<PooledProxy>,
): number {
	const before = proxies.map(({ address }) => proxyPool.proxy(order, address));
	const added = before.filter((proxy) => !partition.has(proxy) || !proxy.isUsable).length;
	const pooled = proxyPool.add(order, proxies);
	for (const proxy of pooled) fresh.add(proxy);
	partition.add(pooled);
	return added;
}

/** Proxies may end while the missing ones are extracted. */
const MOST_EXTRACTIONS = 3;

export class ProxyExtractor {
	/** The number of proxies that the node has used up so far in this execution. */
	readonly quota: ExtractionQuota;

	/** The number of proxies that had been used up when this run began, or the one that n8n repeats with it. */
	readonly usedBefore: number;

	private readonly extracted: Map<string, Extracted>;

	/** Refusals that a minute of waiting has not changed, by order: each of many items would wait as long again. */
	private readonly refusals = new Map<string, ApiError>();

	/** Proxies of the pool that exclusive items of this run got. */
	private readonly handedOut = new Set<PooledProxy>();

	constructor(context: IExecuteFunctions) {
		this.quota = quotaOf(context);
		({ extracted: this.extracted, usedBefore: this.usedBefore } = memoryOf(context));
	}

	/** A text about the proxies that this run may have used up, without a period; undefined where that is nothing. */
	get countedInWords(): string | undefined {
		const count = this.quota.count - this.usedBefore;
		if (count === 0) return undefined;
		return `Up to ${plural(count, 'proxy', 'proxies')} of this run may have been extracted and counted`;
	}

	/**
	 * Gets the proxies that a request asks for, and what is needed to use them. The login is fetched first:
	 * if that fails, nothing is used up.
	 *
	 * @throws InvalidFieldError, and what `callService` throws
	 */
	async obtain(wanted: WantedProxies): Promise<ObtainedProxies> {
		const { request, item } = wanted;
		const { wantsLogin, login: comesFrom } = request;
		for (const report of withoutRepeats(wanted.failed))
			proxyPool.report(await item.orderKey(), report);
		let login = wantsLogin && comesFrom === 'order' ? await orderLogin(item) : undefined;
		const extracted = await this.extractedFor(wanted);

		const isLacking = extracted.proxies.some((proxy) => ownLogin(proxy) === undefined);
		if (wantsLogin && comesFrom === 'entries' && isLacking) login = await orderLogin(item);
		return {
			extracted,
			finish: (proxy, session) => {
				const plain = wantsLogin ? (ownLogin(proxy) ?? login) : undefined;
				const shown = plain && (request.toLogin?.(plain, session) ?? plain);
				return finished(proxy, request, shown);
			},
		};
	}

	/**
	 * Extracts within the limit of the execution, and gives back what was not used up.
	 *
	 * @throws InvalidFieldError beyond the limit, and what `extractProxies` throws
	 */
	async extract(
		request: ProxyRequest,
		item: Item,
		watch: Omit<ExtractionWatch, 'onSpent'> = {},
	): Promise<Extracted> {
		const { total, usesQuota, maxExtractions, needsPayPerIp } = request;
		const order = await item.orderKey();
		const refusal = this.refusals.get(order);
		if (refusal !== undefined) throw refusal;
		if (needsPayPerIp === true) {
			const { payType } = await obtainOrderDetails(item.run, order, item.signal);
			if (payType === 'PRE_PAY') throw new InvalidFieldError(...PREPAID_WITH_FILTERS);
		}
		if (usesQuota) this.quota.take(total, maxExtractions);
		let spent = 0;
		const onSpent = (count: number) => (spent += count);
		const note = (failure: unknown) => {
			if (isStillRefused(failure)) this.refusals.set(order, failure);
		};
		try {
			const extracted = await extractProxies(item.run, request, { ...watch, onSpent });
			note(extracted.endedBy);
			return extracted;
		} catch (error) {
			note(error);
			throw error;
		} finally {
			if (usesQuota) this.quota.settle(total, spent);
		}
	}

	private async extractedFor(wanted: WantedProxies): Promise<Extracted> {
		const { request, item, index } = wanted;
		const { endpoint, parameters, total, usesQuota, reuse } = request;
		if (!usesQuota) return await this.extractAnew(wanted);
		const order = await item.orderKey();
		const key = fingerprintOf(String(index), order, endpoint.path, parameters, total);
		const extracted =
			this.extracted.get(key) ??
			(await (reuse === undefined ? this.extractAnew(wanted) : this.acquire(wanted)));
		// Where nothing matched, something may match later
		if (extracted.proxies.length > 0) this.extracted.set(key, extracted);
		return extracted;
	}

	private async extractAnew(wanted: WantedProxies): Promise<Extracted> {
		const { request, item, isExclusive, failed } = wanted;
		const extracted = await this.extract(request, item);
		const { total, isWholeList } = request;
		if (!isExclusive || isWholeList === true) return extracted;
		const order = await item.orderKey();
		const pooled = proxyPool.add(order, extracted.proxies);
		const isBlocked = (proxy: PooledProxy) => failed.some(({ site }) => proxy.isBlockedFor(site));
		const working = extracted.proxies.filter(
			(_proxy, index) => pooled[index].isUsable && !isBlocked(pooled[index]),
		);
		// Better one that failed than none: the site may have been to blame
		if (working.length === 0) return extracted;
		// More than one for each item is kept for those who reuse
		partitionOf(order, request).add(pooled.filter(({ isUsable }) => isUsable).slice(total));
		const endedBy = extracted.endedBy ?? (working.length < total ? 'failedBefore' : undefined);
		return { ...extracted, proxies: working, endedBy };
	}

	/** Takes proxies of the pool, and extracts only the missing ones. */
	private async acquire({ request, item, isExclusive, failed }: WantedProxies): Promise<Extracted> {
		const { total } = request;
		const order = await item.orderKey();
		const partition = partitionOf(order, request);
		// Also of those whose last proxy failed: an earlier one may have been blocked
		const sites = failed.map(({ site }) => site);
		/** Proxies that are handed out even if they live too shortly for the request. */
		const fresh = new Set<PooledProxy>();
		const extractions: Extracted[] = [];
		let failure: Error | undefined;
		const extractMissing = async (missing: number): Promise<boolean> => {
			let added = 0;
			const onProxies = (proxies: readonly ExtractedProxy[]) => {
				added += addFresh(order, partition, proxies, fresh);
			};
			const extraction = await this.extract({ ...request, total: missing }, item, {
				onProxies,
			}).catch(asError);
			if (extraction instanceof Error) failure = extraction;
			else extractions.push(extraction);
			// Fewer than were asked for: there are no more
			return failure === undefined && added >= missing && extractions.length < MOST_EXTRACTIONS;
		};
		let extracting: Promise<boolean> | undefined;
		let proxies: ExtractedProxy[] = [];
		const acquired = await partition.acquire(
			{
				count: total,
				use: 'shared',
				fits: (proxy) =>
					fresh.has(proxy) ||
					(proxy.isReusableFor(request) &&
						!sites.some((site) => proxy.isBlockedFor(site)) &&
						!(isExclusive && this.handedOut.has(proxy))),
				onHandOut: (handedOut) => {
					proxies = handedOut.map(({ current }) => current);
					if (isExclusive) for (const proxy of handedOut) this.handedOut.add(proxy);
				},
				extractMissing: async (missing) => await (extracting = extractMissing(missing)),
			},
			item.signal,
		);
		// Its proxies come before what else it says
		if (extracting !== undefined) await untilCancelled(extracting, item.signal);
		// The run was cancelled, or the limit is reached: more than a hint
		const isOfCall = failure instanceof CallError && !(failure instanceof CancelledError);
		if (failure !== undefined && proxies.length < total && (proxies.length === 0 || !isOfCall))
			throw failure;
		const last = extractions.at(-1);
		const hadFailed = [...fresh].some(({ isUsable }) => !isUsable);
		const endedBy = last?.endedBy ?? (hadFailed ? 'failedBefore' : 'repeats');
		const shortBecause = failure instanceof CallError ? failure : endedBy;
		return {
			proxies,
			left: last?.left,
			reused: acquired.filter((proxy) => !fresh.has(proxy)).length,
			fresh: extractions.flatMap(({ proxies: came }) => came),
			endedBy: proxies.length < total ? shortBecause : undefined,
		};
	}
}

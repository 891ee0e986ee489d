import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { fingerprintOf } from '../../shared/fingerprint';
import { formatNumber, plural } from '../../shared/wording';
import type { ProxyLogin } from '../../shared/queries/order';
import { obtainOrderDetails } from '../../shared/queries/orderDetails';
import { InvalidFieldError } from '../../shared/fields/invalidFieldError';
import { asError, CallError, CancelledError } from '../../shared/errors/callErrors';
import { untilCancelled } from '../../shared/concurrency/wait';
import { memoryOfRuns, savedData } from '../nodeRun';
import type { Item } from '../operation';
import type { ExtractedProxy } from './entries';
import { extractProxies, type Extracted, type ExtractionWatch } from './extraction';
import { orderLogin, ownLogin, proxyUrlWith } from './logins';
import { maxExtractionsField } from './products/product';
import type { ProxyRequest } from './productFields';
import { proxyPool, type ProxyReport, type PoolPartition, type PooledProxy } from './proxyPool';

/** How many proxies a node has used up in an execution, or may have: across all its runs. */
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

/** So long after a run began, no order is new: a minute for each of many items would be an hour. */
const NEW_FOR_MS = 65_000;

/** A proxy as it is put out: its URL fits the Proxy option of the HTTP Request node as it is. */
function finished(proxy: ExtractedProxy, request: ProxyRequest, login: ProxyLogin | undefined) {
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

/** Where the proxies of an order are kept that come for a request. */
export function partitionOf(order: string, { endpoint, parameters }: ProxyRequest): PoolPartition {
	const selecting = Object.entries(parameters)
		// Format and extra values change what is said about the proxies, and 0 stands for any
		.filter(([name, value]) => !/^(?:format|sep|f_.*)$/.test(name) && value !== '0')
		.map(([name, value]) => [name, value.split(',').sort().join(',')])
		.sort();
	return proxyPool.partition(fingerprintOf(order, endpoint.path, selecting));
}

/** It lives on while n8n repeats a run for 'Retry On Fail'. */
const memoryOf = memoryOfRuns((context) => ({
	/** By the item, and everything that decides about what is extracted for it. */
	extracted: new Map<string, Extracted>(),
	/** What the node had used up when the run began. */
	usedBefore: quotaOf(context).count,
}));

/** Items that one extraction is for. */
export interface Wanted {
	readonly request: ProxyRequest;
	/** Any of them. */
	readonly item: Item;
	/** Of the first one. */
	readonly index: number;
	/** Whether no other items of the run are to get the same proxies. */
	readonly isExclusive: boolean;
	/** Proxies that the items had before and that are not to come again. */
	readonly failed: readonly ProxyReport[];
}

export type Obtained = Awaited<ReturnType<ProxyExtractor['obtain']>>;

/** Several items may have had the same proxy, which has refused the same login once then. */
function withoutRepeats(failed: readonly ProxyReport[]): Iterable<ProxyReport> {
	const idOf = ({ address, fault, site }: ProxyReport) =>
		`${address} ${fault === 'blocked' ? site : fault}`;
	return new Map(failed.map((report) => [idOf(report), report])).values();
}

/** Proxies may end while the missing ones are extracted. */
const MOST_EXTRACTIONS = 3;

export class ProxyExtractor {
	/** What the node has used up so far in this execution. */
	readonly quota: ExtractionQuota;

	/** What had been used up when this run began, or the one that n8n repeats with it. */
	readonly usedBefore: number;

	private readonly extracted: Map<string, Extracted>;

	private readonly beganAt = performance.now();

	/** What exclusive items of this run got of the stock. */
	private readonly handedOut = new Set<PooledProxy>();

	constructor(context: IExecuteFunctions) {
		this.quota = quotaOf(context);
		({ extracted: this.extracted, usedBefore: this.usedBefore } = memoryOf(context));
	}

	/** What this run may have used up, without a period; undefined where that is nothing. */
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
	async obtain(wanted: Wanted) {
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
			/** A proxy as the output has it; its login says what the settings want, with the session of the item. */
			finish: (proxy: ExtractedProxy, session: string) => {
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
		if (needsPayPerIp === true) {
			const { payType } = await obtainOrderDetails(item.run, await item.orderKey(), item.signal);
			if (payType === 'PRE_PAY') throw new InvalidFieldError(...PREPAID_WITH_FILTERS);
		}
		const mayBeNew = performance.now() - this.beganAt < NEW_FOR_MS;
		const waitForNewOrder = request.waitForNewOrder && mayBeNew;
		if (usesQuota) this.quota.take(total, maxExtractions);
		let spent = 0;
		const onSpent = (count: number) => (spent += count);
		const asked = { ...request, waitForNewOrder };
		return await extractProxies(item.run, asked, { ...watch, onSpent }).finally(
			() => usesQuota && this.quota.settle(total, spent),
		);
	}

	private async extractedFor(wanted: Wanted): Promise<Extracted> {
		const { request, item, index } = wanted;
		const { endpoint, parameters, total, usesQuota, reuse } = request;
		if (!usesQuota) return await this.extractAnew(wanted);
		const order = await item.orderKey();
		const key = fingerprintOf(String(index), order, endpoint.path, parameters, total);
		const extracted =
			this.extracted.get(key) ??
			(await (reuse === undefined ? this.extractAnew(wanted) : this.reused(wanted)));
		// Where nothing matched, something may match later
		if (extracted.proxies.length > 0) this.extracted.set(key, extracted);
		return extracted;
	}

	private async extractAnew({ request, item, isExclusive }: Wanted): Promise<Extracted> {
		const extracted = await this.extract(request, item);
		const { total, isWholeList } = request;
		if (!isExclusive || isWholeList === true) return extracted;
		const order = await item.orderKey();
		const entries = proxyPool.add(order, extracted.proxies);
		const working = extracted.proxies.filter((_proxy, index) => entries[index].isUsable);
		// Better one that failed than none: the site may have been to blame
		if (working.length === 0) return extracted;
		// What items cannot use that get one each is kept for those who reuse
		partitionOf(order, request).put(entries.filter(({ isUsable }) => isUsable).slice(total));
		const endedBy = extracted.endedBy ?? (working.length < total ? 'failedBefore' : undefined);
		return { ...extracted, proxies: working, endedBy };
	}

	/**
	 * Only the missing ones are extracted. Concurrent callers share an extraction that both need, and nobody waits for one
	 * that they don't need.
	 */
	private async reused({ request, item, isExclusive, failed }: Wanted): Promise<Extracted> {
		const { total } = request;
		const order = await item.orderKey();
		const shelf = partitionOf(order, request);
		// Also of those whose last proxy failed: an earlier one may have been blocked
		const sites = failed.map(({ site }) => site);
		/** Handed out even if they live too shortly for the request. */
		const own = new Set<PooledProxy>();
		const extractions: Extracted[] = [];
		let known: PooledProxy[] = [];
		let failure: Error | undefined;
		let isLast = false;
		const mayServe = (entry: PooledProxy) =>
			own.has(entry) ||
			(entry.fits(request) &&
				sites.every((site) => entry.isUsableFor(site)) &&
				!(isExclusive && this.handedOut.has(entry)));
		const pick = () => {
			known = shelf.find(total, mayServe);
			if (known.length < total && !isLast) return undefined;
			// The run was cancelled, or the limit is reached: more than a hint
			const isOfCall = failure instanceof CallError && !(failure instanceof CancelledError);
			if (failure !== undefined && (known.length === 0 || !isOfCall)) throw failure;
			for (const entry of known) {
				proxyPool.touch(entry);
				shelf.giveBack(entry);
				if (isExclusive) this.handedOut.add(entry);
			}
			return known.map(({ current }) => current);
		};
		const extractMissing = async () => {
			const missing = total - known.length;
			let came = 0;
			const onProxies = (proxies: readonly ExtractedProxy[]) => {
				const before = proxies.map(({ address }) => proxyPool.entry(order, address));
				came += before.filter((entry) => !shelf.entries.has(entry) || !entry.isUsable).length;
				const entries = proxyPool.add(order, proxies);
				for (const entry of entries) own.add(entry);
				shelf.put(entries);
				shelf.extraction.announce();
			};
			const asked = { ...request, total: missing };
			const extracted = await this.extract(asked, item, { onProxies }).catch(asError);
			if (extracted instanceof Error) failure = extracted;
			else extractions.push(extracted);
			// Fewer than were asked for: there are no more
			isLast = failure !== undefined || came < missing || extractions.length === MOST_EXTRACTIONS;
		};
		let asking: Promise<void> | undefined;
		const start = () => void (asking = shelf.extraction.start(extractMissing));
		const proxies = await shelf.extraction.wait(pick, start, item.signal);
		// Its proxies come before what else it says
		if (asking !== undefined) await untilCancelled(asking, item.signal);
		const last = extractions.at(-1);
		const hadFailed = [...own].some(({ isUsable }) => !isUsable);
		const endedBy = last?.endedBy ?? (hadFailed ? 'failedBefore' : 'repeats');
		const shortBecause = failure instanceof CallError ? failure : endedBy;
		return {
			proxies,
			left: last?.left,
			reused: known.filter((entry) => !own.has(entry)).length,
			fresh: extractions.flatMap(({ proxies: came }) => came),
			endedBy: proxies.length < total ? shortBecause : undefined,
		};
	}
}

import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { formatNumber, plural } from '../../shared/wording';
import { type ProxyLogin, obtainOrderDetails } from '../../shared/orders/queries';
import { InvalidFieldError } from '../../shared/fields/field';
import { ApiError, CancelledError } from '../../shared/api/errors';
import { memoryOfRuns, savedData } from '../run/nodeRun';
import type { Item } from '../run/item';
import { extractProxies, type Extracted } from './extraction';
import { orderLogin } from './logins';
import { maxExtractionsField } from './products/product';
import type { ProxyRequest } from './productFields';

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

/** The number of proxies that the node had used up when a run began, also where n8n repeats that for 'Retry On Fail'. */
const usedBeforeOf = memoryOfRuns((context) => ({ count: quotaOf(context).count }));

/** Everything that asks the service for the proxies of a run, of whatever orders. */
export class ProxyExtractor {
	/** The number of proxies that the node has used up so far in this execution. */
	readonly quota: ExtractionQuota;

	/** The number of proxies that had been used up when this run began, or the one that n8n repeats with it. */
	readonly usedBefore: number;

	/** How many each order has left, as the service said last. */
	readonly left = new Map<string, Extracted['left']>();

	/** Refusals that a minute of waiting has not changed, by order: each of many items would wait as long again. */
	private readonly refusals = new Map<string, ApiError>();

	/** Errors by order: each of its items and pages would try again for as long as a call may take. */
	private readonly loginFailures = new Map<string, unknown>();

	/** @param ended aborts when the run ends before its pages, so that nobody needs what would come */
	constructor(
		context: IExecuteFunctions,
		readonly ended?: AbortSignal,
	) {
		this.quota = quotaOf(context);
		this.usedBefore = usedBeforeOf(context).count;
	}

	/** A text about the proxies that this run may have used up, without a period; undefined where that is nothing. */
	get countedInWords(): string | undefined {
		const count = this.quota.count - this.usedBefore;
		if (count === 0) return undefined;
		return `Up to ${plural(count, 'proxy', 'proxies')} of this run may have been extracted and counted`;
	}

	/**
	 * Extracts within the limit of the execution, and gives back what was not used up.
	 *
	 * @throws InvalidFieldError beyond the limit, and what `extractProxies` throws
	 */
	async extract(request: ProxyRequest, item: Item): Promise<Extracted> {
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
			const extracting = extractProxies(item.run, request, onSpent, this.ended);
			const extracted = await extracting.catch((error: unknown): never => {
				note(error);
				throw error;
			});
			note(extracted.endedBy);
			return extracted;
		} finally {
			if (usesQuota) this.quota.settle(total, spent);
		}
	}

	/**
	 * The login of an order. Once it could not be fetched, all further items and pages of the order fail at once.
	 *
	 * @throws what `runQuery` throws
	 */
	async loginOf(order: string, item: Item): Promise<ProxyLogin> {
		if (this.loginFailures.has(order)) throw this.loginFailures.get(order);
		return await orderLogin(item).catch((error: unknown): never => {
			if (!(error instanceof CancelledError)) this.loginFailures.set(order, error);
			throw error;
		});
	}
}

import type { IExecuteFunctions } from 'n8n-workflow';

import { ownValue } from '../../shared/guards';
import { formatNumber, plural, sentences } from '../../shared/wording';
import { type Query, type RunQuery, deliveryStateOf } from '../../shared/api/call';
import type { ExtractionAnswer, ServiceAnswer } from '../../shared/service/wireTypes';
import { ApiError, CallError, CancelledError, InvalidResponseError } from '../../shared/api/errors';
import { InvalidFieldError } from '../../shared/fields/field';
import { obtainOrderDetails } from '../../shared/orders/queries';
import type { EpochMs } from '../../shared/service/chinaTime';
import type { Item } from '../run/item';
import { memoryOfRuns, savedData } from '../run/nodeRun';
import { readProxyList, type ExtractedProxy } from './entries';
import { proxyLogin, proxyLogins, type ProxyLogin } from './logins';
import type { ProxyRequest } from './productFields';
import { maxExtractionsField } from './products/product';
import type { PooledProxy } from './proxyPool';

/** This many calls in a row without anything new end the extraction. */
const MOST_CALLS_WITHOUT_NEW = 2;

/** Names of the numbers that are left; only answers in JSON have them. */
const LEFT_COUNTS = ['order_left_count', 'today_left_count', 'order_left_today'] as const;

/** The proxies of an extraction, and why there are no more of them. */
export interface Extracted {
	readonly proxies: readonly ExtractedProxy[];
	/** The reason for fewer proxies than were wanted; undefined where there are enough. */
	readonly endedBy?: 'noMoreMatches' | 'repeats' | 'failedBefore' | CallError;
	/** The numbers that the last answer says are left, by the service's names. */
	readonly left?: Readonly<Partial<Record<(typeof LEFT_COUNTS)[number], number>>>;
	/** The number of proxies that had been extracted before; undefined without reuse. */
	readonly reused?: number;
	/** How many were extracted, and counted; undefined without reuse. */
	readonly fresh?: number;
}

function leftCountsOf(answer: ExtractionAnswer): NonNullable<Extracted['left']> {
	const left: Partial<Record<(typeof LEFT_COUNTS)[number], number>> = {};
	for (const name of LEFT_COUNTS) {
		const count = ownValue(answer.data, name);
		if (typeof count === 'number') left[name] = count;
	}
	return left;
}

/** The number that an order has left, as the first of its names that an answer has; undefined for none. */
function leftNumber(left: Extracted['left'] = {}) {
	const first = Object.entries(left).at(0);
	return first === undefined
		? undefined
		: { count: first[1], isToday: first[0] !== LEFT_COUNTS[0] };
}

/**
 * Such as "940 are left for today", or "none are left in the order"; undefined where the service says no number, or of
 * some orders another one than of others.
 */
export function leftInWords(...orders: ReadonlyArray<Extracted['left']>): string | undefined {
	const numbers = orders.map(leftNumber).filter((number) => number !== undefined);
	const [first] = numbers;
	if (first === undefined || numbers.some(({ isToday }) => isToday !== first.isToday))
		return undefined;
	const count = numbers.reduce((sum, number) => sum + number.count, 0);
	const shown = count > 0 ? formatNumber(count) : 'none';
	const where = numbers.length > 1 ? 'in the orders' : 'in the order';
	return `${shown} ${count === 1 ? 'is' : 'are'} left ${first.isToday ? 'for today' : where}`;
}

function withExpiry(proxy: ExtractedProxy, answeredAt: EpochMs, lifeSeconds?: number) {
	const { secondsLeft = lifeSeconds } = proxy;
	if (secondsLeft === undefined) return proxy;
	const expiresAt = new Date(answeredAt + secondsLeft * 1000);
	// A clock that is beyond all dates must not lose what was counted
	if (Number.isNaN(expiresAt.getTime())) return { ...proxy, secondsLeft };
	return { ...proxy, secondsLeft, expiresAt: expiresAt.toISOString() };
}

/** An error where fewer proxies came than the answer's own count says were used up; the count is a text in XML. */
function missingIn({ data }: ExtractionAnswer, came: number, num: number) {
	const count = Number(ownValue(data, 'count'));
	if (!Number.isInteger(count) || came >= Math.min(count, num)) return undefined;
	const contained = came === 0 ? 'none' : `only ${formatNumber(came)}`;
	return new InvalidResponseError(
		`has a count of ${formatNumber(count)} proxies, and contains ${contained}`,
		'',
	);
}

/** The part of an extraction that one call brings. */
interface ExtractedPart extends Pick<Extracted, 'proxies' | 'left'> {
	/** The failure of the call, or of some of its entries alone. */
	readonly failure?: CallError;
}

/**
 * Reads an answer. Used-up proxies are not asked for again, so one bad entry must not lose the others. Throws
 * InvalidResponseError.
 */
function readAnswer(request: ProxyRequest, num: number, answer: ServiceAnswer): ExtractedPart {
	const { usesQuota, lifeSeconds, parse } = request;
	const { proxies, isList, unreadable } =
		parse === undefined
			? readProxyList(answer, request)
			: { proxies: parse(answer), isList: true, unreadable: undefined };
	const failure = unreadable ?? (usesQuota ? missingIn(answer, proxies.length, num) : undefined);
	const isKept = usesQuota && proxies.length > 0 && isList;
	if (failure !== undefined && !isKept) throw failure;
	return {
		proxies: proxies.map((proxy) => withExpiry(proxy, answer.answeredAt, lifeSeconds)),
		left: leftCountsOf(answer),
		failure,
	};
}

/** The outcome of the calls of an extraction, whatever becomes of it. */
interface ExtractionCalls {
	/** The number of proxies that they have used up, or may have; each call adds to it. */
	spent: number;
	/** The failure of the last one. */
	failure?: CallError;
}

/** Makes one call, whose failure is part of the result. */
async function oneCall(
	ask: RunQuery,
	request: ProxyRequest,
	num: number,
	calls: ExtractionCalls,
	wantedUntil: AbortSignal | undefined,
): Promise<ExtractedPart> {
	const { parameters, usesQuota, isWholeList, whereCounted } = request;
	const query: Query<ExtractedPart> = {
		...request,
		wantedUntil,
		parse: (answer) => readAnswer(request, num, answer),
	};
	const sent = isWholeList === true ? parameters : { ...parameters, num: String(num) };
	const part = await ask(query, sent).catch((error: unknown): ExtractedPart => {
		if (!(error instanceof CallError)) throw error;
		return { proxies: [], failure: error };
	});
	const { proxies, failure } = part;
	calls.failure = failure;
	if (failure === undefined) calls.spent += proxies.length;
	else if (usesQuota && deliveryStateOf(failure) === 'unclear') {
		calls.spent += num;
		const mayCount = 'Proxies may have been extracted and counted all the same.';
		failure.addNote(sentences(mayCount, whereCounted));
	}
	return part;
}

/**
 * Extracts proxies in as many calls as the cap makes necessary. No proxy comes twice. What came is given
 * back even if a later call fails.
 *
 * @param wantedUntil a signal after which nothing is asked for any more
 * @throws what `runQuery` throws, where nothing came before
 */
export async function extractProxies(
	ask: RunQuery,
	request: ProxyRequest,
	calls: ExtractionCalls,
	wantedUntil?: AbortSignal,
): Promise<Extracted> {
	const { total, cap = Infinity, usesQuota, isWholeList } = request;
	const found: ExtractedProxy[] = [];
	const addresses = new Set<string>();
	let left: Extracted['left'] = {};
	let asked = 0;
	let callsWithoutNew = 0;
	let endedBy: Extracted['endedBy'];

	while (endedBy === undefined) {
		// What comes twice was counted twice, so nothing is asked for in its place
		const missing = total - (usesQuota ? asked : found.length);
		// Near the end of a pool most answers repeat known proxies: asking only for the rest would take many calls
		const num = total > cap && !usesQuota ? cap : Math.min(missing, cap);
		asked += num;
		const before = found.length;
		const part = await oneCall(ask, request, num, calls, wantedUntil);
		const { proxies, failure } = part;
		left = { ...left, ...part.left };
		for (const proxy of proxies) {
			// What was counted is kept, even where more came than were asked for
			if (found.length >= total && !usesQuota) break;
			// The set grows only with a new address
			if (addresses.add(proxy.address).size > found.length) found.push(proxy);
		}
		if (found.length >= total || (total === Infinity && found.length > 0)) break;
		callsWithoutNew = found.length === before ? callsWithoutNew + 1 : 0;
		const isFailed = failure !== undefined && failure.meaning?.isEmptyResult !== true;
		// After a cancellation, nothing comes out
		if (isFailed && (found.length === 0 || failure instanceof CancelledError)) throw failure;
		const isInVain = total <= cap || callsWithoutNew === MOST_CALLS_WITHOUT_NEW;
		if (isFailed) endedBy = failure;
		// Fewer than requested means that the service has no more that match
		else if (isWholeList === true || proxies.length < num) endedBy = 'noMoreMatches';
		else if (isInVain || (usesQuota && asked >= total)) endedBy = 'repeats';
	}
	return { proxies: found, endedBy, left };
}

/** The number of proxies that the node has used up in its execution, or may have: across all its runs. */
function quotaOf(context: IExecuteFunctions): { count: number } {
	// A tool has one as well
	const saved = savedData(context, 'extractions');
	const execution = context.getExecutionId();
	// One that is retried begins with the data of the one that failed
	const count = saved.execution === execution ? Number(saved.count ?? 0) : 0;
	return Object.assign(saved, { execution, count });
}

/**
 * The refusal of so many more proxies where they are beyond the limit of an execution; a `max` of 0 sets none.
 *
 * @param used how many proxies the node has asked for before
 */
export function limitError(
	count: number,
	used: number,
	max: number,
): InvalidFieldError | undefined {
	if (max === 0 || used + count <= max) return undefined;
	const needed =
		used === 0
			? `${plural(count, 'proxy is', 'proxies are')} needed`
			: `More proxies are needed, and this node has already asked for ${formatNumber(used)} in this execution`;
	const { displayName } = maxExtractionsField;
	return new InvalidFieldError(
		displayName,
		max,
		`${needed}. Raise the limit in 'Options' to go on.`,
		`'${displayName}' allows only ${formatNumber(max)}`,
	);
}

const PREPAID_WITH_FILTERS = [
	'Filters',
	'',
	"This order is prepaid, so its proxies would come from anywhere, and count. Remove these filters, or choose a pay-per-IP order in 'Order'.",
	"'Areas' and 'Carrier' work with pay-per-IP orders only",
] as const;

/** Kept for a run, and for the one that n8n repeats with it for 'Retry On Fail'. */
const keptForRun = memoryOfRuns((context) => ({
	usedBefore: quotaOf(context).count,
	taken: new Map<string, Extracted>(),
}));

/** Everything that asks the service for the proxies of a run, of whatever orders. */
export class ProxyExtractor {
	private readonly quota: { count: number };

	/** The number of proxies that had been used up when this run began, or the one that n8n repeats with it. */
	readonly usedBefore: number;

	/** Proxies that items of the run took, by the item and everything that decides about them. */
	readonly taken: Map<string, Extracted>;

	/** Proxies of the pool that items of this run got for themselves. */
	readonly handedOut = new Set<PooledProxy>();

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
		({ usedBefore: this.usedBefore, taken: this.taken } = keptForRun(context));
	}

	/** How many proxies this run has used up, or may have. */
	get usedByRun(): number {
		return this.quota.count - this.usedBefore;
	}

	/** How many of them the limit of the execution lets anybody ask for; a `max` of 0 sets none. */
	allowed(count: number, max: number): number {
		return max > 0 ? Math.max(0, Math.min(count, max - this.quota.count)) : count;
	}

	/**
	 * Extracts within the limit of the execution, and gives back what was not used up.
	 *
	 * @throws InvalidFieldError beyond the limit, and what `extractProxies` throws
	 */
	async extract(request: ProxyRequest, item: Item): Promise<Extracted> {
		const { total, usesQuota, maxExtractions, needsPayPerIp } = request;
		const { quota, ended } = this;
		const order = await item.orderKey();
		const refusal = this.refusals.get(order);
		if (refusal !== undefined) throw refusal;
		if (needsPayPerIp === true) {
			const { payType } = await obtainOrderDetails(item.ask, order, item.signal);
			if (payType === 'PRE_PAY') throw new InvalidFieldError(...PREPAID_WITH_FILTERS);
		}
		if (usesQuota) {
			const beyond = limitError(total, quota.count, maxExtractions);
			if (beyond !== undefined) throw beyond;
			// All of them count until it is known how many were used up, or may have been
			quota.count += total;
		}
		const calls: ExtractionCalls = { spent: 0 };
		try {
			return await extractProxies(item.ask, request, calls, ended);
		} finally {
			if (usesQuota) quota.count += calls.spent - total;
			const { failure } = calls;
			if (failure instanceof ApiError && failure.meaning?.retry === 'notYet')
				this.refusals.set(order, failure);
		}
	}

	/**
	 * The login of an order. Once it could not be fetched, all further items and pages of the order fail at once.
	 *
	 * @throws what `runQuery` throws
	 */
	async loginOf(order: string, item: Item): Promise<ProxyLogin> {
		if (this.loginFailures.has(order)) throw this.loginFailures.get(order);
		const login = proxyLogins.obtain(order, async () => await item.ask(proxyLogin), item.signal);
		return await login.catch((error: unknown): never => {
			if (!(error instanceof CancelledError)) this.loginFailures.set(order, error);
			throw error;
		});
	}
}

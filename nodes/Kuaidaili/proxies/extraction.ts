import { ownValue } from '../../shared/guards';
import { formatNumber, sentences } from '../../shared/wording';
import { type Query, type RunQuery, deliveryStateOf } from '../../shared/api/call';
import type { ExtractionAnswer } from '../../shared/service/wireTypes';
import { CallError, callFailure, InvalidResponseError } from '../../shared/api/errors';
import type { EpochMs } from '../../shared/service/chinaTime';
import { readProxyList, type ExtractedProxy } from './entries';
import type { ProxyRequest } from './productFields';

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

/**
 * Reads an answer. Used-up proxies are not asked for again, so one bad entry must not lose the others. Throws
 * InvalidResponseError.
 */
function readAnswer(request: ProxyRequest, num: number, answer: ExtractionAnswer) {
	const { usesQuota, parse } = request;
	if (parse !== undefined) return { proxies: parse(answer) };
	const { proxies, isList, unreadable } = readProxyList(answer, request);
	const failure = unreadable ?? (usesQuota ? missingIn(answer, proxies.length, num) : undefined);
	const isKept = usesQuota && proxies.length > 0 && isList;
	if (failure !== undefined && !isKept) throw failure;
	return { proxies, failure };
}

async function oneCall(
	extract: RunQuery,
	request: ProxyRequest,
	num: number,
	onSpent: (count: number) => void,
	wantedUntil: AbortSignal | undefined,
): Promise<Extracted> {
	const { parameters, usesQuota, isWholeList, lifeSeconds, whereCounted = '' } = request;
	/** Notes what may have been used up. */
	const noted = (error: CallError): CallError => {
		if (usesQuota && deliveryStateOf(error) === 'unclear') {
			onSpent(num);
			return error.addNote(
				sentences('Proxies may have been extracted and counted all the same.', whereCounted),
			);
		}
		return error;
	};
	const query: Query<Extracted> = {
		...request,
		wantedUntil,
		parse(answer) {
			const { proxies, failure } = readAnswer(request, num, answer);
			if (failure === undefined) onSpent(proxies.length);
			return {
				endedBy: failure && noted(failure),
				proxies: proxies.map((proxy) => withExpiry(proxy, answer.answeredAt, lifeSeconds)),
				left: leftCountsOf(answer),
			};
		},
	};
	const sent = isWholeList === true ? parameters : { ...parameters, num: String(num) };
	return await extract(query, sent).catch((failure: unknown) => {
		if (!(failure instanceof CallError)) throw failure;
		if (failure.meaning?.isEmptyResult === true) return { proxies: [], left: {} };
		throw noted(failure);
	});
}

/**
 * Extracts proxies in as many calls as the cap makes necessary. No proxy comes twice. What came is given
 * back even if a later call fails.
 *
 * @param onSpent is called with the number of proxies that each call used up, or may have
 * @param wantedUntil a signal after which nothing is asked for any more
 * @throws what `runQuery` throws, where nothing came before
 */
export async function extractProxies(
	extract: RunQuery,
	request: ProxyRequest,
	onSpent: (count: number) => void,
	wantedUntil?: AbortSignal,
): Promise<Extracted> {
	const { total, cap = Infinity, usesQuota, isWholeList } = request;
	const found: ExtractedProxy[] = [];
	const addresses = new Set<string>();
	let left: Extracted['left'] = {};
	let asked = 0;
	let callsWithoutNew = 0;
	const ended = (endedBy?: Extracted['endedBy']): Extracted => ({ proxies: found, endedBy, left });

	for (;;) {
		// What comes twice was counted twice, so nothing is asked for in its place
		const missing = total - (usesQuota ? asked : found.length);
		if (missing <= 0) return ended('repeats');
		// Near the end of a pool most answers repeat known proxies: asking only for the rest would take many calls
		const num = total > cap && !usesQuota ? cap : Math.min(missing, cap);
		asked += num;
		const before = found.length;
		const call = oneCall(extract, request, num, onSpent, wantedUntil);
		const page = await (before > 0 ? call.catch(callFailure) : call);
		if (page instanceof CallError) return ended(page);
		left = { ...left, ...page.left };
		for (const proxy of page.proxies) {
			// What was counted is kept, even where more came than were asked for
			if (found.length >= total && !usesQuota) break;
			// The set grows only with a new address
			if (addresses.add(proxy.address).size > found.length) found.push(proxy);
		}
		if (found.length >= total || (total === Infinity && found.length > 0)) return ended();
		if (page.endedBy !== undefined) return ended(page.endedBy);
		// Fewer than requested means that the service has no more that match
		if (isWholeList === true || page.proxies.length < num) return ended('noMoreMatches');
		callsWithoutNew = found.length === before ? callsWithoutNew + 1 : 0;
		if (total <= cap || callsWithoutNew === MOST_CALLS_WITHOUT_NEW) return ended('repeats');
	}
}

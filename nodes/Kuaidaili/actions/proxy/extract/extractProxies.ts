import { ownValue } from '../../../../shared/guards';
import type { Endpoint } from '../../../../shared/service/endpoint';
import { codeMeaning } from '../../../../shared/service/codes';
import type {
	ExtractionAnswer,
	ExtractionQuery,
	RunExtraction,
} from '../../../../shared/service/query';
import {
	ApiError,
	CallError,
	CancelledError,
	InvalidResponseError,
} from '../../../../shared/transport/callErrors';
import { deliveryStateOf } from '../../../../shared/transport/deliveryState';
import type { Extraction } from './product';
import type { ExtractedProxy, ExtraName } from './proxyEntry';
import { readProxyList } from './proxyList';

/** This many calls in a row without anything new end the extraction. */
const MOST_CALLS_WITHOUT_NEW = 2;

export interface ExtractionSettings {
	/** The extra values that each entry will have, in their order. */
	readonly extras: readonly ExtraName[];
	/** Wait and repeat where too many addresses call with the order. */
	readonly waitForCallers: boolean;
	readonly waitForNewOrder?: boolean;
	/** Told of what each call brought, at that moment. */
	readonly onProxies?: (proxies: readonly ExtractedProxy[]) => void;
	/** Told how many proxies each call used up, or may have. */
	readonly onSpent?: (count: number) => void;
}

export interface Extracted {
	readonly proxies: readonly ExtractedProxy[];
	/** Why there are fewer than were wanted; undefined where there are not. */
	readonly endedBy?: 'noMoreMatches' | 'repeats' | CallError;
	/** Of the last answer. */
	readonly left?: LeftCounts;
}

/** What the service says about what is left, in answers in JSON. */
const LEFT_COUNTS = ['order_left_count', 'today_left_count'] as const;

export type LeftCounts = Partial<Record<(typeof LEFT_COUNTS)[number], number>>;

function leftCountsOf(answer: ExtractionAnswer): LeftCounts {
	if (answer.kind === 'text') return {};
	const entries = LEFT_COUNTS.flatMap((name) => {
		const count = ownValue(answer.data, name);
		return typeof count === 'number' ? [[name, count] as const] : [];
	});
	return Object.fromEntries(entries);
}

/** With the moment at which its life is over. */
function withExpiry(proxy: ExtractedProxy, answeredAt: number): ExtractedProxy {
	const { secondsLeft } = proxy;
	if (secondsLeft === undefined) return proxy;
	return { ...proxy, expiresAt: new Date(answeredAt + secondsLeft * 1000).toISOString() };
}

interface Page {
	readonly proxies: readonly ExtractedProxy[];
	readonly left: LeftCounts;
}

async function oneCall(
	extract: RunExtraction,
	{ endpoint, intervalMs, parameters, whereCounted, login, isWholeList, parse }: Extraction,
	{ extras, waitForCallers, waitForNewOrder, onSpent }: ExtractionSettings,
	num: number,
): Promise<Page> {
	const query: ExtractionQuery<Page> = {
		endpoint,
		intervalMs,
		waitForCallers,
		waitForNewOrder,
		parse(answer, secrets) {
			const proxies =
				parse?.(answer, secrets) ??
				readProxyList(answer, parameters.sep ?? '1', extras, secrets, login === 'entries');
			onSpent?.(proxies.length);
			return {
				proxies: proxies.map((proxy) => withExpiry(proxy, answer.answeredAt)),
				left: leftCountsOf(answer),
			};
		},
	};
	const sent = isWholeList === true ? parameters : { ...parameters, num: String(num) };
	return await extract(query, sent).catch((failure: unknown) => {
		const error = withoutLogin(endpoint, failure);
		if (isNothingFound(error)) return { proxies: [], left: {} };
		if (error instanceof CallError && endpoint.kind !== 'read' && isUnclear(error)) {
			onSpent?.(num);
			error.note = `Proxies may have been extracted and counted all the same. ${whereCounted ?? ''}`;
		}
		throw error;
	});
}

/** What cannot be read may hold a login all the same. */
function withoutLogin({ secretAnswer }: Endpoint, error: unknown): unknown {
	const mayShowOne = error instanceof InvalidResponseError && secretAnswer === true;
	return mayShowOne ? new InvalidResponseError(error.reason, '') : error;
}

function isUnclear(error: CallError): boolean {
	return deliveryStateOf(error) === 'unclear';
}

function isNothingFound(error: unknown): boolean {
	return (
		error instanceof ApiError && codeMeaning(error.endpoint, error.code)?.isEmptyResult === true
	);
}

/** What a call asks for. Near the end of a pool most of what comes is known, so the rest alone would take many calls. */
function numberToAskFor(
	{ endpoint, total, cap, isUsedUp }: Extraction,
	found: number,
	asked: number,
): number {
	// What comes twice was counted twice, so nothing is asked for in its place
	if (endpoint.kind === 'quota') return Math.min(total - asked, cap);
	return total > cap && !isUsedUp ? cap : Math.min(total - found, cap);
}

/**
 * Extracts proxies in as many calls as the cap makes necessary. No proxy comes twice. What came is given
 * back even if a later call fails.
 *
 * @throws what `callExtraction` throws, where nothing came before
 */
export async function extractProxies(
	extract: RunExtraction,
	extraction: Extraction,
	settings: ExtractionSettings,
): Promise<Extracted> {
	const { total, cap, isWholeList } = extraction;
	const found = new Map<string, ExtractedProxy>();
	let left: LeftCounts = {};
	let asked = 0;
	let callsWithoutNew = 0;
	const ended = (endedBy?: Extracted['endedBy']): Extracted => {
		return { proxies: [...found.values()], endedBy, left };
	};

	while (found.size < total) {
		const num = numberToAskFor(extraction, found.size, asked);
		if (num <= 0) return ended('repeats');
		asked += num;
		const before = found.size;
		const page = await oneCall(extract, extraction, settings, num).catch((error: unknown) => {
			const isFailure = error instanceof CallError && !(error instanceof CancelledError);
			if (isFailure && before > 0) return error;
			throw error;
		});
		if (page instanceof CallError) return ended(page);
		left = { ...left, ...page.left };
		settings.onProxies?.(page.proxies);
		for (const proxy of page.proxies) {
			if (found.size >= total) break;
			if (!found.has(proxy.address)) found.set(proxy.address, proxy);
		}
		if (found.size >= total) break;
		if (isWholeList === true && (total === Infinity || found.size === 0)) {
			return ended(found.size === 0 ? 'noMoreMatches' : undefined);
		}
		// Fewer than asked for means that the service has nothing more that matches
		if (page.proxies.length < num) return ended('noMoreMatches');
		callsWithoutNew = found.size === before ? callsWithoutNew + 1 : 0;
		const isLast =
			isWholeList === true || total <= cap || callsWithoutNew === MOST_CALLS_WITHOUT_NEW;
		if (isLast) return ended('repeats');
	}
	return ended();
}

import { codeMeaning } from '../../../../shared/service/codes';
import type { ExtractionQuery, RunExtraction } from '../../../../shared/service/query';
import { ApiError, CallError, CancelledError } from '../../../../shared/transport/callErrors';
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
}

export interface Extracted {
	readonly proxies: readonly ExtractedProxy[];
	/** Why there are fewer than were wanted; undefined where there are not. */
	readonly endedBy?: 'noMoreMatches' | 'repeats' | CallError;
}

async function oneCall(
	extract: RunExtraction,
	{ endpoint, intervalMs, parameters }: Extraction,
	{ extras, waitForCallers }: ExtractionSettings,
	num: number,
): Promise<ExtractedProxy[]> {
	const query: ExtractionQuery<ExtractedProxy[]> = {
		endpoint,
		intervalMs,
		waitForCallers,
		parse: (answer, secrets) => readProxyList(answer, parameters.sep ?? '1', extras, secrets),
	};
	return await extract(query, { ...parameters, num: String(num) }).catch((error: unknown) => {
		if (isNothingFound(error)) return [];
		throw error;
	});
}

function isNothingFound(error: unknown): boolean {
	return (
		error instanceof ApiError && codeMeaning(error.endpoint, error.code)?.isEmptyResult === true
	);
}

/** What a call asks for. Near the end of a pool most of what comes is known, so the rest alone would take many calls. */
function numberToAskFor({ total, cap, isUsedUp }: Extraction, found: number): number {
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
	const { total, cap } = extraction;
	const found = new Map<string, ExtractedProxy>();
	let callsWithoutNew = 0;

	while (found.size < total) {
		const num = numberToAskFor(extraction, found.size);
		const before = found.size;
		const proxies = await oneCall(extract, extraction, settings, num).catch((error: unknown) => {
			const isFailure = error instanceof CallError && !(error instanceof CancelledError);
			if (isFailure && before > 0) return error;
			throw error;
		});
		if (proxies instanceof CallError) return { proxies: [...found.values()], endedBy: proxies };
		for (const proxy of proxies) {
			if (found.size >= total) break;
			if (!found.has(proxy.address)) found.set(proxy.address, proxy);
		}
		if (found.size >= total) break;
		// Fewer than asked for means that the service has nothing more that matches
		if (proxies.length < num) return { proxies: [...found.values()], endedBy: 'noMoreMatches' };
		callsWithoutNew = found.size === before ? callsWithoutNew + 1 : 0;
		const isLast = total <= cap || callsWithoutNew === MOST_CALLS_WITHOUT_NEW;
		if (isLast) return { proxies: [...found.values()], endedBy: 'repeats' };
	}
	return { proxies: [...found.values()] };
}

import type { FlatParameters } from '../../../../shared/credential/signature';
import { CallError, ApiError } from '../../../../shared/transport/callErrors';
import { codeMeaning } from '../../../../shared/service/codes';
import type { ExtractionQuery, RunExtraction } from '../../../../shared/service/query';
import { DEDUP_INTERVAL_MS, type Plan } from './plans';
import type { ExtractedProxy, ExtraName } from './proxyEntry';
import { readProxyList } from './proxyList';

/** This many calls in a row without anything new end the extraction. */
const MOST_CALLS_WITHOUT_NEW = 3;

export interface Extraction {
	readonly plan: Plan;
	readonly total: number;
	/** Everything but `num`. */
	readonly parameters: FlatParameters;
	readonly requested: readonly ExtraName[];
	readonly waitForMinuteCap: boolean;
}

async function oneCall(
	extract: RunExtraction,
	extraction: Extraction,
	num: number,
): Promise<ExtractedProxy[]> {
	const { plan, parameters, requested, waitForMinuteCap } = extraction;
	const query: ExtractionQuery<ExtractedProxy[]> = {
		endpoint: plan.endpoint,
		intervalMs: 'dedup' in parameters ? DEDUP_INTERVAL_MS : plan.intervalMs,
		waitForMinuteCap,
		parse: (answer, secrets) => readProxyList(answer, parameters.sep ?? '1', requested, secrets),
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

/** What earlier calls brought is not put out, so the user has to know that it existed. */
function withLoss(error: unknown, found: number): unknown {
	if (error instanceof CallError && found > 0) {
		error.note = `Earlier calls for this item had extracted ${found} proxies, which are not in the output.`;
	}
	return error;
}

/**
 * Extracts proxies in as many calls as the plan's cap makes necessary. No proxy comes twice, and no
 * call asks for more than is missing.
 *
 * @returns fewer than `total` when the service has no more that match
 * @throws what `callExtraction` throws
 */
export async function extractProxies(
	extract: RunExtraction,
	extraction: Extraction,
): Promise<ExtractedProxy[]> {
	const { plan, total } = extraction;
	const found: ExtractedProxy[] = [];
	const seen = new Set<string>();
	let callsWithoutNew = 0;

	while (found.length < total && callsWithoutNew < MOST_CALLS_WITHOUT_NEW) {
		const num = Math.min(total - found.length, plan.cap);
		const before = found.length;
		const proxies = await oneCall(extract, extraction, num).catch((error: unknown) => {
			throw withLoss(error, before);
		});
		for (const proxy of proxies) {
			if (found.length >= total) break;
			if (seen.has(proxy.address)) continue;
			seen.add(proxy.address);
			found.push(proxy);
		}
		// Fewer than asked for means that the service has nothing more that matches
		if (proxies.length < num || total <= plan.cap) break;
		callsWithoutNew = found.length === before ? callsWithoutNew + 1 : 0;
	}
	return found;
}

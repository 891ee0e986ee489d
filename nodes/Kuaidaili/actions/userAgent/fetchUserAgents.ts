import { isList, ownValue } from '../../../shared/guards';
import { GET_UA } from '../../../shared/service/endpoints/userAgent';
import type { Query, RunQuery } from '../../../shared/service/query';
import { InvalidResponseError } from '../../../shared/errors/callErrors';
import { excerptOfData } from '../../../shared/errors/cleanText';

/** The most that one call gives, to accounts that have spent the most. */
const LARGEST_CALL = 300;

function isText(value: unknown): value is string {
	return typeof value === 'string' && value.trim() !== '';
}

/** User-Agent strings. Takes `num`, and where wanted `dt`, `platform` and `browser`. */
export const userAgents: Query<string[]> = {
	endpoint: GET_UA,
	parse({ data }, secrets) {
		const uaList = ownValue(data, 'ua_list');
		if (isList(uaList) && uaList.every(isText)) return uaList;
		throw new InvalidResponseError('contains no user agents', excerptOfData(data, secrets));
	},
};

/**
 * Fetches `num` different user agents. How many a call gives depends on what the account has spent, which no
 * answer tells: the first call that brings fewer than it was asked for shows it.
 *
 * @returns fewer when a call brings nothing new
 * @throws what `callService` throws
 */
export async function fetchUserAgents(
	run: RunQuery,
	{ num, ...filters }: Readonly<Record<string, string>>,
): Promise<string[]> {
	const wanted = Number(num);
	const found = new Set<string>();
	let perCall = Math.min(wanted, LARGEST_CALL);
	for (;;) {
		const foundBefore = found.size;
		const brought = await run(userAgents, { num: String(perCall), ...filters });
		for (const userAgent of brought) found.add(userAgent);
		if (found.size >= wanted || found.size === foundBefore) return [...found].slice(0, wanted);
		perCall = Math.min(perCall, Math.max(brought.length, 1));
	}
}

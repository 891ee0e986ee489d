import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { fingerprintOf } from '../../../../shared/fingerprint';
import { formatNumber, plural, sentences } from '../../../../shared/wording';
import type { OperationResult } from '../../../run/operation';
import { DescribedError } from '../../../../shared/api/callErrors';
import { leftInWords, type Extracted } from '../../../proxies/extraction';
import { settingsOf, type ProxyRequest } from '../../../proxies/productFields';
import type { ObtainedProxies } from '../../../proxies/proxyExtractor';
import { FOR_EACH_INPUT, PROXY_DETAILS } from './fields';
import type { ItemRequest, ServedItem } from './plan';

function shortfallHint(
	{ proxies, endedBy, left = {} }: Extracted,
	{ endpoint, total, isWholeList, repeatsBecause, hasFilters }: ProxyRequest,
): string | undefined {
	if (endedBy === undefined) return undefined;
	if (proxies.length === 0) {
		if (isWholeList === true) return 'The order has no proxies at the moment.';
		if (endedBy === 'failedBefore') {
			return sentences('Only proxies came that had failed before.', repeatsBecause);
		}
		return hasFilters
			? "No proxies match. Relax or remove some of the 'Filters'."
			: 'No proxies match at the moment. Try again in a few minutes, or change the fields.';
	}
	const share = `Only ${formatNumber(proxies.length)} of ${formatNumber(total)} proxies were found`;
	const nothingLeft = Object.values(left).some((count) => count <= 0);
	switch (endedBy) {
		case 'noMoreMatches':
			// The hint about what is left says it
			return nothingLeft ? `${share}.` : `${share}. No more match right now.`;
		case 'failedBefore':
			return sentences(`${share}. The others that came had failed before.`, repeatsBecause);
		case 'repeats':
			if (endpoint.kind === 'quota') return `${share}. Kuaidaili handed out some of them twice.`;
			return sentences(
				`${share}. Further calls returned only the same ones again.`,
				repeatsBecause,
			);
		default:
			return `${share} before a call failed.`;
	}
}

/** When less than this share of what was just extracted is left, a hint says so. */
const FEW = 0.1;

function fewLeftHint({ proxies, left = {} }: Extracted): string | undefined {
	const few = Object.entries(left).find(([, count]) => count < proxies.length * FEW);
	if (few === undefined) return undefined;
	const [name, count] = few;
	const where = name.includes('today') ? 'for today' : 'in this order';
	if (count <= 0) return `No more proxies are left ${where}.`;
	return `Only ${plural(count, 'more proxy is', 'more proxies are')} left ${where}.`;
}

/** A hint about the proxies that reuse has saved, or about why it saves none. */
function reuseHint(
	{ reused, fresh = [], left }: Extracted,
	{ reuse }: ProxyRequest,
): string | undefined {
	if (reused === undefined || reuse === undefined) return undefined;
	const inOrder = leftInWords(left);
	const extracted = `Proxies reused: ${formatNumber(reused)}. Extracted: ${formatNumber(fresh.length)}.`;
	const counts = sentences(extracted, inOrder && `${inOrder}.`);
	if (fresh.length === 0) return counts;
	const lives = fresh.flatMap(({ secondsLeft }) => secondsLeft ?? []);
	if (lives.length === 0) {
		return `${counts} They can't be reused, because Kuaidaili didn't say how long they work.`;
	}
	const longest = Math.max(...lives);
	if (longest >= reuse.minimumSecondsLeft) return counts;
	return `${counts} They can't be reused, because they work for only ${formatNumber(longest)} seconds. Set 'Minimum Seconds Left' to less than that.`;
}

function extractionHints(extracted: Extracted, request: ProxyRequest): string {
	return sentences(
		shortfallHint(extracted, request),
		fewLeftHint(extracted),
		reuseHint(extracted, request),
	);
}

function between(counts: readonly number[]): string {
	const [least, most] = [Math.min(...counts), Math.max(...counts)];
	return least === most ? proxyCount(most) : `${formatNumber(least)} to ${proxyCount(most)}`;
}

const proxyCount = (count: number) => plural(count, 'proxy', 'proxies');

/**
 * A hint for users who want a proxy for each of many pages, and instead get a list for each, or the same ones again.
 */
export function listsHint(
	served: Iterable<OperationResult & { readonly request: ItemRequest }>,
): string | undefined {
	const lists = [...served].filter(({ request }) => request.output !== 'forEachInput');
	const counts = lists.map(proxyCountOf);
	const settings = new Set(
		lists.map(({ request }) => fingerprintOf(settingsOf(request), request.total)),
	);
	// Items that ask for different things are meant to get a list each
	if (settings.size !== 1 || counts.length < 2 || Math.max(...counts) === 0) return undefined;
	return `${formatNumber(counts.length)} input items: ${between(counts)} each, and the same ones may come for several items. To give each item one proxy, set 'Output' to '${FOR_EACH_INPUT}'.`;
}

function proxyCountOf({ records }: OperationResult): number {
	const count = records[0]?.count;
	return typeof count === 'number' ? count : records.length;
}

/** @param session of the item, where each has one */
export function listProxies(
	request: ItemRequest,
	{ extracted, finish }: ObtainedProxies,
	session: string,
): OperationResult {
	const proxies: IDataObject[] = extracted.proxies.map((proxy) => finish(proxy, session));
	const { endedBy, left } = extracted;
	// Without proxies there are no output items, in either form
	const isWhole = request.output === 'allInOne' && proxies.length > 0;
	return {
		records: isWhole ? [{ count: proxies.length, ...left, proxies }] : proxies,
		hint: extractionHints(extracted, request),
		failure: typeof endedBy === 'object' ? endedBy : undefined,
	};
}

/** An input item as it came, with its proxy. Throws DescribedError when none came. */
export function attachProxy(
	{ json, binary }: INodeExecutionData,
	index: number,
	{ request: { proxyField, failed }, group }: ServedItem,
	{ extracted, finish }: ObtainedProxies,
	sessionOf: (number: number) => string,
): OperationResult {
	const { request, members } = group;
	const { itemsPerProxy } = request;
	const { proxies, endedBy } = extracted;
	if (proxies.length === 0) {
		throw new DescribedError({
			message: 'No proxy came for this item',
			description:
				endedBy === 'failedBefore'
					? (shortfallHint(extracted, request) ?? '')
					: 'None matches at the moment. Relax the filters, or try again in a few minutes.',
		});
	}
	const position = members.indexOf(index);
	const shareIndex = Math.floor(position / itemsPerProxy);
	// By the index of the item: shares of another group have the same numbers
	const session = sessionOf(members[shareIndex * itemsPerProxy]);
	// Undefined also where the page was to blame
	const replaces = failed?.fault === undefined ? undefined : failed.address;
	const assigned = proxies[shareIndex % proxies.length];
	const given =
		assigned.address === replaces ? proxies[(shareIndex + 1) % proxies.length] : assigned;
	const { proxyUrl, ...known } = finish(given, session);
	const isReplaced = replaces !== undefined && given.address !== replaces;
	const proxyDetails = isReplaced ? { ...known, replaces } : known;
	// 'Retry On Fail' takes an item with an error for a failure of this node
	const kept = Object.entries(json).filter(([name]) => name !== 'error');
	const record: IDataObject = {
		...Object.fromEntries(kept),
		[proxyField]: proxyUrl,
		[PROXY_DETAILS]: proxyDetails,
	};

	const needed = Math.ceil(members.length / itemsPerProxy);
	const isShort = request.sessionSeconds === undefined && proxies.length < needed;
	const sharingHint = `${formatNumber(members.length)} items take turns with ${proxyCount(proxies.length)}.`;
	const hint = sentences(extractionHints(extracted, request), isShort ? sharingHint : undefined);
	const isFirst = position === 0;
	return {
		records: [record],
		binary,
		hint: isFirst ? hint : undefined,
		failure: isFirst && typeof endedBy === 'object' ? endedBy : undefined,
	};
}

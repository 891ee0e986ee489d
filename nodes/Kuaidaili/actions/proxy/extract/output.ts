import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { formatNumber, sentences } from '../../../../shared/wording';
import type { OperationResult } from '../../../run/operation';
import { DescribedError } from '../../../../shared/api/errors';
import { leftInWords, type Extracted } from '../../../proxies/extraction';
import type { ExtractedProxy } from '../../../proxies/entries';
import { ownLogin, proxyUrlWith } from '../../../proxies/logins';
import type { ProxyRequest } from '../../../proxies/productFields';
import type { TakenProxies } from '../../../proxies/takeProxies';
import { PROXY_DETAILS, type ExtractGroup, type ExtractRequest } from './fields';

/**
 * A proxy as it is put out: its URL fits the Proxy option of the HTTP Request node as it is.
 *
 * @param session of the item, where each has one
 */
function shownProxy(
	proxy: ExtractedProxy,
	request: ProxyRequest,
	{ login: ofOrder }: TakenProxies,
	session: () => string,
): { readonly proxyUrl: string } & ExtractedProxy {
	const plain = request.wantsLogin ? (ownLogin(proxy) ?? ofOrder) : undefined;
	const login = plain && (request.toLogin?.(plain, session()) ?? plain);
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

/** Why no proxy came, and what helps. */
function nothingFound(
	{ endedBy }: Extracted,
	{ isWholeList, repeatsBecause, hasFilters }: ProxyRequest,
): string {
	if (isWholeList === true) return 'The order has no proxies at the moment.';
	if (endedBy === 'failedBefore')
		return sentences('Only proxies came that had failed before.', repeatsBecause);
	return hasFilters
		? "No proxies match. Relax or remove some of the 'Filters'."
		: 'No proxies match at the moment. Try again in a few minutes, or change the fields.';
}

/** Why fewer proxies came than were wanted: continues "Only 2 of 5 proxies were found". */
function shortBecause(
	{ endedBy, left }: Extracted,
	{ isWholeList, usesQuota, repeatsBecause }: ProxyRequest,
): string {
	if (isWholeList === true) return ': the order has no others.';
	const isUsedUp = Object.values(left ?? {}).some((count) => count <= 0);
	switch (endedBy) {
		case undefined:
		case 'noMoreMatches':
			return `: ${(isUsedUp ? leftInWords(left) : undefined) ?? 'no more match right now'}.`;
		case 'failedBefore':
			return sentences(': the others that came had failed before.', repeatsBecause);
		case 'repeats':
			return usesQuota
				? ': Kuaidaili handed out some of them twice.'
				: sentences(': further calls returned only the same ones again.', repeatsBecause);
		default:
			return ' before a call failed.';
	}
}

/** @param wanted the number of proxies */
function extractionHint(
	extracted: Extracted,
	request: ProxyRequest,
	wanted: number,
): string | undefined {
	const { proxies, reused, fresh = 0, left } = extracted;
	if (proxies.length === 0) return nothingFound(extracted, request);
	if (wanted !== Infinity && proxies.length < wanted) {
		const found = `Only ${formatNumber(proxies.length)} of ${formatNumber(wanted)} proxies were found`;
		return `${found}${shortBecause(extracted, request)}`;
	}
	if (reused === undefined) return undefined;
	const counts = `Proxies reused: ${formatNumber(reused)}, extracted: ${formatNumber(fresh)}`;
	const inOrder = leftInWords(left);
	return inOrder === undefined ? `${counts}.` : `${counts}; ${inOrder}.`;
}

/** @param session of the item, where each has one */
export function listProxies(
	request: ExtractRequest,
	taken: TakenProxies,
	session: () => string,
): OperationResult {
	const { extracted } = taken;
	const proxies: IDataObject[] = extracted.proxies.map((proxy) =>
		shownProxy(proxy, request, taken, session),
	);
	const { endedBy, left } = extracted;
	const { total } = request;
	// Without proxies there are no output items, in either form
	const isWhole = request.output === 'allInOne' && proxies.length > 0;
	return {
		records: isWhole ? [{ count: proxies.length, ...left, proxies }] : proxies,
		hint: extractionHint(extracted, request, total),
		failure: typeof endedBy === 'object' ? endedBy : undefined,
	};
}

/** An input item as it came, with its proxy. Throws DescribedError when none came. */
export function attachProxy(
	{ json, binary }: INodeExecutionData,
	index: number,
	{ proxyField, failed }: ExtractRequest,
	{ request, members }: ExtractGroup,
	taken: TakenProxies,
	sessionOf: (number: number) => string,
): OperationResult {
	const { itemsPerProxy } = request;
	const { extracted } = taken;
	const { proxies, endedBy } = extracted;
	if (proxies.length === 0) {
		throw new DescribedError({
			message: 'No proxy came for this item',
			description: nothingFound(extracted, request),
		});
	}
	const position = members.indexOf(index);
	const shareIndex = Math.floor(position / itemsPerProxy);
	// By the index of the item: shares of another group have the same numbers
	const session = () => sessionOf(members[shareIndex * itemsPerProxy]);
	const proxy = proxies[shareIndex % proxies.length];
	const { proxyUrl, ...known } = shownProxy(proxy, request, taken, session);
	// Without a fault, the page was to blame
	const isReplaced = failed?.fault !== undefined && failed.address !== known.address;
	const proxyDetails = isReplaced ? { ...known, replaces: failed.address } : known;
	// 'Retry On Fail' takes an item with an error for a failure of this node
	const kept = Object.entries(json).filter(([name]) => name !== 'error');
	const record: IDataObject = {
		...Object.fromEntries(kept),
		[proxyField]: proxyUrl,
		[PROXY_DETAILS]: proxyDetails,
	};

	const isTunnel = request.sessionSeconds !== undefined;
	const wanted = isTunnel ? 1 : Math.ceil(members.length / itemsPerProxy);
	const hint = extractionHint(extracted, request, wanted);
	const turns = proxies.length < wanted ? 'The items take turns.' : undefined;
	const isFirst = position === 0;
	return {
		records: [record],
		binary,
		hint: isFirst ? sentences(hint, turns) : undefined,
		failure: isFirst && typeof endedBy === 'object' ? endedBy : undefined,
	};
}

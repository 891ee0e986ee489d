import type { IDataObject } from 'n8n-workflow';

import type { Field } from '../../../../shared/fields/field';
import { choice } from '../../../../shared/fields/valueKinds';
import { formatNumber } from '../../../../shared/wording';
import type { OperationResult } from '../../../operation';
import type { Extracted } from './extractProxies';
import type { Extraction } from './product';

const FOR_EACH_INPUT = 'One Proxy for Each Input Item';

export const outputField: Field = {
	name: 'output',
	displayName: 'Output',
	description: 'What the output items look like',
	required: true,
	kind: choice(
		[
			{
				name: 'All in One Item',
				value: 'allInOne',
				description: 'A single item with the count and a list of the proxies',
			},
			{
				name: 'Each Proxy as an Item',
				value: 'eachProxy',
				description: 'One item per proxy, ready for the next node',
			},
			{
				name: FOR_EACH_INPUT,
				value: 'forEachInput',
				description: 'The input items as they are, each with a proxy',
			},
		],
		{ preset: 'eachProxy' },
	),
};

/** Why there are fewer proxies than were wanted: whole sentences. */
export function shortfallHint(
	{ proxies, endedBy, left = {} }: Extracted,
	{ endpoint, total, isWholeList, repeatsBecause, hasFilters = true }: Extraction,
): string | undefined {
	if (endedBy === undefined) return undefined;
	if (proxies.length === 0) {
		if (isWholeList === true) return 'The order has no proxies at the moment.';
		return hasFilters
			? "No proxies match. Relax or remove some of the 'Filters'."
			: 'No proxies match at the moment. Try again in a few minutes, or change the fields.';
	}
	const share = `Only ${formatNumber(proxies.length)} of ${formatNumber(total)} proxies were found`;
	const isUsedUp = Object.values(left).some((count) => count <= 0);
	switch (endedBy) {
		case 'noMoreMatches':
			// The hint about what is left says it
			return isUsedUp ? `${share}.` : `${share}. No more match right now.`;
		case 'repeats':
			if (endpoint.kind === 'quota') return `${share}. The service handed out some of them twice.`;
			return [`${share}. Further calls returned only the same ones again.`, repeatsBecause]
				.filter(Boolean)
				.join(' ');
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
	const where = name === 'today_left_count' ? 'for today' : 'in this order';
	if (count <= 0) return `No more proxies are left ${where}.`;
	const noun = count === 1 ? 'proxy is' : 'proxies are';
	return `Only ${formatNumber(count)} more ${noun} left ${where}.`;
}

export function hintsOf(extracted: Extracted, extraction: Extraction): string | undefined {
	const hints = [shortfallHint(extracted, extraction), fewLeftHint(extracted)];
	return hints.filter(Boolean).join(' ') || undefined;
}

function between(counts: readonly number[]): string {
	const [least, most] = [Math.min(...counts), Math.max(...counts)];
	const range =
		least === most ? formatNumber(most) : `${formatNumber(least)} to ${formatNumber(most)}`;
	return `${range} ${most === 1 ? 'proxy' : 'proxies'}`;
}

/**
 * For users who want one proxy for each of many pages, and instead get a list for each, or the same proxies
 * again.
 *
 * @param counts how many proxies each input item brought
 */
export function listsHint(counts: readonly number[]): string | undefined {
	if (counts.length < 2 || Math.max(...counts) === 0) return undefined;
	return `${formatNumber(counts.length)} input items: ${between(counts)} each, and the same ones may come for several items. To give each item one proxy, set 'Output' to '${FOR_EACH_INPUT}'.`;
}

/** The proxies as items of the next node. */
export function toResult(
	extracted: Extracted,
	extraction: Extraction,
	output: string | undefined,
): OperationResult {
	const { proxies, endedBy } = extracted;
	const each: IDataObject[] = [...proxies];
	// Without proxies there are no output items, in either form
	const isWhole = output === 'allInOne' && each.length > 0;
	return {
		records: isWhole ? [{ count: each.length, ...extracted.left, proxies: each }] : each,
		hint: hintsOf(extracted, extraction),
		failure: typeof endedBy === 'object' ? endedBy : undefined,
	};
}

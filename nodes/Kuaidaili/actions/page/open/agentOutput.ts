import type { IDataObject } from 'n8n-workflow';

import { isList, isRecord, mapValues, ownValue, toDataObject } from '../../../../shared/guards';
import { formatNumber } from '../../../../shared/wording';
import type { ItemOutcome, RunOutcome } from '../../../operation';
import { DETAILS } from './pageOutput';

/** What a model can take of all that a call brought, in characters. */
const LONGEST = 20_000;
/** How much of that links may be. */
const LONGEST_LINKS = 8000;
/** Of less of a page, a model learns little. */
const SHORTEST = 300;

/** Of the note at the end of what was cut. */
const NOTE_LENGTH = 100;

/** As a model gets it, which is as JSON. */
function lengthOf(value: unknown): number {
	return (JSON.stringify(value) ?? '').length;
}

/** As text where it is too long, with a note that it goes on. */
function cut(value: unknown, most: number): unknown {
	if (lengthOf(value) <= most) return value;
	const text = typeof value === 'string' ? value : JSON.stringify(value);
	const end = Math.floor((most * text.length) / lengthOf(text));
	// Not within a character of two parts
	const kept = text.slice(0, end).replace(/[\uD800-\uDBFF]$/, '');
	return `${kept}\n\n[The page goes on. This is the beginning, ${formatNumber(kept.length)} characters of ${formatNumber(text.length)}.]`;
}

function cutLinks(details: unknown, most: number): unknown {
	const links = ownValue(details, 'links');
	if (!isRecord(details) || !isList(links)) return details;
	let length = 0;
	const kept = links.filter((link) => (length += lengthOf(link)) <= most);
	const linksLeftOut = links.length - kept.length;
	return { ...details, links: kept, ...(linksLeftOut > 0 && { linksLeftOut }) };
}

/** A page on its way to a model. */
interface Page {
	readonly fields: Readonly<Record<string, unknown>>;
	readonly details: unknown;
	/** Of its fields. */
	readonly length: number;
	/** Of what is never cut. */
	readonly fixed: number;
}

function pageOf({ [DETAILS]: all, ...fields }: IDataObject, mostLinks: number): Page {
	const length = Object.values(fields).reduce<number>((sum, value) => sum + lengthOf(value), 0);
	const details = cutLinks(all, mostLinks);
	return { fields, details, length, fixed: lengthOf(details) + NOTE_LENGTH };
}

/** How much of each is kept where all are too long together: what short ones leave is for the others. */
function shareOf(lengths: readonly number[], most: number): number {
	let left = most;
	for (const [index, length] of [...lengths].sort((a, b) => a - b).entries()) {
		const count = lengths.length - index;
		if (length * count > left) return Math.floor(left / count);
		left -= length;
	}
	return Infinity;
}

function cutPage({ fields, details }: Page, most: number): IDataObject {
	let left = most;
	const kept = mapValues(fields, (value) => {
		const shown = cut(value, left);
		left = Math.max(0, left - lengthOf(value));
		return shown;
	});
	return toDataObject({ ...kept, [DETAILS]: details });
}

/** The pages of a call, no longer together than a model can take; a note counts those for which there is no room. */
export function fitForAgent(items: RunOutcome['items']): RunOutcome['items'] {
	const outcomes = [...items];
	const records = outcomes.flatMap(([, one]) => ('result' in one ? one.result.records : []));
	const mostLinks = Math.floor(LONGEST_LINKS / records.length);
	const kept = new Map<IDataObject, Page>();
	let left = LONGEST;
	for (const record of records) {
		const page = pageOf(record, mostLinks);
		left -= page.fixed + Math.min(page.length, SHORTEST);
		if (left < 0 && kept.size > 0) break;
		kept.set(record, page);
	}
	const pages = [...kept.values()];
	const room = pages.reduce((sum, { fixed }) => sum - fixed, LONGEST);
	const share = shareOf(
		pages.map(({ length }) => length),
		room,
	);
	const fitted = outcomes.map(([index, outcome]): readonly [number, ItemOutcome] => {
		if ('error' in outcome) return [index, outcome];
		const shown = outcome.result.records.flatMap((record) => kept.get(record) ?? []);
		const result = { ...outcome.result, records: shown.map((page) => cutPage(page, share)) };
		return [index, { result }];
	});
	const leftOut = records.length - pages.length;
	if (leftOut === 0) return fitted;
	const note = `${formatNumber(leftOut)} more pages are left out, because they would be too long. Ask for fewer at a time.`;
	const [lastIndex] = outcomes[outcomes.length - 1];
	return [...fitted, [lastIndex, { result: { records: [{ note }] } }]];
}

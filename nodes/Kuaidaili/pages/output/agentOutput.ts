import type { IDataObject } from 'n8n-workflow';

import { isList, isRecord, mapValues, ownValue, toDataObject } from '../../../shared/guards';
import { formatNumber } from '../../../shared/wording';
import type { ItemOutcome, RunOutcome } from '../../operation';
import { DETAILS } from './pageItem';

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

/** A page on its way to a model: the details are never cut, and `fixed` is their length. */
function pageOf(record: IDataObject, mostLinks: number) {
	const { [DETAILS]: all, ...fields } = record;
	const length = Object.values(fields).reduce<number>((sum, value) => sum + lengthOf(value), 0);
	const details = cutLinks(all, mostLinks);
	return { record, fields, details, length, fixed: lengthOf(details) + NOTE_LENGTH };
}

type Page = ReturnType<typeof pageOf>;

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
	const all = records.map((record) => pageOf(record, Math.floor(LONGEST_LINKS / records.length)));
	let room = LONGEST;
	const hasRoom = ({ fixed, length }: Page, index: number) =>
		(room -= fixed + Math.min(length, SHORTEST)) >= 0 || index === 0;
	const pages = all.filter(hasRoom);
	let left = pages.reduce((sum, { fixed }) => sum - fixed, LONGEST);
	const shown = new Map<IDataObject, IDataObject>();
	// What short ones leave is for the others
	for (const [index, page] of pages.sort((a, b) => a.length - b.length).entries()) {
		const share = Math.floor(left / (pages.length - index));
		shown.set(page.record, cutPage(page, share));
		left -= Math.min(page.length, share);
	}
	const fitted = outcomes.map(([index, outcome]): readonly [number, ItemOutcome] => {
		if ('error' in outcome) return [index, outcome];
		const kept = outcome.result.records.map((record) => shown.get(record));
		const result = { ...outcome.result, records: kept.filter((one) => one !== undefined) };
		return [index, { result }];
	});
	const leftOut = records.length - pages.length;
	if (leftOut === 0) return fitted;
	const note = `${formatNumber(leftOut)} more pages are left out, because they would be too long. Ask for fewer at a time.`;
	const [lastIndex] = outcomes[outcomes.length - 1];
	return [...fitted, [lastIndex, { result: { records: [{ note }] } }]];
}

import type { IDataObject } from 'n8n-workflow';

import { toDataObject } from '../../../shared/guards';
import { formatNumber, plural, sentences } from '../../../shared/wording';
import type { ItemOutcome, RunOutcome } from '../../operation';

/** How many addresses or pages one call of an agent opens at most. */
export const MOST_PAGES_OF_CALL = 20;

/** Characters of JSON that a model can take of all that a call brings. */
const LONGEST_OUTPUT = 20_000;

/** Part of that for the note about what was left out. */
const LONGEST_NOTE = 2000;

/** Length of the note at the end of what was cut. */
const CUT_NOTE_LENGTH = 100;

function lengthInJson(value: unknown): number {
	return (JSON.stringify(value) ?? '').length;
}

/** The beginning of a text of which no more than so many characters of JSON are left, and not half a character. */
function beginningOf(text: string, most: number): string {
	const end = Math.floor((most * text.length) / lengthInJson(text));
	return text.slice(0, Math.max(0, end)).replace(/[\uD800-\uDBFF]$/, '');
}

/** A value as it is, or the beginning of its text with a note that it goes on. */
function cut(value: unknown, most: number): unknown {
	if (lengthInJson(value) <= most) return value;
	const text = typeof value === 'string' ? value : JSON.stringify(value);
	const kept = beginningOf(text, most - CUT_NOTE_LENGTH);
	return `${kept}\n\n[The page goes on. This is the beginning, ${formatNumber(kept.length)} characters of ${formatNumber(text.length)}.]`;
}

/** A record no longer than so many characters: its shorter fields stay whole as long as there is room. */
function cutRecord(record: IDataObject, most: number): IDataObject {
	if (lengthInJson(record) <= most) return record;
	const fields = Object.entries(record)
		.map(([name, value]) => ({ name, value, length: lengthInJson(value) }))
		.sort((a, b) => a.length - b.length);
	let room = most - fields.reduce((sum, { name }) => sum + lengthInJson(name) + 2, 2);
	const kept = new Map<string, unknown>();
	for (const [index, { name, value }] of fields.entries()) {
		const shown = cut(value, Math.floor(room / (fields.length - index)));
		kept.set(name, shown);
		room -= lengthInJson(shown);
	}
	return toDataObject(
		Object.fromEntries(Object.keys(record).map((name) => [name, kept.get(name)])),
	);
}

/** Rows of one page that have room together, and how many others there are. */
function fitRecords(records: readonly IDataObject[], most: number) {
	if (records.length < 2)
		return { kept: records.map((record) => cutRecord(record, most)), rest: 0 };
	let room = most;
	const whole = records.findIndex((record) => (room -= lengthInJson(record) + 1) < 0);
	const count = whole < 0 ? records.length : Math.max(1, whole);
	return {
		kept: records.slice(0, count).map((record) => cutRecord(record, most)),
		rest: records.length - count,
	};
}

/** Note about addresses that one call does not open; empty where there are none. */
function noteOn(notOpened: readonly string[]): string {
	if (notOpened.length === 0) return '';
	let room = LONGEST_NOTE;
	const named = notOpened.filter((url) => (room -= lengthInJson(url) + 1) >= 0);
	const more = notOpened.length - named.length;
	return sentences(
		`One call opens at most ${MOST_PAGES_OF_CALL} pages. Not opened, ask for them in further calls:`,
		named.join(' '),
		more > 0 ? `and ${formatNumber(more)} more.` : undefined,
	);
}

/**
 * Output of a call by an agent, no longer together than what a model can take: each page has an equal part of it, and a
 * note counts what was left out.
 *
 * @param notOpened addresses that were too many for one call
 */
export function fitForAgent(
	items: RunOutcome['items'],
	notOpened: readonly string[],
): RunOutcome['items'] {
	const outcomes = [...items];
	const note = noteOn(notOpened);
	const pages = outcomes.filter(([, outcome]) => 'result' in outcome).length;
	const part = Math.floor((LONGEST_OUTPUT - CUT_NOTE_LENGTH - note.length) / Math.max(1, pages));
	let rows = 0;
	const fitted = outcomes.map(([index, outcome]): readonly [number, ItemOutcome] => {
		if ('error' in outcome) return [index, outcome];
		const { kept, rest } = fitRecords(outcome.result.records, part);
		rows += rest;
		return [index, { result: { ...outcome.result, records: kept } }];
	});
	const leftOut =
		rows > 0 ? `${plural(rows, 'more row')} left out, because there is no room for them.` : '';
	const notes = sentences(note, leftOut);
	if (notes === '') return fitted;
	const lastIndex = outcomes.at(-1)?.[0] ?? 0;
	return [...fitted, [lastIndex, { result: { records: [{ note: notes }] } }]];
}

import type { IDataObject } from 'n8n-workflow';

import { toDataObject } from '../../../shared/guards';
import { formatNumber, plural, sentences } from '../../../shared/wording';
import type { ItemOutcome, RunOutcome } from '../../run/operation';

/** How many addresses or pages one call of an agent opens at most. */
export const MOST_PAGES_OF_CALL = 20;

/** Characters of JSON that a model can take of all that a call brings. */
const LONGEST_OUTPUT = 20_000;

/** The part of these for the note about what was left out. */
const LONGEST_NOTE = 2000;

/** Length of the note at the end of what was cut. */
const CUT_NOTE_LENGTH = 100;

function lengthInJson(value: unknown): number {
	return (JSON.stringify(value) ?? '').length;
}

/** The beginning of a text of which no more than so many characters of JSON are left, and not half a character. */
function beginningOf(text: string, most: number): string {
	let kept = text.slice(0, Math.max(0, most));
	// Signs that JSON writes as six characters may all stand at the beginning
	for (let length = lengthInJson(kept); length > most && kept !== ''; length = lengthInJson(kept)) {
		kept = kept.slice(0, Math.floor((Math.max(0, most) * kept.length) / length));
	}
	return kept.replace(/[\uD800-\uDBFF]$/, '');
}

/** A value as it is, or the beginning of its text with a note that it goes on. */
function cut(value: unknown, most: number): unknown {
	if (lengthInJson(value) <= most) return value;
	const text = typeof value === 'string' ? value : JSON.stringify(value);
	const kept = beginningOf(text, most - CUT_NOTE_LENGTH);
	return `${kept}\n\n[The page goes on. This is the beginning, ${formatNumber(kept.length)} characters of ${formatNumber(text.length)}.]`;
}

/** The longest field of which nothing is cut, its name included. */
const SHORTEST_CUT = 200;

/** Fields that say what the others belong to, which are kept first. */
const FIRST_FIELDS = new Set(['url', 'pageStatus']);

/**
 * A record no longer than so many characters: its longest fields are cut alike. Of very many, the last ones have no room.
 *
 * @returns the record, and how many of its fields were left out
 */
function cutRecord(record: IDataObject, most: number) {
	if (lengthInJson(record) <= most) return { record, leftOut: 0 };
	const fields = Object.entries(record).map(([name, value]) => {
		const nameLength = lengthInJson(name) + 2;
		return { name, value, nameLength, length: nameLength + lengthInJson(value) };
	});
	const rank = ({ name, length }: (typeof fields)[number]) =>
		FIRST_FIELDS.has(name) ? 0 : Math.max(SHORTEST_CUT, length);
	const kept = new Map<string, unknown>();
	let room = most - 2;
	const shortestFirst = [...fields].sort((a, b) => rank(a) - rank(b));
	for (const [index, { name, value, nameLength, length }] of shortestFirst.entries()) {
		// Of long ones, the shorter leave some of theirs to the others
		const part = length <= SHORTEST_CUT ? room : Math.floor(room / (fields.length - index));
		if (length > part && nameLength + CUT_NOTE_LENGTH > part) continue;
		const used = Math.min(length, part);
		room -= used;
		kept.set(name, cut(value, used - nameLength));
	}
	const shown = fields
		.filter(({ name }) => kept.has(name))
		.map(({ name }) => [name, kept.get(name)]);
	return { record: toDataObject(Object.fromEntries(shown)), leftOut: fields.length - shown.length };
}

/** Rows of one page that have room together, and how many others and how many fields of them there are. */
function fitRecords(records: readonly IDataObject[], most: number) {
	let room = most;
	const whole = records.findIndex((record) => (room -= lengthInJson(record) + 1) < 0);
	const count = whole < 0 || records.length < 2 ? records.length : Math.max(1, whole);
	const kept = records.slice(0, count).map((record) => cutRecord(record, most));
	return {
		kept: kept.map(({ record }) => record),
		rows: records.length - count,
		fields: kept.reduce((sum, { leftOut }) => sum + leftOut, 0),
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
 * @param hints what the pages lack
 */
export function fitForAgent(
	items: RunOutcome['items'],
	notOpened: readonly string[],
	hints: readonly string[],
): RunOutcome['items'] {
	const outcomes = [...items];
	const note = sentences(noteOn(notOpened), beginningOf(hints.join(' '), LONGEST_NOTE));
	const pages = outcomes.filter(([, outcome]) => outcome.kind === 'result').length;
	const part = Math.floor(
		(LONGEST_OUTPUT - CUT_NOTE_LENGTH - lengthInJson(note)) / Math.max(1, pages),
	);
	const leftOut = { rows: 0, fields: 0 };
	const fitted = outcomes.map(([index, outcome]): readonly [number, ItemOutcome] => {
		if (outcome.kind === 'error') return [index, outcome];
		const { kept, rows, fields } = fitRecords(outcome.result.records, part);
		leftOut.rows += rows;
		leftOut.fields += fields;
		return [index, { kind: 'result', result: { ...outcome.result, records: kept } }];
	});
	const { rows, fields } = leftOut;
	const parts = [rows > 0 && plural(rows, 'more row'), fields > 0 && plural(fields, 'field')];
	const what = parts.filter(Boolean).join(' and ');
	const isLeftOut = what === '' ? '' : `${what} left out, because there is no room for them.`;
	const notes = sentences(note, isLeftOut);
	if (notes === '') return fitted;
	const lastIndex = outcomes.at(-1)?.[0] ?? 0;
	return [...fitted, [lastIndex, { kind: 'result', result: { records: [{ note: notes }] } }]];
}

import { isList, isRecord, type UnknownRecord } from '../../../shared/guards';
import { withPauses, type Pause } from './tree';

const INTEGER = /^-?(?:0|[1-9]\d*)$/;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/** n8n can save no more than some thousand, and would lose the whole execution. */
const MOST_JSON_LEVELS = 500;

/** Characters that are scanned in one piece. */
const JSON_PIECE = 500_000;

function isOfNumber(code: number): boolean {
	const isDigit = code >= 0x30 && code <= 0x39;
	// Such as -1.5E+3
	return isDigit || code === 0x2d || code === 0x2e || code === 0x2b || (code | 0x20) === 0x65;
}

/** Whether a value ends here, rather than the key of an object or a word. */
const ENDS_VALUE = /\s{0,1000}(?:[,\]}]|$)/y;

/** JSON before it is parsed. */
interface ScannedJson {
	/** The text with quotes around the integers that JavaScript would change. */
	readonly text: string;
	/** Number of lists and objects within each other, at the deepest place. */
	readonly levels: number;
	/** Number of all lists and objects. */
	readonly parts: number;
}

/** Scans JSON; yields between pieces of work. What it gives for other text means nothing. */
export function* scanJson(text: string): Generator<undefined, ScannedJson> {
	let quoted = '';
	let parts: string[] = [];
	let [written, depth, levels, openings, pauseAt] = [0, 0, 0, 0, JSON_PIECE];
	let isInString = false;
	for (let at = 0; at < text.length; at += 1) {
		if (at >= pauseAt) {
			quoted += parts.join('');
			parts = [];
			yield;
			pauseAt = at + JSON_PIECE;
		}
		const code = text.charCodeAt(at);
		if (code === QUOTE) isInString = !isInString;
		else if (isInString) at += code === BACKSLASH ? 1 : 0;
		else if (code === OPENING_BRACKET || code === OPENING_BRACE) {
			depth += 1;
			openings += 1;
			levels = Math.max(levels, depth);
		} else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) depth -= 1;
		else if (code <= 0x39 && isOfNumber(code)) {
			const start = at;
			while (isOfNumber(text.charCodeAt(at + 1))) at += 1;
			if (at - start < 15) continue;
			const number = text.slice(start, at + 1);
			ENDS_VALUE.lastIndex = at + 1;
			// What is no JSON must not become some by quotes
			if (!INTEGER.test(number) || !ENDS_VALUE.test(text)) continue;
			if (Number.isSafeInteger(Number(number))) continue;
			parts.push(text.slice(written, start), `"${number}"`);
			written = at + 1;
		}
	}
	return { text: `${quoted}${parts.join('')}${text.slice(written)}`, levels, parts: openings };
}

/** White space of JSON. */
const BLANK = /^[ \t\n\r]*$/;

const LEADING_COMMA = /^[ \t\n\r]*,/;

/** Characters of a run of members, which are parsed together. */
const JSON_RUN = 100_000;

/** A list or an object whose end has not come yet. */
interface OpenPart {
	/** The members that were parsed. */
	readonly value: unknown[] | UnknownRecord;
	/** Place of its bracket. */
	readonly openedAt: number;
	/** Place of the last text before it: the name that it has in an object. */
	readonly nameAt: number;
	/** Place behind the members that were parsed. */
	parsedTo: number;
	/** Whether it stands in the value of the part around it. */
	isAttached: boolean;
}

function setMember(value: object, name: PropertyKey, member: unknown): void {
	// An assignment of this name changes what an object inherits
	if (name !== '__proto__') Reflect.set(value, name, member);
	else {
		const own = { value: member, writable: true, enumerable: true, configurable: true };
		Object.defineProperty(value, name, own);
	}
}

/** Adds a run of members. Behind others it is empty, or begins with a comma. */
function parseMembers({ value, openedAt, parsedTo }: OpenPart, run: string): void {
	const isFirst = parsedTo === openedAt + 1;
	if (!isFirst && BLANK.test(run)) return;
	const members = isFirst ? run : run.replace(LEADING_COMMA, '');
	if (BLANK.test(members)) throw new SyntaxError('A value is missing');
	if (!isFirst && members === run) throw new SyntaxError('A comma is missing');
	const parsed: unknown = JSON.parse(isList(value) ? `[${members}]` : `{${members}}`);
	if (isList(value) && isList(parsed)) for (const member of parsed) value.push(member);
	else if (isRecord(parsed)) {
		for (const name of Object.keys(parsed)) setMember(value, name, parsed[name]);
	}
}

/** Parses what stands between the last run and a comma, in each list and object that is open there. */
function parseRun(text: string, open: readonly OpenPart[], comma: number): void {
	for (const [level, part] of open.entries()) {
		if (level + 1 === open.length) {
			parseMembers(part, text.slice(part.parsedTo, comma));
			part.parsedTo = comma;
			return;
		}
		const inner = open[level + 1];
		if (inner.isAttached) continue;
		// A text stands for the part whose end has not come
		parseMembers(part, `${text.slice(part.parsedTo, inner.openedAt)}""`);
		const nameEnd = text.lastIndexOf('"', inner.openedAt) + 1;
		const { value } = part;
		const name = isList(value)
			? value.length - 1
			: String(JSON.parse(text.slice(inner.nameAt, nameEnd)));
		setMember(value, name, inner.value);
		inner.isAttached = true;
	}
}

/**
 * JSON.parse in runs of members, between which it yields.
 *
 * @param runLength characters of a run, which goes on to the next comma
 * @throws SyntaxError for what is no JSON
 */
export function* parseInRuns(text: string, runLength: number): Generator<undefined, unknown> {
	const values: unknown[] = [];
	const root = { value: values, openedAt: -1, nameAt: 0, parsedTo: 0, isAttached: true };
	const open: OpenPart[] = [root];
	let [isInString, nameAt, runStart, pauseAt] = [false, 0, 0, JSON_PIECE];
	for (let at = 0; at < text.length; at += 1) {
		if (at >= pauseAt) {
			yield;
			pauseAt = at + JSON_PIECE;
		}
		const code = text.charCodeAt(at);
		if (code === QUOTE) {
			if (!isInString) nameAt = at;
			isInString = !isInString;
		} else if (isInString) at += code === BACKSLASH ? 1 : 0;
		else if (code === OPENING_BRACKET || code === OPENING_BRACE) {
			const value = code === OPENING_BRACKET ? [] : {};
			open.push({ value, openedAt: at, nameAt, parsedTo: at + 1, isAttached: false });
		} else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) {
			const part = open.pop();
			const outer = open.at(-1);
			if (!part || !outer || isList(part.value) !== (code === CLOSING_BRACKET))
				throw new SyntaxError('A bracket is missing');
			if (!part.isAttached) continue;
			parseMembers(part, text.slice(part.parsedTo, at));
			outer.parsedTo = at + 1;
		} else if (code === COMMA && at - runStart >= runLength) {
			parseRun(text, open, at);
			yield;
			runStart = at;
		}
	}
	parseMembers(root, text.slice(root.parsedTo));
	if (open.length > 1 || values.length > 1) throw new SyntaxError('It has no end');
	return values[0];
}

/**
 * Parses JSON with every digit of its integers.
 *
 * @param mostParts lists and objects at most
 * @throws SyntaxError for what is no JSON, has more parts, or is nested too deeply to be saved
 */
export async function parsePageJson(
	text: string,
	pause: Pause,
	mostParts = Infinity,
): Promise<unknown> {
	const scanned = await withPauses(scanJson(text), pause);
	if (scanned.levels > MOST_JSON_LEVELS) throw new SyntaxError('It is nested too deeply');
	if (scanned.parts > mostParts) throw new SyntaxError('It has too many parts');
	await pause();
	const isShort = scanned.text.length <= 10 * JSON_RUN;
	return isShort
		? JSON.parse(scanned.text)
		: await withPauses(parseInRuns(scanned.text, JSON_RUN), pause);
}

import { withPauses, type Pause } from './tree';

const INTEGER = /^-?(?:0|[1-9]\d*)$/;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
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
	const parts: string[] = [];
	let [written, depth, levels, openings, pauseAt] = [0, 0, 0, 0, JSON_PIECE];
	let isInString = false;
	for (let at = 0; at < text.length; at += 1) {
		if (at >= pauseAt) {
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
	return { text: parts.join('') + text.slice(written), levels, parts: openings };
}

/**
 * Parses JSON with every digit of its integers. Only JSON.parse has no pauses.
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
	return JSON.parse(scanned.text);
}

const [QUOTE, BACKSLASH, SPACE, SLASH, STAR] = [0x22, 0x5c, 0x20, 0x2f, 0x2a];
const [COMMA, OPENING_BRACKET, CLOSING_BRACKET] = [0x2c, 0x5b, 0x5d];
const [OPENING_BRACE, CLOSING_BRACE, LESS, DASH] = [0x7b, 0x7d, 0x3c, 0x2d];

/** Characters that are looked through in one piece. */
const MENDED_PIECE = 50_000;

/** Marks that hide a script from readers that know none, or from those of XML. */
const SCRIPT_MARKS = ['<!--', '-->', '<![CDATA[', ']]>'] as const;

/** Blanks that JSON does not know, such as the mark at the beginning of a file. */
const FOREIGN_BLANKS: ReadonlySet<number> = new Set([0xa0, 0x2028, 0x2029, 0x3000, 0xfeff]);

const BEGINS_MARK: ReadonlySet<number> = new Set([LESS, DASH, CLOSING_BRACKET]);

/** A text of JSON with line ends and tabs as JSON writes them, and blanks for other control characters, which it forbids. */
function withoutControls(part: string): string {
	return part
		.replace(/\r?\n/g, '\\n')
		.replace(/\t/g, '\\t')
		.replace(/\p{Cc}+/gu, ' ');
}

/** The end of what stands in JSON for people only, such as a comment; undefined where no such thing begins. */
function endOfRemark(text: string, at: number): number | undefined {
	const code = text.charCodeAt(at);
	if (FOREIGN_BLANKS.has(code)) return at + 1;
	const next = text.charCodeAt(at + 1);
	if (code === SLASH && (next === STAR || next === SLASH)) {
		const end = next === STAR ? '*/' : '\n';
		const found = text.indexOf(end, at + 2);
		return found < 0 ? text.length : found + end.length;
	}
	const mark = BEGINS_MARK.has(code)
		? SCRIPT_MARKS.find((each) => text.startsWith(each, at))
		: undefined;
	return mark === undefined ? undefined : at + mark.length;
}

/**
 * JSON without what people leave in it: comments, commas before an end, marks of CDATA, a semicolon at the end, and line
 * ends within a text. Yields between pieces of work. What it gives for other text means nothing.
 */
export function* mendJson(text: string): Generator<undefined, string> {
	let mended = '';
	let parts: string[] = [];
	let [written, pauseAt, stringStart] = [0, MENDED_PIECE, 0];
	let [isInString, hasControl, isAfterOpening] = [false, false, true];
	/** Whether a comma waits for what it separates from the value before. */
	let hasComma = false;
	const writeTo = (end: number) => {
		const part = text.slice(written, end);
		if (part !== '') parts.push(hasControl ? withoutControls(part) : part);
		written = end;
		hasControl = false;
	};
	for (let at = 0; at < text.length; at += 1) {
		if (at >= pauseAt) {
			if (hasControl) writeTo(at);
			stringStart = at;
			// A page of commas has millions of parts
			mended += parts.join('');
			parts = [];
			yield;
			pauseAt = at + MENDED_PIECE;
		}
		const code = text.charCodeAt(at);
		if (isInString) {
			if (code === BACKSLASH) at += 1;
			if (code < SPACE && !hasControl) {
				writeTo(stringStart);
				hasControl = true;
			}
			if (code !== QUOTE) continue;
			if (hasControl) writeTo(at);
			isInString = false;
			continue;
		}
		if (code <= SPACE) continue;
		const endOfPart = code === COMMA ? at + 1 : endOfRemark(text, at);
		if (endOfPart !== undefined) {
			writeTo(at);
			written = endOfPart;
			at = endOfPart - 1;
			if (code === COMMA) hasComma = !isAfterOpening;
			continue;
		}
		if (hasComma && code !== CLOSING_BRACKET && code !== CLOSING_BRACE) parts.push(',');
		hasComma = false;
		isAfterOpening = code === OPENING_BRACKET || code === OPENING_BRACE;
		isInString = code === QUOTE;
		stringStart = at;
	}
	writeTo(text.length);
	return `${mended}${parts.join('')}`.replace(/;\s{0,99}$/, '');
}

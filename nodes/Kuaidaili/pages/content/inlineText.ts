/** Soft hyphens and other signs that are not shown, and that split words for whoever searches them. */
const UNSEEN = /[\u00AD\u200B\u2060\uFEFF]+/g;

/**
 * Addresses and names such as `order_id`, which stay as they are, as nothing in them means anything in Markdown; or a sign
 * that would mean something, wherever it stands.
 */
const VERBATIM_OR_MARK =
	/(https?:\/\/[^\s<>|`]+|(?<![A-Za-z0-9])(?:[A-Za-z0-9]+[_&.=?/@:-])+[A-Za-z0-9]+)|[`*[]|~(?=~)|\\(?=[!-/:-@[-`{-~]|$)|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|<(?=[A-Za-z/!?])|&(?=#?\w{1,32};)/g;

/** Brackets in the text of a link that nothing has made harmless, each behind the backslashes before it. */
const BRACKET = /\\*[[\]]/g;

/** Signs that would mean something at the beginning of a line. */
const MARKS_OF_LINE = /^(?:#{1,6}(?= |$)|[>=]|[-+](?= |$)|-(?=-+$)|\d{1,9}(?=[.)](?: |$)))/;

function escaped(text: string): string {
	return text.replace(VERBATIM_OR_MARK, (found, verbatim?: string) =>
		verbatim === undefined ? `\\${found}` : found,
	);
}

/** Text of a page that becomes the text of a link or a picture, where a bracket would end it. */
function escapedInLink(text: string): string {
	return escaped(text).replace(BRACKET, (found) =>
		found.length % 2 === 0 ? found : `${found.slice(0, -1)}\\${found.at(-1)}`,
	);
}

function escapedLine(line: string): string {
	return line.replace(MARKS_OF_LINE, (mark) => (/^\d/.test(mark) ? `${mark}\\` : `\\${mark}`));
}

/** Characters of a text that are written in one piece. */
const TEXT_PART = 8000;

/** Lines of a paragraph that are escaped in one piece. */
const LINES_AT_ONCE = 5000;

/** Parts of a text that become one. */
export const PARTS_AT_ONCE = 4000;

const BACKTICK = 0x60;

/** So many backticks that none of the text ends what stands between them. */
function fenceFor(text: string, fewest: number): string {
	let longest = fewest - 1;
	let run = 0;
	for (let at = text.indexOf('`'); at >= 0 && at < text.length; at += 1) {
		run = text.charCodeAt(at) === BACKTICK ? run + 1 : 0;
		if (run > longest) longest = run;
	}
	return '`'.repeat(longest + 1);
}

/** A block of code, whatever signs are in it. */
export function codeBlock(code: string, language: string): string {
	const fence = fenceFor(code, 3);
	return `${fence}${language}\n${code.replace(/^\n/, '').trimEnd()}\n${fence}`;
}

/** Code within a line. */
export function codeSpan(code: string): string {
	const fence = fenceFor(code, 1);
	return code.startsWith('`') || code.endsWith('`')
		? `${fence} ${code} ${fence}`
		: `${fence}${code}${fence}`;
}

const LETTER = /\p{L}/u;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** Markdown within which, or beside which, marks of emphasis may mean something else. */
const NO_EMPHASIS = /[`*~\n]|\]\(|:\/\//;

/**
 * A text with letters between marks of emphasis; a number, such as a price, has none. Beside a sign, a mark may be none (CommonMark 0.31, 6.2), so
 * signs at its ends stay outside.
 */
function emphasized(text: string, mark: string): string {
	if (NO_EMPHASIS.test(text) || !LETTER.test(text)) return text;
	const signs = [...text];
	const first = signs.findIndex((sign) => LETTER_OR_DIGIT.test(sign));
	const last = [...signs].reverse().findIndex((sign) => LETTER_OR_DIGIT.test(sign));
	const behind = signs.length - last;
	const part = (start: number, end?: number) => signs.slice(start, end).join('');
	return `${part(0, first)}${mark}${part(first, behind)}${mark}${part(behind)}`;
}

function encodedAddress(sign: string): string {
	return `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

/**
 * A link whose text is Markdown already. Nothing in an address is escaped: a model that follows it takes it as it is.
 */
export function markdownLink(text: string, url: string): string {
	return `[${text}](${url.replace(/[\s()<>\\|]/g, encodedAddress)})`;
}

/** Text, links, pictures, and line breaks as one paragraph, with white space as a browser shows it. */
export class InlineText {
	/** Whether white space came before everything else. */
	startsApart = false;

	/** Whether white space comes behind everything else. */
	endsApart = false;

	/** The last parts; never empty once there was one. */
	private readonly parts: string[] = [];

	/** All before them, a few thousand in one: a million at the end would be put together in one piece. */
	private readonly written: string[] = [];

	private waitingBreaks = 0;

	/**
	 * @param isOneLine whether line breaks are blanks
	 * @param isInLink whether it is, or stands in, the text of a link
	 * @param isCell whether it is a cell of a table, which a vertical line would end
	 */
	constructor(
		readonly isOneLine: boolean,
		readonly isInLink = false,
		private readonly isCell = false,
	) {}

	get isEmpty(): boolean {
		return this.parts.length === 0;
	}

	/** Adds text of the page with its line breaks; yields between pieces of work. */
	*addLines(text: string): Generator<undefined, void> {
		let start = 0;
		for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
			yield* this.addText(text.slice(start, end));
			this.addBreak();
			start = end + 1;
		}
		yield* this.addText(text.slice(start));
	}

	/** Adds text of the page; yields between pieces of work. */
	*addText(text: string): Generator<undefined, void> {
		for (let start = 0; start < text.length; start += TEXT_PART) {
			if (start > 0) yield;
			const part = text.slice(start, start + TEXT_PART).replace(UNSEEN, '');
			const words = part.replace(/\s+/g, ' ');
			if (words.startsWith(' ')) this.addSpace();
			const trimmed = words.trim();
			if (trimmed !== '')
				this.addMarkdown(this.isInLink ? escapedInLink(trimmed) : escaped(trimmed));
			if (words.length > 1 && words.endsWith(' ')) this.addSpace();
		}
	}

	addSpace(): void {
		if (this.isEmpty) this.startsApart = true;
		this.endsApart = true;
	}

	addBreak(): void {
		if (this.isOneLine) this.addSpace();
		else if (!this.isEmpty) this.waitingBreaks = Math.min(this.waitingBreaks + 1, 2);
	}

	/** Adds what is Markdown already. */
	addMarkdown(markdown: string): void {
		if (markdown === '') return;
		const isNext = this.waitingBreaks === 0 && !this.endsApart;
		const last = this.parts.at(-1);
		// Or it would be a picture
		if (isNext && markdown.startsWith('[') && last?.endsWith('!') === true) {
			this.parts[this.parts.length - 1] = `${last.slice(0, -1)}\\!`;
		}
		if (this.waitingBreaks > 0) this.parts.push('\n'.repeat(this.waitingBreaks));
		else if (this.endsApart && !this.isEmpty) this.parts.push(' ');
		this.waitingBreaks = 0;
		this.endsApart = false;
		// Replacing each of a million signs takes five times as long
		if (this.parts.length >= PARTS_AT_ONCE) this.written.push(this.parts.splice(0).join(''));
		this.parts.push(this.isCell ? markdown.split('|').join('\\|') : markdown);
	}

	/** Adds the text of an element between two marks, with its white space around them. */
	addMarked(inner: InlineText, mark: (markdown: string) => string): void {
		if (inner.startsApart) this.addSpace();
		const markdown = inner.toString();
		if (markdown !== '') this.addMarkdown(mark(markdown));
		if (inner.endsApart) this.addSpace();
	}

	/** Adds the text of an element with emphasis: `*` or `**`. */
	addEmphasized(inner: InlineText, mark: '*' | '**'): void {
		// Two marks behind each other would be another one
		const isBehindMark = !this.endsApart && this.parts.at(-1)?.endsWith('*') === true;
		this.addMarked(inner, (text) => (isBehindMark ? text : emphasized(text, mark)));
	}

	toString(): string {
		return [...this.written, ...this.parts].join('');
	}

	/**
	 * The text as a paragraph of its own: no line is taken for a heading, a list, or a quote. Yields between pieces of
	 * work.
	 */
	*toParagraph(): Generator<undefined, string> {
		const lines = this.toString().split('\n');
		const parts: string[] = [];
		for (let start = 0; start < lines.length; start += LINES_AT_ONCE) {
			if (start > 0) yield;
			const some = lines.slice(start, start + LINES_AT_ONCE);
			parts.push(some.map(escapedLine).join('\n'));
		}
		return parts.join('\n');
	}
}

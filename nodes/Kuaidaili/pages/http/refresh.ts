import { markupParser, type MarkupEvents } from '../../../shared/bundled/xmlTree';
import type { HttpAnswer } from './httpAnswer';

/** Pages that wait longer before they go on are to be read. */
const MOST_SECONDS = 5;

/** A refresh further down on a page is not looked for. In bytes. */
const SCANNED_BYTES = 100_000;

/** A page as short as this holds nothing but links, so its `noscript` counts: Baidu's link pages go on there. In bytes. */
const LINK_PAGE_BYTES = 4096;

/** Bytes that are parsed in one piece. */
const REFRESH_PART_BYTES = 16_384;

/** The parser's time grows with how deeply elements are nested; a refresh is hardly nested at all. */
const MOST_SCANNED_LEVELS = 500;

/** The most characters that are read of a value. */
const LONGEST_VALUE = 1000;

/** Elements whose content is no part of the page. That of scripts and the like is no markup for the parser. */
const HIDING: ReadonlySet<string> = new Set(['noscript', 'template']);

/** The address to which Akamai's challenge goes on: whoever has not solved it finds another one there, without an end. */
const OF_CHALLENGE = /[?&]bm-verify=/;

const REFRESHING_TYPE = /^\s*(?:(?:text\/html|application\/xhtml\+xml)\s*)?(?:;|$)/i;

/**
 * The address in a value such as `5; url=/next`, as HTML reads it; undefined where that has none, or waits too long.
 */
function refreshAddress(value: string): string | undefined {
	const text = value.slice(0, LONGEST_VALUE).trim();
	const [time = ''] = /^\d{1,6}(?:\.\d{0,6})?|^\.\d{1,6}/.exec(text) ?? [];
	if (time === '' || Math.floor(Number(time)) > MOST_SECONDS) return undefined;
	const behind = text.slice(time.length).trimStart().replace(/^[;,]/, '').trimStart();
	const address = behind.replace(/^url\s*=\s*/i, '');
	const quote = /^["']/.exec(address)?.[0];
	const plain = quote === undefined ? address : address.slice(1).split(quote, 1)[0];
	return OF_CHALLENGE.test(plain) ? undefined : plain.trim() || undefined;
}

/** Finder of the first `<meta http-equiv="refresh">` of a page, and of the first `<base>`. */
class RefreshFinder implements MarkupEvents {
	value?: string;

	base?: string;

	/** Number of open elements. */
	levels = 0;

	/** The open element that hides what stands in it. */
	private hiding?: string;

	constructor(private readonly isLinkPage: boolean) {}

	onopentag(
		name: string,
		{ 'http-equiv': kind = '', content, href }: Readonly<Record<string, string>>,
	): void {
		this.levels += 1;
		const isHiding = HIDING.has(name) && !(this.isLinkPage && name === 'noscript');
		if (isHiding) this.hiding ??= name;
		if (this.hiding !== undefined) return;
		if (name === 'base') this.base ??= href;
		if (name === 'meta' && kind.trim().toLowerCase() === 'refresh') this.value ??= content;
	}

	onclosetag(name: string): void {
		this.levels -= 1;
		if (name === this.hiding) this.hiding = undefined;
	}
}

function findRefresh(body: Buffer): Pick<RefreshFinder, 'value' | 'base'> {
	const html = body.toString('latin1', 0, SCANNED_BYTES);
	if (!/refresh/i.test(html)) return {};
	const finder = new RefreshFinder(body.length <= LINK_PAGE_BYTES);
	const parser = markupParser(finder, false);
	let at = 0;
	while (at < html.length && finder.value === undefined && finder.levels < MOST_SCANNED_LEVELS) {
		parser.write(html.slice(at, at + REFRESH_PART_BYTES));
		at += REFRESH_PART_BYTES;
	}
	return finder;
}

/**
 * The address to which a page goes on by itself within five seconds, and the one that it is relative to, both as they are
 * written.
 *
 * @returns undefined for none; without a base where it is relative to the address of the page
 */
export function refreshIn({
	status,
	headers,
	body,
}: HttpAnswer): { readonly address: string; readonly base?: string } | undefined {
	if (status >= 300) return undefined;
	const { refresh, 'content-type': type = '' } = headers;
	const isHtml = typeof type === 'string' && REFRESHING_TYPE.test(type.slice(0, LONGEST_VALUE));
	const inPage = typeof refresh === 'string' || !isHtml ? undefined : findRefresh(body);
	const value = typeof refresh === 'string' ? refresh : inPage?.value;
	const address = value === undefined ? undefined : refreshAddress(value);
	return address === undefined ? undefined : { address, base: inPage?.base };
}

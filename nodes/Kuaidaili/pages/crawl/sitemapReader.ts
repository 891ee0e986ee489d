import { xmlText } from '../../../shared/bundled/xmlTree';
import { LONGEST_FOLLOWED_URL } from './addresses';

/** Number of addresses in one sitemap at most (sitemaps.org). */
export const MOST_SITEMAP_ENTRIES = 50_000;

/** Longest part of a tag that is read; a longer one is text. */
const LONGEST_TAG = 10_000;

/** Beginnings of what is no text, and where they end. */
const SECTIONS = [
	['<!--', '-->'],
	['<![CDATA[', ']]>'],
	['<?', '?>'],
	['<!', '>'],
] as const;

const LONGEST_BEGINNING = 9;

const TAG = /^<(\/?)([\w-]+:)?([\w.-]+)/;

const SITEMAP_ROOT = /<(?:[\w-]+:)?(urlset|sitemapindex|rss|rdf|feed)[\s/>]/i;

/** Whether a text has the root of a sitemap or of a feed. */
export function hasSitemapRoot(text: string): boolean {
	return SITEMAP_ROOT.test(text);
}

/**
 * Address of a page as it is requested; undefined for what is none.
 *
 * @param base address of the sitemap, to which the address may be relative; empty where it has to be absolute
 */
function pageAddress(text: string, base: string): string | undefined {
	const entered = text.trim();
	const isRelative = base !== '' && /^[/?]/.test(entered);
	const isAddress = isRelative || /^https?:\/\//i.test(entered);
	if (!isAddress || entered.length > LONGEST_FOLLOWED_URL) return undefined;
	return URL.canParse(entered, base || undefined)
		? new URL(entered, base || undefined).href
		: undefined;
}

/**
 * Reads a list with an address in each line, perhaps with other columns behind it. It comes in parts, the ends of which
 * may stand anywhere.
 */
export class ListReader {
	readonly isIndex = false;

	readonly urls: string[] = [];

	private rest = '';

	/** @param isLast whether no other part follows */
	read(part: string, isLast: boolean): void {
		const lines = (this.rest + part).split(/[\r\n]+/);
		this.rest = isLast ? '' : (lines.pop() ?? '').slice(0, LONGEST_TAG);
		for (const line of lines) {
			const [first] = line.trim().split(/[\t ]/, 1);
			const url = pageAddress(first, '');
			if (url !== undefined && this.urls.length < MOST_SITEMAP_ENTRIES) this.urls.push(url);
		}
	}
}

/**
 * Reads a sitemap or a feed in XML (sitemaps.org, RSS, Atom). Not by the XML parser: that would make a tree of 50,000
 * entries before it gives the first address. The parts of the text may end anywhere.
 */
export class XmlSitemapReader {
	readonly urls: string[] = [];

	isIndex = false;

	private rest = '';

	/** End of the section in which a part has ended; undefined outside of sections. */
	private sectionEnd?: string;

	/** Index of the next `>` in the text that is read; Infinity where there is none. */
	private nextTagEnd = -1;

	/** Text of the address that is being read; undefined outside of one. */
	private address?: string;

	/** Name of the root in lower case, once there was one. */
	private root?: string;

	/** Prefixes of elements that belong to the sitemap, rather than to an extension such as `image:`. */
	private readonly prefixes = new Set<string>();

	/** Whether the last entry of a feed is not closed yet. */
	private isInEntry = false;

	/** Whether the address that is being read is the permanent one of an entry of RSS, which counts where there is no link. */
	private isPermanent = false;

	/** Permanent address of the entry, until it has a link. */
	private permanent?: string;

	/** Addresses that the entry has given. */
	private linksOfEntry = 0;

	/** @param base address of the sitemap, to which the addresses in it may be relative */
	constructor(private readonly base: string) {}

	/** @param isLast whether no other part follows */
	read(part: string, isLast: boolean): void {
		const text = this.rest + part;
		this.nextTagEnd = -1;
		let at = 0;
		while (at < text.length && this.urls.length < MOST_SITEMAP_ENTRIES) {
			const end =
				this.sectionEnd === undefined ? this.readOutside(text, at, isLast) : this.skip(text, at);
			if (end === undefined) break;
			at = end;
		}
		this.rest = isLast ? '' : text.slice(at);
	}

	/** @returns where to go on; undefined where more is needed */
	private skip(text: string, at: number): number | undefined {
		const end = this.sectionEnd ?? '';
		const found = text.indexOf(end, at);
		const until = found < 0 ? Math.max(at, text.length - end.length) : found;
		if (end === ']]>') this.add(text.slice(at, until));
		if (found < 0) return until > at ? until : undefined;
		this.sectionEnd = undefined;
		return found + end.length;
	}

	private readOutside(text: string, at: number, isLast: boolean): number | undefined {
		const start = text.indexOf('<', at);
		const textEnd = start < 0 ? text.length : start;
		if (textEnd > at) {
			// A reference may go on in the next part
			if (
				start < 0 &&
				!isLast &&
				this.address !== undefined &&
				text.length - at < LONGEST_FOLLOWED_URL
			) {
				return undefined;
			}
			this.add(withReferences(text.slice(at, Math.min(textEnd, at + LONGEST_TAG))));
			return textEnd;
		}
		if (text.length - start < LONGEST_BEGINNING && !isLast) return undefined;
		const section = SECTIONS.find(([beginning]) => text.startsWith(beginning, start));
		if (section !== undefined) {
			const [beginning, end] = section;
			this.sectionEnd = end;
			return start + beginning.length;
		}
		const end = this.tagEnd(text, start);
		if (end < 0 && !isLast && text.length - start < LONGEST_TAG) return undefined;
		if (end < 0 || end - start > LONGEST_TAG) return start + 1;
		this.readTag(text.slice(start, end + 1));
		return end + 1;
	}

	/**
	 * The index of the next `>`, looked for once in each text: of many tags without an end, each would look through all
	 * of it.
	 */
	private tagEnd(text: string, start: number): number {
		if (this.nextTagEnd < start) {
			const found = text.indexOf('>', start);
			this.nextTagEnd = found < 0 ? Infinity : found;
		}
		return this.nextTagEnd === Infinity ? -1 : this.nextTagEnd;
	}

	private add(text: string): void {
		if (this.address !== undefined && this.address.length <= LONGEST_FOLLOWED_URL)
			this.address += text;
	}

	private readTag(tag: string): void {
		const [, slash, prefix = '', localName = ''] = TAG.exec(tag) ?? [];
		const name = localName.toLowerCase();
		if (slash === '/') return this.close(name);
		this.finishAddress();
		if (this.root === undefined) {
			if (!SITEMAP_ROOT.test(tag)) return;
			this.root = name;
			this.isIndex = name === 'sitemapindex';
			this.prefixes.add(name === 'rdf' ? '' : prefix);
			for (const [, declared] of tag.matchAll(SITEMAP_PREFIX)) this.prefixes.add(`${declared}:`);
			return;
		}
		if (!this.prefixes.has(prefix) || tag.endsWith('/>')) {
			if (name === 'link' && this.isInEntry && this.prefixes.has(prefix)) this.readLink(tag);
			return;
		}
		if (name === 'item' || name === 'entry') {
			this.isInEntry = true;
			this.permanent = undefined;
			this.linksOfEntry = 0;
		}
		this.isPermanent =
			this.root === 'rss' &&
			name === 'guid' &&
			this.isInEntry &&
			!/^false$/i.test(tagAttribute(tag, 'isPermaLink') ?? '');
		if (this.isPermanent) {
			this.address = '';
			return;
		}
		const isAddress = this.isFeed ? name === 'link' && this.isInEntry : name === 'loc';
		if (!isAddress) return;
		if (this.root === 'feed') this.readLink(tag);
		else this.address = '';
	}

	private get isFeed(): boolean {
		return this.root === 'rss' || this.root === 'rdf' || this.root === 'feed';
	}

	/** Reads the link of an entry of Atom, unless it leads to something else than the page. */
	private readLink(tag: string): void {
		if (this.root !== 'feed') return;
		const rel = tagAttribute(tag, 'rel');
		if (rel === undefined || rel === 'alternate')
			this.push(withReferences(tagAttribute(tag, 'href') ?? ''));
	}

	private close(name: string): void {
		this.finishAddress();
		if (name !== 'item' && name !== 'entry') return;
		this.isInEntry = false;
		if (this.linksOfEntry === 0 && this.permanent !== undefined) this.push(this.permanent);
	}

	private finishAddress(): void {
		const { address } = this;
		this.address = undefined;
		if (address === undefined) return;
		if (this.isPermanent) {
			if (/^\s*https?:/i.test(address)) this.permanent = address;
		} else this.push(address);
		this.isPermanent = false;
	}

	private push(text: string): void {
		const url = pageAddress(text, this.base);
		if (url === undefined) return;
		this.urls.push(url);
		this.linksOfEntry += 1;
	}
}

/** Prefixes that a root declares for elements of sitemaps, and not for those of images or news. */
const SITEMAP_PREFIX =
	/\sxmlns:([\w-]{1,100})\s{0,100}=\s{0,100}["'][^"'>]{1,200}\/sitemap\/[\d.]{1,10}["']/gi;

/** Text with its references resolved. */
function withReferences(text: string): string {
	return text.includes('&') && text.includes(';') ? xmlText(text) : text;
}

function tagAttribute(tag: string, name: string): string | undefined {
	const attribute = new RegExp(`\\s${name}\\s{0,100}=\\s{0,100}(?:"([^"]*)"|'([^']*)')`, 'i');
	const [, double, single] = attribute.exec(tag) ?? [];
	return double ?? single;
}

import { eventLoopYielder } from '../../../shared/api/wait';
import { gunzip } from '../../../shared/bundled/gunzip';
import { markupParser, type MarkupEvents } from '../../../shared/bundled/xmlTree';
import { decodePage } from '../content/encoding';
import { LONGEST_FOLLOWED_URL } from './addresses';

/** Size of an unpacked sitemap at most (sitemaps.org); what is behind that is not read. */
const MOST_BYTES = 50_000_000;

/** Number of addresses in one sitemap at most (sitemaps.org). */
const MOST_ENTRIES = 50_000;

/** Number of sitemaps that are read for one start: each costs a request through a proxy. */
const MOST_SITEMAPS = 50;

/** An index leads to sitemaps, and some sites have an index of indexes. */
const MOST_LEVELS = 3;

/** Bytes that are decoded and read in one piece. */
const SITEMAP_PART_BYTES = 16_384;

/** Bytes in which XML says its encoding. */
const LONGEST_XML_DECLARATION = 200;

/** Packed bytes that are unpacked in one piece, and become a thousand times as many at most. */
const PACKED_PART_BYTES = 4096;

/** No sitemap is nested as deeply, and the parser's time grows with that. */
const MOST_SITEMAP_LEVELS = 50;

/** Addresses that a site lists itself. */
export interface Sitemap {
	/** Whether the addresses are those of other sitemaps. */
	readonly isIndex: boolean;
	/** Absolute addresses in their order, 50,000 at most. */
	readonly urls: readonly string[];
}

/**
 * Address of a page as it is requested; undefined for what is none.
 *
 * @param base address of the sitemap, to which the address may be relative; empty where it has to be absolute
 * @param isReference whether it is relative whatever it begins with
 */
function pageAddress(text: string, base: string, isReference = false): string | undefined {
	const entered = text.trim();
	const isRelative = base !== '' && (isReference ? /^[^\s:]+$/ : /^[/?]/).test(entered);
	const isAddress = isRelative || /^https?:\/\//i.test(entered);
	if (!isAddress || entered.length > LONGEST_FOLLOWED_URL) return undefined;
	return URL.canParse(entered, base || undefined)
		? new URL(entered, base || undefined).href
		: undefined;
}

/** Elements with the address of a page or of a sitemap in a `loc`: that of an image has another parent. */
const PARENTS_OF_LOC = new Set(['url', 'sitemap', 'urlset', 'sitemapindex']);

/** Entries of feeds, which have it in a `link`. */
const FEED_ENTRIES = new Set(['item', 'entry']);

/** Reader of XML in parts, the ends of which may stand anywhere: sitemaps.org, RSS, and Atom, whatever their prefixes. */
class XmlSitemap implements Sitemap, MarkupEvents {
	readonly urls: string[] = [];

	isIndex = false;

	private readonly parser = markupParser(this, true);

	/** Names of the open elements, without prefixes and in lower case. */
	private readonly open: string[] = [];

	/** The address that those in each open element are relative to, where the document names one. */
	private readonly bases: Array<string | undefined> = [];

	/** Text since the last tag. */
	private text = '';

	/** Attributes of the last tag by their names in lower case, as far as they matter. */
	private attributes: { href?: string; rel?: string; ispermalink?: string } = {};

	/** Permanent address of an entry of RSS, which counts where the entry has no link. */
	private permanent = '';

	private hasLink = false;

	/** @param base address of the sitemap, to which the addresses in it may be relative */
	constructor(private readonly base: string) {}

	/** Whether nothing else is read. */
	get isDone(): boolean {
		return this.urls.length >= MOST_ENTRIES || this.open.length > MOST_SITEMAP_LEVELS;
	}

	read(part: string): void {
		this.parser.write(part);
	}

	onopentagname(name: string): void {
		const element = name.slice(name.indexOf(':') + 1).toLowerCase();
		this.open.push(element);
		this.bases.push(this.bases.at(-1));
		this.text = '';
		this.attributes = {};
		if (element === 'sitemapindex') this.isIndex = true;
		if (!FEED_ENTRIES.has(element)) return;
		this.permanent = '';
		this.hasLink = false;
	}

	onattribute(name: string, value: string): void {
		const key = name.toLowerCase();
		if (key === 'href' || key === 'rel' || key === 'ispermalink') this.attributes[key] ??= value;
		if (key !== 'xml:base') return;
		const around = this.bases.at(-2) ?? this.base;
		const base = pageAddress(value, around, true);
		if (base !== undefined) this.bases[this.bases.length - 1] = base;
	}

	ontext(part: string): void {
		if (this.text.length <= LONGEST_FOLLOWED_URL) this.text += part;
	}

	onclosetag(): void {
		const element = this.open.pop() ?? '';
		const base = this.bases.pop();
		const parent = this.open.at(-1) ?? '';
		const { text, attributes } = this;
		this.text = '';
		if (element === 'loc' && PARENTS_OF_LOC.has(parent)) {
			this.add(text, base, base !== undefined);
		}
		if (FEED_ENTRIES.has(parent)) this.readPartOfEntry(element, text, base, attributes);
		if (FEED_ENTRIES.has(element) && !this.hasLink) this.add(this.permanent);
	}

	private readPartOfEntry(
		element: string,
		text: string,
		base: string | undefined,
		{ href, rel = 'alternate', ispermalink = '' }: XmlSitemap['attributes'],
	): void {
		if (element === 'link' && rel === 'alternate') {
			const isReference = href !== undefined || base !== undefined;
			const isAdded = this.add(href ?? text, base, isReference);
			this.hasLink = isAdded || this.hasLink;
		}
		const isPermanent = element === 'guid' && !/^false$/i.test(ispermalink);
		if (isPermanent && /^\s*https?:/i.test(text)) this.permanent = text;
	}

	private add(text: string, base?: string, isReference = false): boolean {
		const url = pageAddress(text, base ?? this.base, isReference);
		if (url === undefined || this.urls.length >= MOST_ENTRIES) return false;
		this.urls.push(url);
		return true;
	}
}

/** Reader of a list in parts, with an address in each line, perhaps with other columns behind it. */
class ListedSitemap implements Sitemap {
	readonly urls: string[] = [];

	readonly isIndex = false;

	private rest = '';

	get isDone(): boolean {
		return this.urls.length >= MOST_ENTRIES;
	}

	read(part: string): void {
		const lines = (this.rest + part).split(/[\r\n]+/);
		this.rest = (lines.pop() ?? '').slice(0, LONGEST_FOLLOWED_URL + 1);
		for (const line of lines) {
			const [first] = line.trim().split(/[\t ]/, 1);
			const url = pageAddress(first, '');
			if (url !== undefined && !this.isDone) this.urls.push(url);
		}
	}
}

const SITEMAP_ROOT = /<(?:[\w-]+:)?(?:urlset|sitemapindex|rss|rdf|feed)[\s/>]/i;

/** @param beginning of the sitemap, which has its root */
function readerFor(beginning: string, url: string): XmlSitemap | ListedSitemap {
	if (SITEMAP_ROOT.test(beginning)) return new XmlSitemap(url);
	if (!beginning.trimStart().startsWith('<')) return new ListedSitemap();
	throw new Error('it has neither a urlset nor a sitemapindex, and is no feed');
}

/** The text of a sitemap in parts, as far as it can be unpacked and may be read. */
function* textParts(bytes: Uint8Array, contentType: string): Generator<string> {
	const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
	let decoder: InstanceType<typeof TextDecoder> | undefined;
	let beginning = new Uint8Array();
	let length = 0;
	for (const unpacked of isPacked ? gunzip(bytes, PACKED_PART_BYTES) : [bytes]) {
		for (let at = 0; at < unpacked.length && length <= MOST_BYTES; at += SITEMAP_PART_BYTES) {
			const part = unpacked.subarray(at, at + SITEMAP_PART_BYTES);
			length += part.length;
			// As long as all is ASCII, what it says of its encoding may be wrong
			if (decoder === undefined && part.some((byte) => byte === 0 || byte > 0x7f)) {
				const sample = Buffer.concat([beginning, part]);
				decoder = new TextDecoder(decodePage(sample, contentType).encoding);
			}
			if (beginning.length === 0) beginning = part.slice(0, LONGEST_XML_DECLARATION);
			yield decoder?.decode(part, { stream: true }) ?? Buffer.from(part).toString('latin1');
		}
		if (length > MOST_BYTES) return;
	}
}

/**
 * Reads a sitemap: XML, a feed, or a list of addresses, plain or packed by gzip (sitemaps.org/protocol.html). One that is
 * cut off gives the addresses that came.
 *
 * @param contentType header of the answer; empty where there is none
 * @param url address of the sitemap, to which those in it may be relative; empty where they have to be absolute
 * @throws Error for what is no sitemap; its message continues a sentence
 */
export async function readSitemap(bytes: Uint8Array, contentType = '', url = ''): Promise<Sitemap> {
	const pause = eventLoopYielder();
	let reader: XmlSitemap | ListedSitemap = new ListedSitemap();
	let isFirst = true;
	for (const part of textParts(bytes, contentType)) {
		if (isFirst) reader = readerFor(part, url);
		isFirst = false;
		reader.read(part);
		if (reader.isDone) break;
		await pause();
	}
	// Ends the last line of a list
	reader.read('\n');
	const { isIndex, urls } = reader;
	if (urls.length === 0 && reader instanceof ListedSitemap) throw new Error('it has no addresses');
	return { isIndex, urls };
}

/**
 * Reads sitemaps one after the other, and those that they list.
 *
 * @param read gets the sitemap at an address; undefined where that cannot be read, and so leads nowhere
 * @param addPages takes the pages of a sitemap, and tells whether more are wanted
 * @returns how many were not read, because there are too many
 */
export async function readSitemaps(
	starts: readonly string[],
	read: (url: string) => Promise<Sitemap | undefined>,
	addPages: (urls: readonly string[], sitemap: string) => Promise<boolean>,
): Promise<number> {
	/** Sitemaps to read, each with how many indexes lead to it, itself included. */
	const waiting = starts.map((url) => ({ url, level: 1 }));
	const seen = new Set(starts);
	for (let count = 0; waiting.length > 0 && count < MOST_SITEMAPS; count += 1) {
		const [{ url, level }] = waiting.splice(0, 1);
		const { isIndex = true, urls = [] } = (await read(url)) ?? {};
		if (!isIndex && !(await addPages(urls, url))) return 0;
		if (!isIndex || level === MOST_LEVELS) continue;
		for (const listed of urls) {
			if (!seen.has(listed)) waiting.push({ url: listed, level: level + 1 });
			seen.add(listed);
		}
	}
	return waiting.length;
}

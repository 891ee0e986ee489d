import { eventLoopYielder } from '../../../shared/api/wait';
import { gunzip } from './gunzip';
import {
	hasSitemapRoot,
	ListReader,
	MOST_SITEMAP_ENTRIES,
	XmlSitemapReader,
} from './sitemapReader';

/** Size of an unpacked sitemap at most (sitemaps.org); what is behind that is not read. */
const MOST_BYTES = 50_000_000;

/** Number of sitemaps that are read for one start: each costs a request through a proxy. */
const MOST_SITEMAPS = 50;

/** An index leads to sitemaps, and some sites have an index of indexes. */
const MOST_LEVELS = 3;

/** Bytes that are decoded and read in one piece. */
const SITEMAP_PART_BYTES = 65_536;

/** Addresses that a site lists itself. */
export interface Sitemap {
	/** Whether the addresses are those of other sitemaps. */
	readonly isIndex: boolean;
	/** Absolute addresses in their order, 50,000 at most. */
	readonly urls: readonly string[];
}

const FIRST_BYTES: ReadonlyArray<readonly [encoding: string, bytes: readonly number[]]> = [
	['utf-8', [0xef, 0xbb, 0xbf]],
	['utf-16le', [0xff, 0xfe]],
	['utf-16be', [0xfe, 0xff]],
	['utf-16le', [0x3c, 0x00]],
	['utf-16be', [0x00, 0x3c]],
];

function decoderOf(label: string | undefined) {
	try {
		return label === undefined ? undefined : new TextDecoder(label);
	} catch {
		return undefined;
	}
}

function isUtf8Sitemap(bytes: Uint8Array): boolean {
	try {
		// A character may be cut at the end
		new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
		return true;
	} catch {
		return false;
	}
}

/**
 * Decoder of a sitemap: by its first bytes, its declaration, or its header, or else of UTF-8, or of GB18030 where it is no
 * UTF-8.
 */
function decoderFor(head: Uint8Array, contentType: string) {
	const mark = FIRST_BYTES.find(([, bytes]) => bytes.every((byte, at) => head[at] === byte));
	if (mark !== undefined) return new TextDecoder(mark[0]);
	const beginning = Buffer.from(head.subarray(0, 1000)).toString('latin1');
	const [, inFile] =
		/<\?xml[^>]{0,200}?encoding\s{0,20}=\s{0,20}["']([\w:-]{1,40})/i.exec(beginning) ?? [];
	const [, inHeader] =
		/charset\s{0,20}=\s{0,20}["']?([\w:-]{1,40})/i.exec(contentType.slice(0, 500)) ?? [];
	const isAscii = head.every((byte) => byte < 0x80);
	const isSound = isUtf8Sitemap(head);
	if (isSound && !isAscii) return new TextDecoder();
	const declared = [inFile, inHeader].map(decoderOf).find((decoder) => decoder !== undefined);
	const isDenied = !isSound && declared?.encoding === 'utf-8';
	return (isDenied ? undefined : declared) ?? new TextDecoder(isSound ? 'utf-8' : 'gb18030');
}

async function unpackedParts(bytes: Uint8Array<ArrayBuffer>): Promise<readonly Uint8Array[]> {
	const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
	const all = isPacked ? Buffer.concat(await gunzip(bytes, MOST_BYTES)) : bytes;
	return Array.from({ length: Math.ceil(all.length / SITEMAP_PART_BYTES) }, (_part, index) =>
		all.subarray(index * SITEMAP_PART_BYTES, (index + 1) * SITEMAP_PART_BYTES),
	);
}

function readerFor(beginning: string, url: string): ListReader | XmlSitemapReader {
	if (hasSitemapRoot(beginning)) return new XmlSitemapReader(url);
	if (beginning.trimStart().startsWith('<')) {
		throw new Error('it has neither a urlset nor a sitemapindex, and is no feed');
	}
	return new ListReader();
}

/**
 * Reads a sitemap: XML, a feed, or a list of addresses, plain or packed by gzip (sitemaps.org/protocol.html). One that is
 * cut off gives the addresses that came.
 *
 * @param contentType header of the answer; empty where there is none
 * @param url address of the sitemap, to which those in it may be relative; empty where they have to be absolute
 * @throws Error for what is no sitemap; its message continues a sentence
 */
export async function readSitemap(
	bytes: Uint8Array<ArrayBuffer>,
	contentType = '',
	url = '',
): Promise<Sitemap> {
	const pause = eventLoopYielder();
	const parts = await unpackedParts(bytes);
	const head = parts[0] ?? new Uint8Array();
	const decoder = decoderFor(head, contentType);
	const reader = readerFor(new TextDecoder(decoder.encoding).decode(head, { stream: true }), url);
	for (const [index, part] of parts.entries()) {
		const isLast = index === parts.length - 1;
		reader.read(decoder.decode(part, { stream: !isLast }), isLast);
		if (reader.urls.length >= MOST_SITEMAP_ENTRIES) break;
		await pause();
	}
	const { isIndex, urls } = reader;
	if (urls.length === 0 && reader instanceof ListReader) throw new Error('it has no addresses');
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

import { xmlText } from '../../../shared/bundled/xmlTree';
import { readAll } from '../http/proxiedRequest';

/** What sitemaps.org allows of one. */
const MOST_BYTES = 50_000_000;

/** Each costs a request through a proxy. */
const MOST_SITEMAPS = 50;

/** An index leads to sitemaps, and some sites have an index of indexes. */
const MOST_LEVELS = 3;

/** @throws Error for what is damaged, or larger than a sitemap may be; its message continues a sentence */
async function unpacked(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
	if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
	const all = await readAll(stream, MOST_BYTES);
	if (all === undefined) throw new Error('it is larger than 50 MB');
	return all;
}

/** Absolute, of http or https, from a text with an address in each line. */
function pageUrls(text: string): string[] {
	return text
		.split('\n')
		.map((line) => line.trim())
		.filter((line) => /^https?:\/\//i.test(line) && URL.canParse(line))
		.map((line) => new URL(line).href);
}

/**
 * Reads a sitemap: XML or a list of addresses, plain or packed by gzip (sitemaps.org/protocol.html). Not by the XML
 * parser: with 50,000 addresses, it would let nothing else in the process run for seconds.
 *
 * @throws Error for what is no sitemap; its message continues a sentence
 */
export async function readSitemap(bytes: Uint8Array<ArrayBuffer>) {
	const text = new TextDecoder().decode(await unpacked(bytes)).trim();
	if (!text.startsWith('<')) {
		const urls = pageUrls(text);
		if (urls.length === 0) throw new Error('it has no addresses');
		return { isIndex: false, urls };
	}
	const [, prefix = '', root] = /<([\w-]+:)?(urlset|sitemapindex)[\s>]/.exec(text) ?? [];
	if (root === undefined) throw new Error('it has neither a urlset nor a sitemapindex');
	const entries = text
		.replace(/<!--[^]*?(?:-->|$)/g, '')
		.split(`<${prefix}loc>`)
		.slice(1);
	// Without any element, however deeply those are nested
	const addresses = entries.map((entry) => /^\s*(?:<!\[CDATA\[[^]*?\]\]>|[^<]*)/.exec(entry)?.[0]);
	return { isIndex: root === 'sitemapindex', urls: pageUrls(xmlText(addresses.join('\n'))) };
}

/** The addresses that it lists, of pages or, where it is an index, of other sitemaps. */
export type Sitemap = Awaited<ReturnType<typeof readSitemap>>;

/**
 * Reads sitemaps one after the other, and those that they list.
 *
 * @param read gets the sitemap at an address; undefined where that cannot be read, and so leads nowhere
 * @param add takes the pages of a sitemap, and tells whether more are wanted
 * @returns how many were left, because there are too many
 */
export async function readSitemaps(
	starts: readonly string[],
	read: (url: string) => Promise<Sitemap | undefined>,
	add: (urls: readonly string[], sitemap: string) => Promise<boolean>,
): Promise<number> {
	const waiting = starts.map((url) => ({ url, level: 1 }));
	const known = new Set(starts);
	for (let count = 0; waiting.length > 0 && count < MOST_SITEMAPS; count += 1) {
		const [{ url, level }] = waiting.splice(0, 1);
		const { isIndex = true, urls = [] } = (await read(url)) ?? {};
		if (!isIndex && !(await add(urls, url))) return 0;
		const fresh = isIndex && level < MOST_LEVELS ? urls.filter((one) => !known.has(one)) : [];
		for (const one of fresh) known.add(one);
		waiting.push(...fresh.map((one) => ({ url: one, level: level + 1 })));
	}
	return waiting.length;
}

import { gzipSync } from 'node:zlib';

import {
	readSitemap,
	readSitemaps,
} from '../../../../../../nodes/Kuaidaili/pages/crawl/sitemap.ts';

const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

function urlset(...urls: string[]): string {
	const entries = urls.map((url) => `<url>\n<loc>${url}</loc><priority>1</priority></url>`);
	return `<?xml version="1.0"?>\n<urlset ${NAMESPACE}>${entries.join('')}</urlset>`;
}

function index(...urls: string[]): string {
	const entries = urls.map((url) => `<sitemap><loc> ${url} </loc></sitemap>`);
	return `<sitemapindex ${NAMESPACE}>${entries.join('\n')}</sitemapindex>`;
}

const bytes = (text: string) => new Uint8Array(Buffer.from(text));

it.each([
	['plain', bytes],
	['packed', (text: string) => new Uint8Array(gzipSync(text))],
])('reads pages, %s', async (_how, packed) => {
	const text = urlset('https://example.com/a?b=1&amp;c=2', 'https://example.com/中');
	expect(await readSitemap(packed(text))).toEqual({
		isIndex: false,
		urls: ['https://example.com/a?b=1&c=2', 'https://example.com/%E4%B8%AD'],
	});
});

it('reads what programs write besides', async () => {
	const text = `<?xml-stylesheet href="a"?><!-- <url><loc>http://a/old</loc></url> -->
<ns0:urlset xmlns:ns0="http://www.sitemaps.org/schemas/sitemap/0.9"><ns0:url><ns0:loc><![CDATA[http://a/b?c&d]]></ns0:loc>
<image:image><image:loc>http://a/picture</image:loc></image:image></ns0:url>
<ns0:url><ns0:loc>http://a/&#x41;&#66;&apos;&unknown;</ns0:loc></ns0:url><ns0:url><ns0:loc>/relative</ns0:loc></ns0:url>`;
	const { urls } = await readSitemap(bytes(text));
	expect(urls).toEqual(['http://a/b?c&d', "http://a/AB'&unknown;"]);
});

it('reads a list of addresses', async () => {
	const list = bytes('\uFEFFhttp://a/1\r\n\r\nhttp://a/2\nno address\nftp://a/3\n');
	expect(await readSitemap(list)).toEqual({ isIndex: false, urls: ['http://a/1', 'http://a/2'] });
});

it.each([
	[
		'a page',
		'<!doctype html><title>Not found</title>',
		'it has neither a urlset nor a sitemapindex',
	],
	['nothing', ' ', 'it has no addresses'],
	['something else', '{"error": 404}', 'it has no addresses'],
])('refuses %s', async (_what, text, reason) => {
	await expect(readSitemap(bytes(text))).rejects.toThrow(reason);
});

it('unpacks no more than a sitemap may have', async () => {
	const bomb = new Uint8Array(gzipSync(Buffer.alloc(60_000_000)));
	await expect(readSitemap(bomb)).rejects.toThrow('it is larger than 50 MB');
	await expect(readSitemap(bomb.subarray(0, 1000))).rejects.toThrow();
});

it.each([
	['comments that never end', '<!--'],
	['entries that never end', '<loc>'],
	['entities that are none', '<loc>&&#&#x'],
])('takes no longer for %s', async (_what, part) => {
	const start = performance.now();
	await readSitemap(bytes(`<urlset >${part.repeat(200_000)}`));
	expect(performance.now() - start).toBeLessThan(2000);
});

/** Reads the sitemaps of a site from `/first`. */
async function read(site: Record<string, string>) {
	const fetched: string[] = [];
	const pages: string[] = [];
	const { failures, left } = await readSitemaps(
		['http://a/first'],
		async (url) => {
			const { pathname } = new URL(url);
			fetched.push(pathname);
			return await readSitemap(bytes(site[pathname]));
		},
		async (urls) => {
			pages.push(...urls.map((url) => new URL(url).pathname));
			return await Promise.resolve(true);
		},
	);
	return { fetched, pages, failures: failures.map(({ message }) => message), left };
}

it('follows an index, each sitemap once and no deeper than sites have them', async () => {
	const site = {
		'/first': index('http://a/second', 'http://a/pages', 'http://a/first'),
		'/second': index('http://a/pages', 'http://a/third'),
		'/third': index('http://a/fourth'),
		'/pages': urlset('http://a/1', 'http://a/2'),
	};
	expect(await read(site)).toEqual({
		fetched: ['/first', '/second', '/pages', '/third'],
		pages: ['/1', '/2'],
		failures: [],
		left: 0,
	});
});

it('goes on after a sitemap that is none', async () => {
	const site = {
		'/first': index('http://a/one', 'http://a/two'),
		'/one': '<html>',
		'/two': urlset('http://a/1'),
	};
	expect(await read(site)).toMatchObject({
		pages: ['/1'],
		failures: ['it has neither a urlset nor a sitemapindex'],
	});
});

it('tells how many sitemaps it left', async () => {
	const names = Array.from({ length: 80 }, (_, number) => `/${number}`);
	const site = Object.fromEntries(names.map((name) => [name, urlset(`http://a/page${name}`)]));
	const all = { ...site, '/first': index(...names.map((name) => `http://a${name}`)) };
	const { fetched, left } = await read(all);
	expect([fetched.length, left]).toEqual([50, 31]);
});

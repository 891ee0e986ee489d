import type { IDataObject } from 'n8n-workflow';

import { useDeduplicationRecords } from '../support/deduplication.mts';
import { usePages } from './pageOpener.mts';

const { me } = usePages();

beforeAll(useDeduplicationRecords);

/*
 * Pages whose robots.txt or sitemap nobody has read yet, asked about by pages that have all slots: the crawl ends, and
 * nothing is left out.
 */

const at = (host: string, path: string) => `http://${host}:${new URL(me.sites.http).port}${path}`;

/** A crawl of a page whose links all redirect to another host. */
async function crawl(host: string, elsewhere: string, count: number, fields: IDataObject = {}) {
	const { faults } = me.sandbox.pages;
	const links = Array.from({ length: count }, (_, index) => `<a href="/from/${index + 1}">x</a>`);
	faults.add({ path: '/article', kind: 'html', body: links.join('') });
	for (let number = 1; number <= count; number += 1) {
		const location = at(elsewhere, `/bytes/${number}`);
		faults.add({ path: `/from/${number}`, kind: 'redirect', location });
	}
	return await me.open([at(host, '/article')], { operation: 'crawl', ...fields });
}

it('of the same site with www, with default settings', async () => {
	const { items, error } = await crawl('localhost', 'www.localhost', 8);
	expect(error).toBeUndefined();
	expect(items).toHaveLength(9);
});

it.each([
	['one page at a time', 1, 3],
	['more pages than are opened at a time', 5, 8],
	['as many pages as are opened at a time', 5, 5],
])('of another site, %s', async (_what, pagesAtATime, count) => {
	const fields = { follow: { sameSite: false }, options: { pagesAtATime } };
	const { items } = await crawl('127.0.0.1', 'localhost', count, fields);
	expect(items).toHaveLength(count + 1);
});

it('of another site whose robots.txt does not answer', async () => {
	me.sandbox.pages.faults.add({ path: '/robots.txt', kind: 'hang' });
	const fields = { follow: { sameSite: false }, options: { pagesAtATime: 1 } };
	const { items, hints } = await crawl('127.0.0.1', 'localhost', 3, fields);
	expect(items).toHaveLength(1);
	expect(hints.map(({ message }) => message).join(' ')).toContain('could not be read');
});

it('of 200 pages that all redirect', async () => {
	const { items } = await crawl('localhost', 'www.localhost', 200, { maxPages: 300 });
	expect(items).toHaveLength(201);
}, 200_000);

it('of a start', async () => {
	const location = at('www.localhost', '/shop?items=3');
	me.sandbox.pages.faults.add({ path: '/article', kind: 'redirect', location });
	const fields = { operation: 'crawl', options: { pagesAtATime: 1 } };
	const { items } = await me.open([at('localhost', '/article')], fields);
	expect(items).toHaveLength(4);
});

it('of the pages of a sitemap on another host', async () => {
	const { faults } = me.sandbox.pages;
	const robots = `Sitemap: ${at('www.localhost', '/sitemap.xml')}`;
	faults.add({ path: '/robots.txt', kind: 'html', body: robots });
	const location = at('www.localhost', '/bytes/1');
	faults.add({ path: '/shop/item/1', kind: 'redirect', location });
	const fields = { startFrom: 'sitemap', maxPages: 3, options: { pagesAtATime: 1 } };
	const follow = { links: '*/shop/item/*', sameSite: false };
	const { items } = await me.open([at('localhost', '/article')], {
		operation: 'crawl',
		follow,
		...fields,
	});
	expect(items).toHaveLength(3);
});

it('of sitemaps that sitemaps list', async () => {
	const fields = { startFrom: 'sitemap', options: { pagesAtATime: 1 } };
	const { items } = await me.open([me.page('/sitemap.xml')], { operation: 'crawl', ...fields });
	expect(items).toHaveLength(26);
});

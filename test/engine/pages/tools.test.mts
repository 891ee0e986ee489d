import type { IDataObject } from 'n8n-workflow';

import { toolCalls } from '../support/toolCalls.mts';
import { detailsOf, usePages, type PageOpener } from './pageOpener.mts';

const { bed, opener } = usePages();

const privateProxies = () => opener('dpsPerIp', 'DPS');

const asTool = { settings: { type: 'kuaidailiTool' } };

/** What the model gets of one page. */
async function dataOf(me: PageOpener, url: string, fields: IDataObject = {}) {
	const { items, error } = await me.open([url], fields, asTool);
	expect(error).toBeUndefined();
	expect(items).toHaveLength(1);
	return String(items[0].json.data);
}

describe('what a model gets', () => {
	it('is Markdown of a page of HTML, without headers', async () => {
		const me = privateProxies();
		const { items } = await me.open([me.page('/article')], {}, asTool);
		expect(items[0].json.data).toContain('# The harbor');
		expect(items[0].json.data).not.toMatch(/<|window\.tracked/);
		expect(detailsOf(items[0])).not.toHaveProperty('headers');
		expect(detailsOf(items[0])).toMatchObject({ title: 'The harbor', statusCode: 200 });
	});

	it('is what was chosen instead', async () => {
		const me = privateProxies();
		expect(await dataOf(me, me.page('/article'), { responseFormat: 'text' })).toContain('<h1>');
	});

	it.each(['autodetect', 'text', 'markdown'])('has an end with %s', async (responseFormat) => {
		const me = privateProxies();
		const text = await dataOf(me, me.page('/bytes/50000'), { responseFormat });
		expect(text.slice(-100)).toMatch(
			/\[The page goes on\. This is the beginning, 1[89],\d{3} characters of 50,000\.\]$/,
		);
		expect(text.length).toBeLessThan(20_000);
	});

	it.each([
		['JSON', '/echo', { method: 'POST', body: `{"text": "${'x'.repeat(50_000)}"}` }],
		[
			'a column',
			'/article',
			{
				responseFormat: 'fields',
				fields: { values: [{ name: 'data', selector: 'html', take: 'html' }] },
			},
		],
	])('has an end of %s, too', async (_what, path, fields: IDataObject) => {
		const me = privateProxies();
		const url = path === '/echo' ? me.page(path) : me.page('/shop?items=2000&each=2000');
		const text = await dataOf(me, url, fields);
		expect(text.slice(-100)).toMatch(/\[The page goes on\. .* characters of [\d,]+\.\]$/);
		expect(text.length).toBeLessThan(20_200);
	});

	it('has as many links as there is room for, and their number', async () => {
		const me = privateProxies();
		const fields = { options: { includeLinks: true } };
		const url = me.page('/shop?items=2000&each=2000');
		const { items } = await me.open([url], fields, asTool);
		const { links = [], linksLeftOut = 0 } = detailsOf(items[0]);
		expect(links.length).toBeGreaterThan(20);
		expect(links.length + linksLeftOut).toBeGreaterThanOrEqual(2000);
		expect(JSON.stringify(items[0].json).length).toBeLessThan(22_000);
	});

	it('has an end for several addresses together, which leave each other what they need not', async () => {
		const me = privateProxies();
		const urls = ['/bytes/50000', '/article', '/bytes/30000'].map((path) => me.page(path));
		const { items } = await me.open([{ url: urls }], {}, asTool);
		expect(items).toHaveLength(3);
		const [long, short, other] = items.map(({ json }) => String(json.data));
		expect(short).toContain('The harbor');
		expect(short).not.toContain('The page goes on');
		for (const text of [long, other]) {
			expect(text.length).toBeGreaterThan(8000);
			expect(text).toMatch(/\[The page goes on\. .* of [35]0,000\.\]$/);
		}
		expect(items.map(({ json }) => json.url)).toEqual(urls);
		expect(JSON.stringify(items.map(({ json }) => json)).length).toBeLessThan(21_000);
	});

	it('has an end for a whole crawl, with a note that counts what there is no room for', async () => {
		const me = privateProxies();
		const { items, error } = await me.open(
			[me.page('/shop?items=60&each=60')],
			{ operation: 'crawl', responseFormat: 'text' },
			asTool,
		);
		expect(error).toBeUndefined();
		const pages = items.slice(0, -1);
		expect(pages.length).toBeGreaterThan(10);
		for (const page of pages) expect(detailsOf(page).statusCode).toBe(200);
		const { note } = items[items.length - 1].json;
		expect(note).toBe(
			`${61 - pages.length} more pages are left out, because they would be too long. Ask for fewer at a time.`,
		);
		expect(JSON.stringify(items.map(({ json }) => json)).length).toBeLessThan(21_000);
	});

	it.each([
		[
			'/status/404',
			/^The page was not opened\. The page answered with status 404\. Do not ask for it again\.$/,
		],
		[
			'/status/403',
			/^The page was not opened\. The site refused to show the page\. Asking again right away rarely helps/,
		],
		['/reset', /^The page was not opened\. The page could not be reached/],
		['/picture', /^The page is a file, which cannot be read here: picture, image\/png, \d+ bytes/],
		['/empty', /^The page is empty\.$/],
	])('of %s is text that says so', async (path, text) => {
		const me = privateProxies();
		expect(await dataOf(me, me.page(path), { maxAttempts: 1 })).toMatch(text);
	});

	it('of an address without a scheme says what to do', async () => {
		const me = privateProxies();
		expect(await dataOf(me, 'example.com/list')).toMatch(/Put 'https:\/\/' in front of it/);
		expect(me.extracted).toBe(0);
	});

	it('is text as well where the page that should be JSON is none', async () => {
		const me = privateProxies();
		const text = await dataOf(me, me.page('/article'), { responseFormat: 'json' });
		expect(text).toMatch(/^The page was not opened\. The page is not JSON/);
	});
});

it.each(['open', 'crawl'])(
	"%s says where to click while nobody fills in 'URL'",
	async (operation) => {
		const me = privateProxies();
		const outputs: string[] = [];
		await bed().engine.run({
			credentialId: me.credentialId,
			parameters: { resource: 'page', operation, product: 'DPS' },
			agent: toolCalls(1, outputs, 'oneByOne'),
		});
		expect(outputs.join()).toMatch(/The model can't fill in 'URL' of this tool yet/);
		expect(outputs.join()).toMatch(/click the ✨ button .*Let the model define this parameter/);
		expect(me.extracted).toBe(0);
	},
);

it('an agent reads a page, and learns why another one was not opened', async () => {
	const me = privateProxies();
	const outputs: string[] = [];
	for (const path of ['/article', '/status/404']) {
		await bed().engine.run({
			credentialId: me.credentialId,
			parameters: { resource: 'page', operation: 'open', product: 'DPS', url: me.page(path) },
			agent: toolCalls(1, outputs, 'oneByOne'),
		});
	}
	expect(outputs[0]).toContain('The harbor of the small town');
	expect(outputs[1]).toContain('The page answered with status 404');
});

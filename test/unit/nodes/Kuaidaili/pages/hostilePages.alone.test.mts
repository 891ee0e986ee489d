import { markdownOfXml } from '../../../../../nodes/Kuaidaili/pages/content/feed.ts';
import { parseHtml, parseXmlPage } from '../../../../../nodes/Kuaidaili/pages/content/html.ts';
import { linksOf } from '../../../../../nodes/Kuaidaili/pages/content/pickedFields.ts';
import { markdownOf } from '../../../../../nodes/Kuaidaili/pages/content/markdown.ts';
import { readJsonRows, readMarkupRows } from '../../../../../nodes/Kuaidaili/pages/content/rows.ts';
import { readRobots } from '../../../../../nodes/Kuaidaili/pages/crawl/robots.ts';
import { eventLoopYielder } from '../../../../../nodes/shared/api/wait.ts';
import { parseBody } from '../../../../../nodes/shared/api/answer.ts';

const URL = 'https://site.example/a';

const markdown = async (html: string) =>
	await markdownOf(await parseHtml(html, URL, eventLoopYielder()), eventLoopYielder());

const rowsOf = async (html: string) => {
	const page = await parseHtml(html, URL, eventLoopYielder());
	return await readMarkupRows(page, 'tr', [], new Set(), eventLoopYielder());
};

/** Each would take minutes or all memory if what it repeats met itself. */
describe('a page that repeats', () => {
	it('the pictures of a picture', async () => {
		const html = `<picture><source srcset=b.webp>${'<img src=a.png>'.repeat(20_000)}</picture>`;
		expect(await markdown(html)).toContain('(https://site.example/a.png)');
	});

	it('its text in links in each other', async () => {
		const links = Array.from({ length: 90 }, (_, index) => `<a href=${index}><table><td>`).join('');
		const page = await parseHtml(links + 'a '.repeat(200_000), URL, eventLoopYielder());
		const found = await linksOf(page);
		expect(found[0].text.length).toBe(399_999);
		expect(found.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(21_000_000);
	});

	it('its text in entries in each other', async () => {
		const feed = `<feed>${'<subtitle><feed><entry><content>'.repeat(50)}${'a '.repeat(50_000)}`;
		const page = await parseXmlPage(feed, URL, eventLoopYielder());
		const text = await markdownOfXml(page, [], eventLoopYielder());
		expect(text.length).toBeLessThan(300_000);
	});

	it('the sources of a picture', async () => {
		const source = `<source srcset="${'blank.gif 1x, '.repeat(1400)}">`;
		const html = `<picture>${source.repeat(49)}${'<img src=a.png>'.repeat(8_000)}</picture>`;
		expect(await markdown(html)).toContain('(https://site.example/a.png)');
	});

	it('a cell of empty elements, in each of many columns', async () => {
		const [row] = await rowsOf(`<table><tr><td colspan=1000>${'<i></i>'.repeat(30_000)}</table>`);
		expect(row.map(([, value]) => value)).toEqual(Array.from({ length: 1000 }, () => null));
	});

	it('columns that one cell spans, in each of many rows', async () => {
		const rows = await rowsOf(`<table>${'<tr><td colspan=1000>x'.repeat(2500)}</table>`);
		expect(rows).toHaveLength(2500);
		expect(rows[0].map(([, value]) => value)).toEqual(rows[0].map(() => 'x'));
		expect(rows[0].length).toBe(200);
	});

	it('rows that one cell spans', async () => {
		const table = `<table><tr>${'<th rowspan=65534>x'.repeat(1000)}${'<tr><td>y'.repeat(1500)}</table>`;
		expect((await markdown(table)).length).toBeLessThan(800_000);
		expect(await rowsOf(table)).toHaveLength(1500);
	});

	it('its long base in each link', async () => {
		const links = Array.from({ length: 3000 }, (_, index) => `<a href=${index}>x</a> `).join('');
		const base = `<base href="https://site.example/${'a'.repeat(1_000_000)}/">`;
		const page = await parseHtml(base + links, URL, eventLoopYielder());
		const found = await linksOf(page);
		expect([found.length, found[7].url]).toEqual([3000, 'https://site.example/7']);
		expect((await markdown(base + links)).length).toBeLessThan(200_000);
	});

	it('its own long address in each link', async () => {
		const address = `https://site.example/${'a'.repeat(7000)}/`;
		const links = Array.from({ length: 3500 }, (_, index) => `<a href=${index}>x</a> `).join('');
		const page = await parseHtml(links, address, eventLoopYielder());
		expect((await linksOf(page)).length).toBe(Math.floor(20_000_000 / 7026));
		expect((await markdownOf(page, eventLoopYielder())).length).toBeLessThan(21_000_000);
	});

	it('a long cell in each column that it spans', async () => {
		const cell = `<table><tr><td colspan=1000>${'a'.repeat(1_000_000)}`;
		await expect(rowsOf(cell)).rejects.toThrow('The rows of the page are too large');
	});

	it('names of columns, as far as a name is long', async () => {
		const name = 'a'.repeat(200);
		const record = Object.fromEntries(
			Array.from({ length: 20_000 }, (_, index) => [`${name}${index}`, index]),
		);
		const [row] = await readJsonRows([record], '$', [], new Set(), true, eventLoopYielder());
		expect(row).toHaveLength(20_000);
		expect(row.at(-1)).toEqual([`${name}_20000`, 19_999]);
	});
});

it('robots.txt with thousands of agents for thousands of rules keeps one copy of them', async () => {
	const agents = Array.from({ length: 12_000 }, (_, index) => `user-agent:a${index}\n`);
	const text = `${agents.join('')}user-agent:*\n${'disallow:/a\n'.repeat(12_000)}`;
	const robots = await readRobots(text, URL, 'a7');
	expect(await robots.allows(URL)).toBe(false);
	expect(await robots.allows('https://site.example/b')).toBe(true);
});

it('an answer of the service in XML that is longer than any is not parsed', () => {
	const entries = (count: number) =>
		`<result><code>0</code><msg></msg><data><proxy_list>${'<proxy>203.0.113.7:20000,some words of a place,9999,high,http</proxy>'.repeat(count)}</proxy_list></data></result>`;
	expect(parseBody(entries(2000)).code).toBe(0);
	expect(() => parseBody(entries(20_000))).toThrow('longer than any in XML');
});

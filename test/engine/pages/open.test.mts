import { CHINESE_TEXTS } from '../../../sandbox/pages/chineseTexts.mts';
import { CONTINUE } from '../support/nodeSettings.mts';
import { detailsOf, outcomesOf, usePages } from './pageOpener.mts';

const { opener } = usePages();

const privateProxies = () => opener('dpsPerIp', 'DPS');
const tunnel = () => opener('tps', 'TPS');

describe.each(['http', 'https'] as const)('a page over %s', (scheme) => {
	it('comes out beside what its item had', async () => {
		const me = privateProxies();
		const url = `${me.sites[scheme]}/article/7`;
		const binary = { file: { data: 'eA==', mimeType: 'text/plain' } };
		const { items, error } = await me.open([], {}, { input: [{ json: { url, id: 7 }, binary }] });
		expect(error).toBeUndefined();
		expect(items).toHaveLength(1);
		expect(items[0].json).toMatchObject({ url, id: 7, data: expect.stringContaining('Article 7') });
		expect(items[0].binary).toEqual(binary);
		expect(items[0].pairedItem).toEqual({ item: 0 });
		expect(detailsOf(items[0])).toMatchObject({
			url,
			statusCode: 200,
			headers: { 'content-type': 'text/html; charset=utf-8' },
			proxy: me.visits[0].through?.proxy,
		});
		expect(outcomesOf(items[0])).toBe('opened 200');
	});

	it('goes through its proxy whatever the environment of n8n says about proxies', async () => {
		const me = privateProxies();
		const variables = {
			NO_PROXY: '127.0.0.1,localhost,*',
			no_proxy: '*',
			HTTP_PROXY: 'http://127.0.0.1:9',
			HTTPS_PROXY: 'http://127.0.0.1:9',
		};
		const usual = { ...process.env };
		// The service is called without a proxy, too, as NO_PROXY says
		Object.assign(process.env, variables);
		try {
			const { items, error } = await me.open([`${me.sites[scheme]}/article/7`]);
			expect(error).toBeUndefined();
			expect(outcomesOf(items[0])).toBe('opened 200');
			expect(me.visits.map(({ through }) => through?.proxy)).toEqual([detailsOf(items[0]).proxy]);
		} finally {
			for (const name of Object.keys(variables)) {
				if (usual[name] === undefined) delete process.env[name];
				else process.env[name] = usual[name];
			}
		}
	});

	it('in any encoding of Chinese is readable, whatever tells which', async () => {
		const me = tunnel();
		const wanted = (['gbk', 'gb18030', 'big5', 'utf-8'] as const).flatMap((charset) =>
			// What is neither UTF-8 nor GB18030 has to say so
			['header', 'meta', ...(charset === 'big5' ? [] : ['nothing'])].map((by) => ({ charset, by })),
		);
		const urls = wanted.map(({ charset, by }) => `${me.sites[scheme]}/charset/${charset}?by=${by}`);
		const { items, error } = await me.open(urls);
		expect(error).toBeUndefined();
		items.forEach(({ json }, index) => {
			const { charset, by } = wanted[index];
			expect([charset, by, json.data]).toEqual([
				charset,
				by,
				expect.stringContaining(CHINESE_TEXTS[charset].text),
			]);
		});
	});

	it('is unpacked', async () => {
		const me = tunnel();
		const { items } = await me.open([`${me.sites[scheme]}/bytes/300000?gzip=1`]);
		expect(items[0].json.data).toHaveLength(300_000);
	});

	it('keeps its cookies over redirects', async () => {
		const me = privateProxies();
		const { items } = await me.open([
			`${me.sites[scheme]}/cookies/set?cookie=a%3D1`,
			`${me.sites[scheme]}/cookies/wall`,
		]);
		expect(items[0].json.data).toMatchObject({ a: '1' });
		expect(items[1].json.data).toContain('Cookies are on.');
	});

	it('redirects through one and the same exit of a tunnel', async () => {
		const me = tunnel();
		const { items } = await me.open([`${me.sites[scheme]}/redirect/3`]);
		expect(outcomesOf(items[0])).toBe('opened 200');
		expect(me.visits).toHaveLength(4);
		expect(new Set(me.visits.map(({ through }) => through?.exit)).size).toBe(1);
	});

	it('gets a form once', async () => {
		const me = privateProxies();
		const fields = { method: 'POST', bodyType: 'form', body: 'user=demo&password=demo' };
		const { items } = await me.open([`${me.sites[scheme]}/login`], fields);
		expect(items[0].json.data).toContain('Welcome, demo.');
		expect(me.visits.map(({ method }) => method)).toEqual(['POST', 'GET']);
	});
});

it('a picture is a file', async () => {
	const me = privateProxies();
	const { items } = await me.open([me.page('/picture')]);
	expect(items[0].json).not.toHaveProperty('data');
	expect(items[0].binary?.data).toMatchObject({ mimeType: 'image/png', fileName: 'picture' });
});

it("a picture never takes the place of the item's own file", async () => {
	const me = privateProxies();
	const binary = { data: { data: 'eA==', mimeType: 'text/plain' } };
	const input = [{ json: { url: me.page('/picture') }, binary }];
	const failed = await me.open([], {}, { input });
	expect(failed.error?.message).toBe("The item already has binary data named 'data'");
	const { items } = await me.open([], {}, { input, settings: CONTINUE });
	expect(items[0].binary).toEqual(binary);
	expect(detailsOf(items[0]).error).toContain('Choose another name');
	const other = await me.open([], { outputField: 'picture' }, { input });
	expect(Object.keys(other.items[0].binary ?? {})).toEqual(['data', 'picture']);
});

it("the item's own field 'error' is left out, and the output says so", async () => {
	const me = privateProxies();
	const { items, hints } = await me.open([{ url: me.page('/article'), error: 'mine' }]);
	expect(items[0].json).not.toHaveProperty('error');
	expect(hints.map(({ message }) => message).join()).toContain("field 'error' was left out");
});

it('a page without a body does not leave the file that an earlier node has opened', async () => {
	const me = tunnel();
	const file = { data: 'eA==', mimeType: 'text/plain' };
	const json = { pageDetails: { url: 'http://a.example/', attempts: [] } };
	const { items, error } = await me.open(
		[],
		{ url: me.page('/article/2'), method: 'HEAD', responseFormat: 'file' },
		{ input: [{ json, binary: { data: file, other: file } }] },
	);
	expect(error).toBeUndefined();
	expect(Object.keys(items[0].binary ?? {})).toEqual(['other']);
});

it.each(['text', 'file'])('a field named as what every object has is free: %s', async (format) => {
	const me = tunnel();
	const fields = { responseFormat: format, outputField: 'constructor' };
	const { items, error } = await me.open([me.page('/article/2')], fields);
	expect(error).toBeUndefined();
	const output: object = (format === 'file' ? items[0].binary : items[0].json) ?? {};
	expect(Object.hasOwn(output, 'constructor')).toBe(true);
});

it('30 pages go through a tunnel of 5 requests per second, and all are opened', async () => {
	const me = tunnel();
	Object.assign(me.world.theOrder, { maxRps: 5 });
	const urls = Array.from({ length: 30 }, (_, index) => me.page(`/article/${index}`));
	const { items, error, hints } = await me.open(urls, { options: { pagesAtATime: 20 } });
	expect(error).toBeUndefined();
	expect(items.map(outcomesOf)).toEqual(urls.map(() => 'opened 200'));
	expect(me.proxied.filter(({ refusedWith }) => refusedWith !== undefined)).toEqual([]);
	expect(hints.map(({ message }) => message)).toEqual(['30 of 30 pages were opened.']);
});

import { Readable } from 'node:stream';

import type { IHttpRequestOptions } from 'n8n-workflow';

import type { PageRequest } from '../../../../../../nodes/Kuaidaili/pages/request/pageRequest.ts';
import {
	browserHeaders,
	fetchPage,
	BrowserIdentity,
} from '../../../../../../nodes/Kuaidaili/pages/http/fetchPage.ts';
import {
	fakeSender,
	fakeSource,
	pageRequest,
	type FakeAnswer,
	type Reaction,
} from '../run/fakePages.mts';

const HTTPS = 'https://site.example/page';

async function visit(changes: Partial<PageRequest>, react: Reaction) {
	const { send, requests } = fakeSender(react);
	const lease = await fakeSource().source.lease({ site: '', upcoming: 0, signal: undefined });
	let turns = 0;
	const turn = async () => void (turns += 1);
	const visitor = new BrowserIdentity(lease);
	const result = await fetchPage(pageRequest(changes), visitor, send, turn, undefined);
	return { ...result, requests, turns };
}

/** Answers by the address without its origin. */
function pages(answers: Readonly<Record<string, FakeAnswer>>): Reaction {
	return ({ url }) => answers[new URL(url).pathname] ?? { status: 404 };
}

function redirect(location: string, status = 302): FakeAnswer {
	return { status, headers: { location } };
}

function sent({ headers = {} }: IHttpRequestOptions, name: string): unknown {
	return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}

describe('a redirect', () => {
	it('is followed through the same proxy, each at the pace of the order', async () => {
		const { url, redirects, requests, turns } = await visit(
			{},
			pages({
				'/page': redirect('/a'),
				'/a': redirect('http://other.example/b'),
				'/b': { body: 'x' },
			}),
		);
		expect(url).toBe('http://other.example/b');
		expect(redirects).toEqual(['http://site.example/a', 'http://other.example/b']);
		expect(new Set(requests.map(({ proxy }) => proxy?.host))).toEqual(new Set(['10.0.0.1']));
		// The first one was waited for before the proxy was taken
		expect(turns).toBe(2);
	});

	it.each<[string, string | undefined, string[], string, string | undefined]>([
		['keeps those that came', undefined, ['sid=42; Path=/', 'b=1'], '/in', 'sid=42; b=1'],
		[
			'sends in place of one that was entered the one by which the site replaced it',
			'sid = old; lang=zh;',
			['sid=new; Path=/'],
			'/in',
			'lang=zh; sid=new',
		],
		[
			'sends each of those that have one name at several paths',
			'sid=old',
			['sid=root; Path=/', 'sid=shop; Path=/shop'],
			'/shop/in',
			'sid=shop; sid=root',
		],
		['gives none to another', undefined, ['sid=42; Path=/'], 'http://other.example/', undefined],
	])('%s of the cookies of a site', async (_what, entered, setCookies, location, cookie) => {
		const headers = { location, 'set-cookie': setCookies };
		const { requests } = await visit(
			entered === undefined ? {} : { headers: { Cookie: entered } },
			({ url }) => (url.endsWith('/page') ? { status: 302, headers } : { body: 'x' }),
		);
		expect(sent(requests[0], 'cookie')).toBe(entered?.replace(/;$/, ''));
		expect(sent(requests[1], 'cookie')).toBe(cookie);
	});

	it.each([
		['http://site.example/page', 'https://site.example/in', true],
		['https://site.example/page', 'http://site.example/in', false],
		['https://site.example/page', 'https://site.example:8443/in', false],
		['http://site.example/page', 'http://other.example/b', false],
	])('from %s to %s has what was typed: %s', async (from, to, isKept) => {
		const headers = { Authorization: 'Bearer x', Cookie: 'mine=1', 'X-Own': 'stays' };
		const { requests } = await visit({ url: from, headers }, ({ url }) =>
			url === from ? { ...redirect(to), encrypted: true } : { body: 'x' },
		);
		expect(sent(requests[0], 'authorization')).toBe('Bearer x');
		expect(sent(requests[1], 'x-own')).toBe('stays');
		expect(sent(requests[1], 'authorization')).toBe(isKept ? 'Bearer x' : undefined);
		expect(sent(requests[1], 'cookie')).toBe(isKept ? 'mine=1' : undefined);
	});

	it('may have a body without an end', async () => {
		const endless = new Readable({
			read() {
				this.push(Buffer.alloc(1000));
			},
		});
		const { answer } = await visit({ maxBytes: 10 }, ({ url }) =>
			url.endsWith('/page') ? { ...redirect('/in'), stream: endless } : { body: 'x' },
		);
		expect(String(answer?.body)).toBe('x');
		expect(endless.destroyed).toBe(true);
	});

	it.each([
		[301, 'POST', 'GET'],
		[302, 'POST', 'GET'],
		[303, 'POST', 'GET'],
		[307, 'POST', 'POST'],
		[308, 'POST', 'POST'],
		[302, 'HEAD', 'HEAD'],
		[303, 'HEAD', 'HEAD'],
	] as const)('with %s makes of %s a %s', async (status, method, then) => {
		const typed = { body: '{}', headers: { 'Content-Type': 'application/json' } };
		const { requests } = await visit(
			{ method, ...(method === 'POST' && typed) },
			pages({ '/page': redirect('/next', status), '/next': { body: 'x' } }),
		);
		expect(requests[1].method).toBe(then);
		expect(requests[1].body?.toString()).toBe(then === 'POST' ? '{}' : undefined);
		expect(sent(requests[1], 'content-type')).toBe(
			then === 'POST' ? 'application/json' : undefined,
		);
	});

	it('is a page where redirects are not followed', async () => {
		const { answer, requests } = await visit(
			{ followRedirects: false },
			pages({ '/page': redirect('/a') }),
		);
		expect(answer?.status).toBe(302);
		expect(requests).toHaveLength(1);
	});

	it('to an address in Chinese is followed', async () => {
		const location = Buffer.from('/列表', 'utf8').toString('latin1');
		const { url } = await visit({}, ({ url: asked }) =>
			asked.endsWith('/page') ? redirect(location) : { body: 'x' },
		);
		expect(decodeURI(url)).toBe('http://site.example/列表');
	});

	it('to an address in GBK leads there byte by byte', async () => {
		const answers = pages({ '/page': redirect('/s?q=\xd6\xd0'), '/s?q=%D6%D0': { body: 'x' } });
		expect((await visit({}, answers)).url).toBe('http://site.example/s?q=%D6%D0');
	});

	it.each(['weixin://dl/business', 'javascript:alert(1)', 'http://', 'file:///etc/passwd'])(
		'to %s ends the visit',
		async (location) => {
			const { failure, requests } = await visit({}, pages({ '/page': redirect(location) }));
			expect(failure?.reason).toBe('redirectTarget');
			expect(requests).toHaveLength(1);
		},
	);

	it('with a login in its address sends none', async () => {
		const { requests } = await visit(
			{},
			pages({ '/page': redirect('http://me:pass@site.example/a'), '/a': { body: 'x' } }),
		);
		expect(requests[1].url).toBe('http://site.example/a');
	});

	it('to where a site sends those it blocks is not followed', async () => {
		const { requests, redirects } = await visit(
			{ retryIf: { ...pageRequest().retryIf, redirectedTo: '/verify' } },
			pages({ '/page': redirect('/verify?from=page') }),
		);
		expect(requests).toHaveLength(1);
		expect(redirects).toEqual(['http://site.example/verify?from=page']);
	});
});

describe('a request looks like that of a browser', () => {
	it('as it asks for an encrypted page', async () => {
		const { requests } = await visit({ url: HTTPS }, () => ({ body: 'x', encrypted: true }));
		expect(requests[0].headers).toEqual({
			'sec-ch-ua': '"Chromium";v="154", "Google Chrome";v="154", "Not A(Brand";v="99"',
			'sec-ch-ua-mobile': '?0',
			'sec-ch-ua-platform': '"Windows"',
			'Upgrade-Insecure-Requests': '1',
			'User-Agent':
				'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 Safari/537.36',
			Accept: expect.stringMatching(/^text\/html,.*image\/avif/),
			'Sec-Fetch-Site': 'none',
			'Sec-Fetch-Mode': 'navigate',
			'Sec-Fetch-User': '?1',
			'Sec-Fetch-Dest': 'document',
			'Accept-Encoding': 'gzip, deflate, br',
			'Accept-Language': 'zh-CN,zh;q=0.9,en;q=0.8',
		});
	});

	it('without what it sends over encrypted ways only', async () => {
		const { requests } = await visit({}, () => ({ body: 'x' }));
		const names = Object.keys(requests[0].headers ?? {}).join();
		expect(names).toBe(
			'Upgrade-Insecure-Requests,User-Agent,Accept,Accept-Encoding,Accept-Language',
		);
		expect(sent(requests[0], 'accept-encoding')).toBe('gzip, deflate');
	});

	it.each<[string, string, Readonly<Record<string, string>>]>([
		['a form', 'application/x-www-form-urlencoded', { 'Sec-Fetch-Mode': 'navigate' }],
		['what a script sends', 'application/json', { 'Sec-Fetch-Mode': 'cors', Accept: '*/*' }],
	])('as it sends %s', async (_what, contentType, headers) => {
		const typed = { 'Content-Type': contentType };
		const page = { url: HTTPS, method: 'POST', body: '{}', headers: typed } as const;
		const { requests } = await visit(page, () => ({ body: 'x', encrypted: true }));
		expect(requests[0].headers).toMatchObject({
			...headers,
			Origin: 'https://site.example',
			'Sec-Fetch-Site': 'same-origin',
		});
	});

	it('of whatever kind, the same one for each visitor, and never contradicts itself', () => {
		const brands = new Set<string>();
		for (let visitor = 0; visitor < 8; visitor += 1) {
			const headers = browserHeaders(visitor, { method: 'GET', url: HTTPS, headers: {} });
			const { 'User-Agent': name, 'sec-ch-ua': brand, 'sec-ch-ua-platform': platform } = headers;
			expect(brand).toContain(name.includes('Edg/') ? 'Microsoft Edge' : 'Google Chrome');
			expect(platform).toBe(name.includes('Windows') ? '"Windows"' : '"macOS"');
			brands.add(`${brand} ${platform}`);
			expect(headers).toEqual(browserHeaders(visitor, { method: 'GET', url: HTTPS, headers: {} }));
		}
		expect(brands.size).toBe(3);
	});

	it('but for what was typed, whatever its spelling', async () => {
		const headers = { accept: 'application/json', 'ACCEPT-language': 'de', referer: HTTPS };
		const { requests } = await visit({ url: HTTPS, headers }, () => ({
			body: 'x',
			encrypted: true,
		}));
		expect(requests[0].headers).toMatchObject({ ...headers, 'Sec-Fetch-Site': 'same-origin' });
		expect(sent(requests[0], 'accept-language')).toBe('de');
		const names = Object.keys(requests[0].headers ?? {}).map((name) => name.toLowerCase());
		expect(new Set(names).size).toBe(names.length);
	});

	it('with nothing that a browser which was typed might not send', async () => {
		const headers = { 'user-agent': 'mine', ACCEPT: 'application/json', 'accept-encoding': 'br' };
		const { requests } = await visit({ headers, url: HTTPS }, () => ({ body: 'x' }));
		expect(requests[0].headers).toEqual({
			...headers,
			'Accept-Language': 'zh-CN,zh;q=0.9,en;q=0.8',
		});
	});
});

it('the time of an attempt holds over all its redirects', async () => {
	let count = 0;
	const { failure } = await visit({ attemptTimeoutMs: 80 }, () => {
		count += 1;
		return count < 3 ? redirect(`/${count}`) : 'silence';
	});
	expect(failure?.reason).toBe('timeout');
});

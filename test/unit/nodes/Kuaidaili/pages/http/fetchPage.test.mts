import { Readable } from 'node:stream';

import type { IHttpRequestOptions } from 'n8n-workflow';

import type { PageRequest } from '../../../../../../nodes/Kuaidaili/pages/request/pageRequest.ts';
import { browserHeaders } from '../../../../../../nodes/Kuaidaili/pages/http/browserHeaders.ts';
import { fetchPage } from '../../../../../../nodes/Kuaidaili/pages/http/fetchPage.ts';
import { Session } from '../../../../../../nodes/Kuaidaili/pages/http/session.ts';
import {
	fakeSender,
	fakeProxies,
	pageRequest,
	paceOf,
	type FakeAnswer,
	type Reaction,
} from '../run/fakePages.mts';
import { expectInProportion } from '../../../../support/growth.mts';

const HTTPS = 'https://site.example/page';

async function fetchAll(changes: Partial<PageRequest>, react: Reaction) {
	const { send, requests } = fakeSender(react);
	const pace = paceOf(Infinity);
	const acquireSlot = jest.spyOn(pace, 'acquireSlot');
	const session = new Session();
	const proxy = await session.acquire('', fakeProxies().proxies, undefined);
	const scope = { helpers: { httpRequest: send }, signal: undefined, log() {}, endsAt: Infinity };
	const result = await fetchPage(pageRequest(changes), session, proxy, pace, scope);
	const { reply } = result;
	return {
		...result,
		answer: reply.kind === 'answer' ? reply : undefined,
		failure: reply.kind === 'failure' ? reply : undefined,
		requests,
		slots: acquireSlot.mock.calls.length,
	};
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
		const { url, redirects, requests, slots } = await fetchAll(
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
		expect(slots).toBe(2);
	});

	it('keeps the part of the page that was asked for, unless it names one', async () => {
		const to = async (location: string) =>
			(await fetchAll({ url: `${HTTPS}#a` }, pages({ '/page': redirect(location), '/b': {} }))).url;
		expect(await to('/b')).toBe('https://site.example/b#a');
		expect(await to('/b#c')).toBe('https://site.example/b#c');
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
		[
			'sends both of those that have one name for the host and for its domain',
			undefined,
			['sid=host; Path=/', 'sid=domain; Path=/; Domain=site.example'],
			'/in',
			'sid=host; sid=domain',
		],
		[
			'sends first the one that came first, of whichever kind',
			undefined,
			['sid=domain; Path=/; Domain=.site.example', 'sid=host; Path=/'],
			'/in',
			'sid=domain; sid=host',
		],
		[
			'deletes the one of the two that it names',
			undefined,
			['a=1; Path=/', 'a=2; Path=/; Domain=site.example', 'a=; Path=/; Max-Age=0'],
			'/in',
			'a=2',
		],
		[
			'gives those of the domain alone to another host of it',
			undefined,
			['a=1; Path=/', 'a=2; Path=/; Domain=site.example'],
			'http://shop.site.example/',
			'a=2',
		],
		[
			'takes one without a domain behind its name for one of the host',
			undefined,
			['a=1; Path=/; Domain=', 'a=2; Path=/'],
			'/in',
			'a=2',
		],
		['gives none to another', undefined, ['sid=42; Path=/'], 'http://other.example/', undefined],
	])('%s of the cookies of a site', async (_what, entered, setCookies, location, cookie) => {
		const headers = { location, 'set-cookie': setCookies };
		const { requests } = await fetchAll(
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
		const headers = {
			...{ Authorization: 'Bearer x', Cookie: 'mine=1', 'X-Api-Key': 'key', Accept: 'typed/*' },
			'User-Agent': 'typed',
		};
		const { requests } = await fetchAll({ url: from, headers }, ({ url }) =>
			url === from ? { ...redirect(to), encrypted: true } : { body: 'x' },
		);
		expect(sent(requests[0], 'authorization')).toBe('Bearer x');
		expect(sent(requests[1], 'x-api-key')).toBe(isKept ? 'key' : undefined);
		expect(sent(requests[1], 'accept')).toMatch(isKept ? /^typed/ : /^text\/html/);
		// It looks like the same browser everywhere
		expect(sent(requests[1], 'user-agent')).toBe('typed');
		expect(sent(requests[1], 'authorization')).toBe(isKept ? 'Bearer x' : undefined);
		expect(sent(requests[1], 'cookie')).toBe(isKept ? 'mine=1' : undefined);
	});

	it('takes the type of what is sent to another site, and nothing else that was typed', async () => {
		const headers = { 'Content-Type': 'application/json', 'X-Api-Key': 'key' };
		const { requests } = await fetchAll({ method: 'POST', body: '{}', headers }, ({ url }) =>
			url.endsWith('/page') ? redirect('http://other.example/b', 307) : { body: 'x' },
		);
		const typed = ['content-type', 'x-api-key'].map((name) => sent(requests[1], name));
		expect([String(requests[1].body), ...typed]).toEqual(['{}', 'application/json', undefined]);
	});

	it('may have a body without an end', async () => {
		const endless = new Readable({
			read() {
				this.push(Buffer.alloc(1000));
			},
		});
		const headers = { location: '/in', 'content-length': '1000000' };
		const { answer } = await fetchAll({ maxBytes: 10 }, ({ url }) =>
			url.endsWith('/page') ? { status: 302, headers, stream: endless } : { body: 'x' },
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
		[303, 'GET', 'GET'],
	] as const)('with %s makes of %s a %s', async (status, method, then) => {
		const typed = { body: '{}', headers: { 'Content-Type': 'application/json' } };
		const { requests } = await fetchAll(
			{ method, ...(method === 'POST' && typed) },
			pages({ '/page': redirect('/next', status), '/next': { body: 'x' } }),
		);
		expect(requests[1].method).toBe(then);
		expect(requests[1].body?.toString()).toBe(then === 'POST' ? '{}' : undefined);
		expect(sent(requests[1], 'content-type')).toBe(
			then === 'POST' ? 'application/json' : undefined,
		);
	});

	it.each([
		[307, 1],
		[308, 1],
		[302, 2],
	])('with %s from https to http sends no body in the clear', async (status, count) => {
		const url = 'https://site.example/page';
		const typed = { method: 'POST', body: 'password=x' } as const;
		const { requests, failure } = await fetchAll({ url, ...typed }, ({ url: asked }) =>
			asked === url
				? { ...redirect('http://site.example/next', status), encrypted: true }
				: { body: 'x' },
		);
		expect(requests.map(({ body }) => body?.toString())).toEqual(
			['password=x', undefined].slice(0, count),
		);
		expect(failure?.reason).toBe(count === 1 ? 'unencryptedRedirect' : undefined);
	});

	it('to an address in Chinese is followed', async () => {
		const location = Buffer.from('/列表', 'utf8').toString('latin1');
		const { url } = await fetchAll({}, ({ url: asked }) =>
			asked.endsWith('/page') ? redirect(location) : { body: 'x' },
		);
		expect(decodeURI(url)).toBe('http://site.example/列表');
	});

	it('to an address in GBK leads there byte by byte', async () => {
		const answers = pages({ '/page': redirect('/s?q=\xd6\xd0'), '/s?q=%D6%D0': { body: 'x' } });
		expect((await fetchAll({}, answers)).url).toBe('http://site.example/s?q=%D6%D0');
	});

	it.each(['weixin://dl/business', 'javascript:alert(1)', 'http://', 'file:///etc/passwd'])(
		'to %s ends the visit',
		async (location) => {
			const { failure, requests } = await fetchAll({}, pages({ '/page': redirect(location) }));
			expect(failure?.reason).toBe('redirectTarget');
			expect(requests).toHaveLength(1);
		},
	);

	it('with a login in its address sends none', async () => {
		const { requests } = await fetchAll(
			{},
			pages({ '/page': redirect('http://me:pass@site.example/a'), '/a': { body: 'x' } }),
		);
		expect(requests[1].url).toBe('http://site.example/a');
	});

	it('to where a site sends those it blocks is not followed', async () => {
		const { requests, redirects } = await fetchAll(
			{ retryIf: { ...pageRequest().retryIf, redirectedTo: '/verify' } },
			pages({ '/page': redirect('/verify?from=page') }),
		);
		expect(requests).toHaveLength(1);
		expect(redirects).toEqual(['http://site.example/verify?from=page']);
	});
});

describe('a page that goes on by itself', () => {
	const html = (body: string, headers = {}): FakeAnswer => ({
		headers: { 'content-type': 'text/html', ...headers },
		body,
	});
	const meta = (content: string) => `<META HTTP-EQUIV='Refresh' content="${content}">`;
	const long = 'x'.repeat(5000);

	it.each<[string, FakeAnswer]>([
		['by a header', html('wait', { refresh: '0; url=/next' })],
		['by a tag', html(`<head>${meta('0;url=/next')}</head>`)],
		['by a tag after 5 seconds', html(meta("5.9 , URL = '/next' x"))],
		['by a tag without a name for its address', html(meta('1 /next'))],
		[
			'by a tag behind others',
			html(`<!-- > --><script>"<meta"</script><meta a=">">${meta('0;/next')}`),
		],
		['by a tag with a whole address in quotes', html(meta("0;url='http://site.example/next'"))],
		['by a tag behind a template', html(`<template><b></b></template>${meta('0;url=/next')}`)],
		['by a tag behind a script', html(`<script>1</script>${meta('0;/next')}`)],
		['by a tag, relative to the base', html(`<base href="/">${meta('0;url=next')}`)],
		['by a tag, relative to the page', html(`<link href="/a/b/c/">${meta('0;url=../next')}`)],
		[
			'by a tag, relative to the first base',
			html(`<base href="/"><base href="/deep/">${meta('0;url=next')}`),
		],
		['by a tag with references', html(meta('0;url=&#47;ne&#x78;t'))],
		['by a tag without quotes', html('<meta http-equiv=refresh content=0;url=/next>')],
		[
			'by a tag without script, on a page of links',
			html(`<noscript>${meta('0;/next')}</noscript>`),
		],
	])('%s is followed like a redirect', async (_what, first) => {
		const { url, redirects, answer, slots } = await fetchAll(
			{ url: 'http://site.example/deep/page' },
			pages({ '/deep/page': first, '/next': html('here') }),
		);
		expect([url, redirects, slots]).toEqual(['http://site.example/next', [url], 1]);
		expect(answer?.body.toString()).toBe('here');
	});

	it.each<[string, FakeAnswer]>([
		['later', html(meta('6;url=/next'))],
		['to itself', html(meta('0;url=/page#part'))],
		['without an address', html(meta('5'))],
		['to no page', html(meta('0;url=javascript:alert(1)'))],
		["to Akamai's challenge again", html(meta("5; URL='/page?a=b&bm-verify=AAQAAAAN'"))],
		['in a comment', html(`<!-- ${meta('0;url=/next')} -->`)],
		['in a template', html(`<template>${meta('0;url=/next')}</template>`)],
		['in a template, behind others', html(`<template><b></b>${meta('0;url=/next')}</template>`)],
		['in a script', html(`<script>'${meta('0;url=/next')}'</script>`)],
		[
			'without script, on a page with words',
			html(`<noscript>${meta('0;/next')}</noscript>${long}`),
		],
		['in a text', { ...html(meta('0;url=/next')), headers: { 'content-type': 'text/plain' } }],
		['with an error', { ...html(meta('0;url=/next')), status: 404 }],
	])('%s is the page', async (_what, first) => {
		const { answer, requests } = await fetchAll({}, pages({ '/page': first }));
		expect(requests).toHaveLength(1);
		expect(answer?.body.length).toBeGreaterThan(0);
	});

	it('in circles is the page that leads back', async () => {
		const { url, answer } = await fetchAll(
			{},
			pages({ '/page': html(meta('0;/b')), '/b': html(`b ${meta('0;/page')}`) }),
		);
		expect(url).toBe('http://site.example/b');
		expect(answer?.status).toBe(200);
	});

	it('for ever comes to an end', async () => {
		let count = 0;
		const { failure, requests } = await fetchAll({}, () => html(meta(`0;/${(count += 1)}`)));
		expect(failure?.reason).toBe('redirects');
		expect(requests).toHaveLength(21);
	});

	it('is found or not found in proportion to the page, whatever it holds', async () => {
		const parts = [
			'<',
			'<meta ',
			'<meta refresh ',
			'<meta refresh="',
			'<b>refresh',
			'</b>refresh<i>',
			' ',
			'<!--',
			'<script>',
			"='",
			'a=',
		];
		for (const part of parts) {
			await expectInProportion(25_000, async (size) => {
				const body = part.repeat(size / part.length);
				await fetchAll({}, pages({ '/page': html(body, { refresh: undefined }) }));
			});
		}
	});
});

describe('a path that begins with two slashes', () => {
	it('over http is told as it was requested', async () => {
		const { url, requests } = await fetchAll({ url: 'http://site.example//a//b' }, () => ({
			body: 'x',
		}));
		expect([url, requests[0].url]).toEqual(Array(2).fill('http://site.example/a//b'));
	});
});

describe('cookies of a site', () => {
	const setting = async (setCookies: string[]) => {
		const { requests } = await fetchAll({}, ({ url }) =>
			url.endsWith('/page')
				? { status: 302, headers: { location: '/in', 'set-cookie': setCookies } }
				: { body: 'x' },
		);
		return String(sent(requests[1], 'cookie')).split('; ');
	};

	it('are at most 180, without the oldest', async () => {
		const names = await setting(Array.from({ length: 200 }, (_, index) => `c${index}=1; Path=/`));
		expect(names).toHaveLength(180);
		expect(names).not.toContain('c19=1');
		expect(names).toContain('c20=1');
	});

	it('are counted without those that it has deleted', async () => {
		const cookies = Array.from({ length: 180 }, (_, index) => `c${index}=1; Path=/`);
		const deleted = Array.from({ length: 10 }, (_, index) => `c${170 + index}=; Max-Age=0; Path=/`);
		const others = Array.from({ length: 10 }, (_, index) => `d${index}=1; Path=/`);
		const names = await setting([...cookies, ...deleted, ...others]);
		expect(names).toHaveLength(180);
		expect(names).toEqual(expect.arrayContaining(['c0=1', 'c169=1', 'd9=1']));
	});

	it('are none that browsers would refuse for its length', async () => {
		expect(await setting([`a=${'x'.repeat(5000)}`, 'b=1'])).toEqual(['b=1']);
	});
});

describe('a request looks like that of a browser', () => {
	it('as it asks for an encrypted page', async () => {
		const { requests } = await fetchAll({ url: HTTPS }, () => ({ body: 'x', encrypted: true }));
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
		const { requests } = await fetchAll({}, () => ({ body: 'x' }));
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
		const { requests } = await fetchAll(page, () => ({ body: 'x', encrypted: true }));
		expect(requests[0].headers).toMatchObject({
			...headers,
			Origin: 'https://site.example',
			'Sec-Fetch-Site': 'same-origin',
		});
	});

	it('of whatever kind, the same one for each visitor, and never contradicts itself', () => {
		const brands = new Set<string>();
		const request = pageRequest({ url: HTTPS });
		for (let visitor = 0; visitor < 8; visitor += 1) {
			const headers = browserHeaders(visitor, request);
			const { 'User-Agent': name, 'sec-ch-ua': brand, 'sec-ch-ua-platform': platform } = headers;
			expect(brand).toContain(name.includes('Edg/') ? 'Microsoft Edge' : 'Google Chrome');
			expect(platform).toBe(name.includes('Windows') ? '"Windows"' : '"macOS"');
			brands.add(`${brand} ${platform}`);
			expect(headers).toEqual(browserHeaders(visitor, request));
		}
		expect(brands.size).toBe(3);
	});

	it('but for what was typed, whatever its spelling', async () => {
		const headers = { accept: 'application/json', 'ACCEPT-language': 'de', referer: HTTPS };
		const { requests } = await fetchAll({ url: HTTPS, headers }, () => ({
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
		const { requests } = await fetchAll({ headers, url: HTTPS }, () => ({ body: 'x' }));
		expect(requests[0].headers).toEqual({
			...headers,
			'Accept-Language': 'zh-CN,zh;q=0.9,en;q=0.8',
		});
	});
});

it('the time of an attempt holds over all its redirects', async () => {
	let count = 0;
	const { failure } = await fetchAll({ attemptTimeoutMs: 80 }, () => {
		count += 1;
		return count < 3 ? redirect(`/${count}`) : 'silence';
	});
	expect(failure?.reason).toBe('timeout');
});

it('the time of an attempt is that of all its requests', async () => {
	let ms = 0;
	const now = jest.spyOn(performance, 'now').mockImplementation(() => ms);
	const { milliseconds } = await fetchAll({}, ({ url }) => {
		ms += 60;
		return url.endsWith('/page') ? redirect('/next') : { body: 'x' };
	});
	now.mockRestore();
	expect(milliseconds).toBe(120);
});

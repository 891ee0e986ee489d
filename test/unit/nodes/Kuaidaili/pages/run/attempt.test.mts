import { RequestPace } from '../../../../../../nodes/Kuaidaili/pages/http/requestPace.ts';
import type { PageRequest } from '../../../../../../nodes/Kuaidaili/pages/request/pageRequest.ts';
import {
	connectionError,
	fakeSender,
	inTurn,
	open,
	openPage,
	paceOf,
	fakeProxies,
	pageRequest,
	type FakeAnswer,
} from './fakePages.mts';

const HTTPS = 'https://site.example/page';
const POST = { method: 'POST', body: 'a=b' } as const;

describe('a page in place of which a wall comes', () => {
	const wall = {
		headers: { 'content-type': 'text/html' },
		body: '<title>百度安全验证</title><p>网络不给力，请稍后重试',
	};

	it('is blocked by it after the last attempt, whatever its status', async () => {
		const { outcomes, attempts, text } = await open({ maxAttempts: 2 }, inTurn(wall, wall));
		expect(outcomes).toEqual(['blocked 200', 'blocked 200']);
		expect(attempts.map(({ blockedBy }) => blockedBy)).toEqual(['Baidu', 'Baidu']);
		expect(text).toContain('a page came by which Baidu keeps programs out');
		expect(text).not.toContain('网络不给力');
		const refused = { ...wall, status: 404 };
		expect((await open({ maxAttempts: 1 }, () => refused)).outcomes).toEqual(['blocked 404']);
	});
});

describe('a page is given up', () => {
	it('after so many attempts', async () => {
		const { outcomes, text, faults } = await open({ maxAttempts: 2 }, () => ({ status: 429 }));
		expect(outcomes).toEqual(['blocked 429', 'blocked 429']);
		expect(text).toMatch(
			/^The site refused to show the page in 2 attempts\. http:\S+ 10\.0\.0\.1:8000, 10\.0\.0\.2:8000: the page answered with status 429\. /,
		);
		expect(faults).toHaveLength(2);
	});

	it('with each of its reasons', async () => {
		const { text } = await open(
			{ maxAttempts: 4 },
			inTurn(
				{ status: 503 },
				connectionError('ECONNRESET'),
				{ status: 503 },
				connectionError('ECONNRESET'),
			),
		);
		expect(text.match(/status 503/g)).toHaveLength(1);
		expect(text.match(/the connection failed/g)).toHaveLength(1);
		expect(text.match(/10\.0\.0\.\d:8000/g)).toHaveLength(4);
	});

	it('with a status that the proxies of another product have', async () => {
		const retryIf = { ...pageRequest().retryIf, statuses: new Set<number>() };
		const ofPage = { product: 'OPS', retryIf };
		expect((await open(ofPage, () => ({ status: 461 }))).outcomes).toEqual(['status 461']);
	});

	it.each<[FakeAnswer | Error, string | undefined]>([
		[{ status: 404 }, '404'],
		[{ status: 400 }, '400'],
		// It is refused for what it says
		[{ headers: { 'content-type': 'text/html' }, body: '<title>百度安全验证</title>' }, undefined],
		[connectionError('ECONNREFUSED'), undefined],
	])('with the code of its status: %j', async (answer, code) => {
		const { error } = await open({ maxAttempts: 1 }, () => answer);
		expect(error).toMatchObject({ text: { code } });
	});

	it('with the beginning of its address', async () => {
		const url = `http://site.example/${'x'.repeat(1000)}`;
		const { text } = await open({ url }, () => ({ status: 404 }));
		expect(text).toContain(`. ${url.slice(0, 300)}…, through 10.0.0.1:8000.`);
	});

	it('where no proxy is left, with what was tried', async () => {
		const { outcomes, text } = await open({}, () => connectionError('ECONNREFUSED'), 1);
		expect(outcomes).toEqual(['proxyFailed']);
		expect(text).toMatch(/^No proxies are left. Before that: 10.0.0.1:8000: the connection failed/);
	});

	it.each([
		['of the page', true, 503],
		['of a proxy', false, undefined],
	])(
		'where no proxy is left, with the last status %s or without',
		async (_what, encrypted, status) => {
			const page = { status: 503, encrypted };
			const { attempts, statusCode } = await open({ url: HTTPS }, () => page, 1);
			expect([attempts.map((one) => one.statusCode), statusCode]).toEqual([[503], status]);
		},
	);
});

describe('of a page that answers with a status', () => {
	const { retryIf } = pageRequest();
	const listed = (...statuses: number[]) => ({
		retryIf: { ...retryIf, statuses: new Set(statuses) },
	});
	const [twice, blamed] = [(outcome: string) => [outcome, outcome], ['blocked', 'blocked']];
	const lacking = { retryIf: { ...retryIf, lacks: ['price'.padEnd(100, '.')] } };
	const LIST_IT = /If this site answers so to proxies that it blocks, add the status/;

	it.each<[string, number, Partial<PageRequest>, string[], string[], RegExp]>([
		['in trouble, no proxy is to blame', 500, {}, twice('status 500'), [], /with status 500\. /],
		[
			'that is listed, proxies are to blame',
			405,
			{},
			twice('status 405'),
			blamed,
			/with status 405\. /,
		],
		[
			'that is listed and no error, it refuses',
			200,
			listed(200),
			twice('blocked 200'),
			blamed,
			/^The site refused to show the page in 2 attempts\. .*: the page answered with status 200\. Raise 'Max Attempts'/,
		],
		['that is not listed, it may be', 401, {}, ['status 401'], [], LIST_IT],
		[
			'that is not listed and refuses, it may be',
			403,
			listed(),
			['blocked 403'],
			['blocked'],
			LIST_IT,
		],
		[
			'that is not listed and means too often, it may be',
			429,
			listed(),
			['blocked 429'],
			['blocked'],
			LIST_IT,
		],
		[
			'of an error page that lacks a text, nothing else is to say',
			404,
			lacking,
			['status 404'],
			[],
			/through 10\.0\.0\.1:8000\.$/,
		],
		[
			'of a page that lacks a text, it refuses',
			200,
			lacking,
			twice('blocked 200'),
			blamed,
			/: the page lacks "price\.{55}…"\. /,
		],
		[
			'of a page that is gone, there is nothing to do',
			410,
			{},
			['status 410'],
			[],
			/through 10\.0\.0\.1:8000\.$/,
		],
		[
			'that a proxy may say, both are told',
			503,
			{},
			twice('status 503'),
			[],
			/If a proxy said so: it could not connect to the page\.$/,
		],
		[
			'that a proxy may say and is not listed, both are told',
			451,
			{},
			['status 451'],
			[],
			/If a proxy said so: it could not read which host the page is on\. If this site/,
		],
		[
			'over https that a proxy may say, the proxy has not',
			503,
			{ url: HTTPS },
			twice('status 503'),
			[],
			/through [\d.:, ]+\.$/,
		],
	])('%s: %i', async (_what, status, changes, expected, faulty, words) => {
		const answer = { status, encrypted: changes.url === HTTPS };
		const { outcomes, faults, text } = await open({ maxAttempts: 2, ...changes }, () => answer);
		expect(outcomes).toEqual(expected);
		expect(faults.map(([, fault]) => fault)).toEqual(faulty);
		expect(text).toMatch(words);
	});
});

it.each([
	[200, 'answered in place of the page'],
	[302, 'answered in place of the page'],
	[400, 'refused'],
])('a proxy that sends status %i on the way to a page of https %s', async (status, verb) => {
	const answer = { status, headers: { location: '/next' }, encrypted: false };
	const { text, faults } = await open({ url: HTTPS, maxAttempts: 1 }, () => answer);
	expect(text).toContain(`: the proxy ${verb} (status ${status}).`);
	expect(faults).toEqual([['10.0.0.1:8000', 'blocked']]);
});

describe('a request that fails', () => {
	const via = (socket: object | null) => ({ request: { socket } });
	const [secure, plain] = [via({ encrypted: true }), via({ encrypted: false })];
	const HTTP = pageRequest().url;

	it.each<[string, string, string, object, string, string[], RegExp]>([
		[
			'on the way to the proxy',
			HTTP,
			'ECONNRESET',
			{},
			'proxyFailed',
			['failed'],
			/failed \(ECONNRESET\)/,
		],
		[
			'in an encrypted connection',
			HTTPS,
			'ECONNRESET',
			secure,
			'proxyFailed',
			['blocked'],
			/failed \(ECONNRESET\)/,
		],
		['before that', HTTPS, 'ECONNRESET', plain, 'proxyFailed', ['failed'], /failed \(ECONNRESET\)/],
		[
			'for its certificate',
			HTTPS,
			'CERT_HAS_EXPIRED',
			secure,
			'certificate',
			['blocked'],
			/be trusted \(CERT_HAS_EXPIRED\)/,
		],
		[
			'for another fault of TLS',
			HTTPS,
			'ERR_SSL_WRONG_VERSION_NUMBER',
			{},
			'proxyFailed',
			['blocked'],
			/the connection failed/,
		],
		[
			'for what cannot be unpacked',
			HTTP,
			'Z_DATA_ERROR',
			{},
			'proxyFailed',
			['blocked'],
			/could not be read \(Z_DATA_ERROR\)/,
		],
		[
			'for large headers',
			HTTPS,
			'HPE_HEADER_OVERFLOW',
			secure,
			'tooLarge',
			[],
			/^The headers of the page are too large\. .*larger than 16 kB/,
		],
		[
			'for broken HTTP',
			HTTPS,
			'HPE_INVALID_CONSTANT',
			secure,
			'proxyFailed',
			[],
			/^The page breaks the rules of HTTP\. .*\(HPE_INVALID_CONSTANT\)/,
		],
		[
			'for what a proxy may have broken',
			HTTP,
			'HPE_INVALID_CONSTANT',
			{},
			'proxyFailed',
			['failed'],
			/the connection failed \(HPE_INVALID_CONSTANT\)/,
		],
		[
			'for a host that n8n does not find',
			HTTP,
			'ENOTFOUND',
			{ hostname: 'site.example' },
			'proxyFailed',
			[],
			/n8n itself could not find the host of the page/,
		],
		[
			'for a proxy that n8n does not find',
			HTTP,
			'ENOTFOUND',
			{ hostname: 'tps.example' },
			'proxyFailed',
			['failed'],
			/the connection failed/,
		],
	])('%s blames who it must: %s, %s', async (_what, url, code, more, outcome, blamed, words) => {
		const failure = connectionError(code, more);
		const { outcomes, faults, text } = await open({ url, maxAttempts: 1 }, () => failure);
		expect(outcomes).toEqual([outcome]);
		expect(faults.map(([, fault]) => fault)).toEqual(blamed);
		expect(text).toMatch(words);
	});

	it('for its time behind a redirect blames the proxy for this site only', async () => {
		const page = { attemptTimeoutMs: 30, maxAttempts: 1 };
		const redirect = { status: 302, headers: { location: '/next' } };
		const [late, silent] = [
			await open(page, inTurn(redirect, 'silence')),
			await open(page, () => 'silence'),
		];
		expect([late.faults[0][1], silent.faults[0][1]]).toEqual(['blocked', 'failed']);
		expect(silent.text).toContain('no answer within 0.03 s');
	});
});

it('a proxy that refuses for its service says what to do about it', async () => {
	const foreign = { status: 443, encrypted: false };
	const { text, outcomes, attempts } = await open({ url: HTTPS }, () => foreign);
	expect(outcomes).toEqual(['proxyFailed 443']);
	// It serves another page in place of this one
	expect(attempts[0].isUnseen).toBe(true);
	expect(text).toMatch(/it serves clients in China only \(status 443\)\. Run n8n there, or choose/);
});

describe('a page that is still compressed', () => {
	const packed = (status = 200, encoding = 'zstd', location?: string): FakeAnswer => ({
		status,
		headers: { 'content-encoding': encoding, location },
		body: 'x',
		encrypted: true,
	});

	it.each<[string, Partial<PageRequest>, FakeAnswer, string, RegExp]>([
		[
			'fails, without a second proxy',
			{},
			packed(),
			'proxyFailed 200',
			/^The compressed content of the page could not be read\. .*came compressed as "zstd", which n8n cannot unpack\. .*by 'Accept-Encoding' with the value 'identity'/,
		],
		['is refused all the same', {}, packed(403), 'blocked 403', /refused to show the page/],
		['has its status where that is an error', {}, packed(404), 'status 404', /status 404/],
		['is one where its status may be a redirect', {}, packed(300), 'opened 300', /^$/],
		[
			'is named no longer than a line',
			{},
			packed(200, `zstd, ${'x'.repeat(5000)}`),
			'proxyFailed 200',
			/came compressed as "zstd, x{54}…"/,
		],
	])('%s', async (_what, changes, answer, outcome, words) => {
		const { outcomes, text, faults } = await open(changes, () => answer);
		expect(new Set(outcomes)).toEqual(new Set([outcome]));
		expect(text).toMatch(words);
		expect(faults).toHaveLength(outcome === 'blocked 403' ? 3 : 0);
	});

	it('leads where it redirects to', async () => {
		const redirect = packed(302, 'zstd', '/next');
		const { content, url } = await open({}, inTurn(redirect, { body: 'ok' }));
		expect([url, content?.text]).toEqual(['http://site.example/next', 'ok']);
	});
});

describe('over http, a status that proxies send', () => {
	const [over, lost] = [{ status: 454 }, { status: 446 }];

	it.each<[string, FakeAnswer[], string[]]>([
		['is of the page where two proxies say it', [over, over], ['proxyExpired 454', 'status 454']],
		[
			'is of each proxy where they differ',
			[over, lost],
			['proxyExpired 454', 'proxyFailed 446', 'opened 200'],
		],
		[
			'proves nothing about the page in the words of a proxy',
			[{ ...over, body: 'Proxy Authentication Expired' }, over],
			['proxyExpired 454', 'proxyExpired 454', 'opened 200'],
		],
	])('%s', async (_what, answers, expected) => {
		const { outcomes } = await open({}, inTurn(...answers, { body: 'ok' }));
		expect(outcomes).toEqual(expected);
	});

	it('is no page for one proxy that says it twice', async () => {
		const busy = { status: 441 };
		const { outcomes, faults } = await open({}, inTurn(busy, busy, { body: 'ok' }));
		expect(outcomes).toEqual(['tooManyRequests 441', 'tooManyRequests 441', 'opened 200']);
		expect(faults).toEqual([]);
	});

	it('slows no other page down as long as it may be one of the page', async () => {
		const pause = jest.spyOn(RequestPace.prototype, 'pause');
		const busy = { status: 441, body: 'Request Rate Over Limit' };
		await open({}, inTurn(busy, { body: 'ok' }));
		expect(pause).not.toHaveBeenCalled();
		const answers = [
			{ ...busy, encrypted: false },
			{ body: 'ok', encrypted: true },
		];
		await open({ url: HTTPS }, inTurn(...answers));
		expect(pause).toHaveBeenCalledTimes(1);
		pause.mockRestore();
	});
});

it("what n8n's own protection forbids takes one proxy, which serves another page, and was not sent", async () => {
	for (const why of [
		'it resolves to a restricted IP address',
		'the destination hostname is restricted',
	]) {
		const forbidden = new Error(`The request was blocked because ${why}`);
		const { outcomes, faults, text } = await open(POST, () => forbidden);
		expect(outcomes).toEqual(['proxyFailed']);
		expect(faults).toEqual([]);
		expect(text).toMatch(/n8n's own protection does not allow this address\.$/);
	}
});

describe('what was sent to a page is sent again', () => {
	it.each<[string, string, FakeAnswer | Error]>([
		['the proxy refused the connection', HTTPS, connectionError('ECONNREFUSED')],
		['the proxy refused to connect', HTTPS, { status: 502, encrypted: false }],
		['the proxy was over', HTTPS, { status: 454, encrypted: false }],
		[
			'the way to the page did not come about',
			HTTPS,
			new Error('Proxy connection ended before receiving CONNECT response'),
		],
		[
			'the connection broke before it was encrypted',
			HTTPS,
			connectionError('ECONNRESET', { request: { socket: { encrypted: false } } }),
		],
	])('where %s', async (_what, url, first) => {
		const { outcomes } = await open({ ...POST, url }, inTurn(first, { body: 'ok' }));
		expect(outcomes.at(-1)).toBe('opened 200');
		expect(outcomes).toHaveLength(2);
	});

	it.each<[string, string, FakeAnswer | Error | 'silence']>([
		['the connection broke', HTTPS, connectionError('ECONNRESET')],
		[
			'the connection to a page of http broke',
			'http://site.example/page',
			connectionError('ECONNRESET', { request: { socket: { encrypted: false } } }),
		],
		['the time was over', HTTPS, 'silence'],
		['the certificate was not trusted', HTTPS, connectionError('CERT_HAS_EXPIRED')],
		['the page refused', HTTPS, { status: 403, encrypted: true }],
		['the server was in trouble', HTTPS, { status: 503, encrypted: true }],
		['a page of http, or its proxy, said 454', 'http://site.example/page', { status: 454 }],
	])('never where %s', async (_what, url, first) => {
		const { requests, text } = await open(
			{ ...POST, url, attemptTimeoutMs: 50 },
			inTurn(first, { body: 'ok' }),
		);
		expect(requests).toHaveLength(1);
		expect(text).toMatch(/may have received what was sent, so it was not sent again/);
	});

	it('never where a redirect after it failed', async () => {
		const { requests } = await open(
			{ ...POST, url: HTTPS },
			inTurn(
				{ status: 302, headers: { location: '/done' }, encrypted: true },
				connectionError('ECONNREFUSED'),
			),
		);
		expect(requests.map(({ method }) => method)).toEqual(['POST', 'GET']);
	});
});

it('takes no proxy before its slot', async () => {
	jest.useFakeTimers();
	const { send, requests } = fakeSender(() => 'silence');
	const { proxies, inUse } = fakeProxies();
	const cancel = new AbortController();
	const pace = paceOf(2);
	const opening = [1, 2, 3].map(async () => {
		const signal = AbortSignal.any([cancel.signal]);
		await openPage(pageRequest(), send, proxies, pace, signal);
	});
	const ended = Promise.allSettled(opening);
	await jest.advanceTimersByTimeAsync(100);
	expect([inUse.size, requests.length]).toEqual([1, 1]);
	await jest.advanceTimersByTimeAsync(525);
	expect([inUse.size, requests.length]).toEqual([2, 2]);
	cancel.abort();
	for (const { status } of await ended) expect(status).toBe('rejected');
	jest.useRealTimers();
});

it('keeps its pace where several pages have waited for one extraction', async () => {
	jest.useFakeTimers();
	const { send, requests } = fakeSender(() => 'silence');
	const { proxies } = fakeProxies();
	const extraction = new Promise((resolve) => setTimeout(resolve, 3000));
	const late: typeof proxies = {
		...proxies,
		async lease(...given) {
			await extraction;
			return await proxies.lease(...given);
		},
	};
	const cancel = new AbortController();
	const pace = paceOf(2);
	const opening = [1, 2, 3].map(async () => {
		const signal = AbortSignal.any([cancel.signal]);
		await openPage(pageRequest(), send, late, pace, signal);
	});
	const ended = Promise.allSettled(opening);
	await jest.advanceTimersByTimeAsync(3000);
	for (const count of [1, 2, 3]) {
		expect(requests).toHaveLength(count);
		await jest.advanceTimersByTimeAsync(525);
	}
	cancel.abort();
	await ended;
	jest.useRealTimers();
});

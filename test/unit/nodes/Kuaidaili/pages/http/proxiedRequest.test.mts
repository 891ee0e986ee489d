import { Readable } from 'node:stream';

import { CancelledError } from '../../../../../../nodes/shared/api/errors.ts';
import { readLimitedBody } from '../../../../../../nodes/Kuaidaili/pages/http/limitedBody.ts';
import {
	proxyOption,
	requestableUrl,
	requestThroughProxy,
} from '../../../../../../nodes/Kuaidaili/pages/http/proxiedRequest.ts';
import type { LeasedProxy } from '../../../../../../nodes/Kuaidaili/proxies/lease.ts';
import { connectionError, fakeSender, pageRequest } from '../run/fakePages.mts';

const PROXY: LeasedProxy = {
	address: '10.0.0.1:8000',
	host: '10.0.0.1',
	port: 8000,
	scheme: 'http',
	login: { username: 'user-region-US', password: 'p%41:x@y' },
	identitySeed: 1,
};

interface Given {
	readonly proxy?: LeasedProxy;
	readonly url?: string;
	readonly timeoutMs?: number;
	readonly signal?: AbortSignal;
}

async function request(httpRequest: ReturnType<typeof fakeSender>['send'], given: Given = {}) {
	const { proxy = PROXY, url = 'http://site.example/', timeoutMs = 1000, signal } = given;
	const page = pageRequest({ url, maxBytes: 1000 });
	return await requestThroughProxy({ helpers: { httpRequest }, signal }, page, proxy, timeoutMs);
}

describe('a proxy', () => {
	it('goes to the helper part by part, with what that would decode once more', () => {
		expect(proxyOption(PROXY)).toEqual({
			protocol: 'http',
			host: '10.0.0.1',
			port: 8000,
			auth: { username: 'user-region-US', password: 'p%2541:x@y' },
		});
	});

	it('without a login has none', () => {
		expect(proxyOption({ ...PROXY, login: undefined })).not.toHaveProperty('auth');
	});

	it('with an IPv6 address has brackets', () => {
		expect(proxyOption({ ...PROXY, host: '2001:db8::1' }).host).toBe('[2001:db8::1]');
	});
});

describe('nothing is sent', () => {
	const unusable: Array<[string, Record<string, unknown>]> = [
		['an empty host', { host: '' }],
		['no host', { host: undefined }],
		['a host with a space', { host: 'a b' }],
		['a host with a scheme', { host: 'http://10.0.0.1' }],
		['a host with a path', { host: '10.0.0.1/x' }],
		['a host with a login', { host: 'u:p@10.0.0.1' }],
		['no port', { port: undefined }],
		['port 0', { port: 0 }],
		['a port that is too large', { port: 65_536 }],
		['a port that is no number', { port: Number.NaN }],
		['a port as text', { port: '8000' }],
		['socks', { scheme: 'socks5' }],
		['no scheme', { scheme: undefined }],
	];

	it.each(unusable)('through a proxy with %s', async (_what, changes) => {
		const { send, requests } = fakeSender(() => ({ body: 'reached' }));
		const proxy: LeasedProxy = Object.assign({ ...PROXY }, changes);
		await expect(request(send, { proxy })).rejects.toThrow(/no proxy/);
		expect(requests).toEqual([]);
	});

	it('after the execution was cancelled', async () => {
		const { send, requests } = fakeSender(() => ({ body: 'reached' }));
		const signal = AbortSignal.abort();
		await expect(request(send, { signal })).rejects.toBeInstanceOf(CancelledError);
		expect(requests).toEqual([]);
	});
});

it('every request has a proxy, a signal that ends it, and no redirects of the helper', async () => {
	const { send, requests } = fakeSender(() => ({ body: 'x' }));
	await request(send);
	expect(requests).toMatchObject([
		{ proxy: { host: '10.0.0.1', port: 8000 }, disableFollowRedirect: true, encoding: 'stream' },
	]);
	expect(requests[0].abortSignal).toBeDefined();
});

it('a body that stops coming ends with the time of the attempt', async () => {
	const body = new Readable({ read() {} });
	body.push('beginning');
	const { send } = fakeSender(() => ({ stream: body }));
	const result = await request(send, { timeoutMs: 30 });
	expect(result).toMatchObject({ kind: 'failure', reason: 'timeout', status: 200 });
	expect(body.destroyed).toBe(true);
});

it.each([
	['that is too large by its header is not waited for', 1001, 'tooLarge'],
	['as large as it may be is', 1000, 'timeout'],
])('a body %s', async (_what, length, reason) => {
	const body = new Readable({ read() {} });
	const headers = { 'content-length': String(length) };
	const { send } = fakeSender(() => ({ headers, stream: body }));
	const result = await request(send, { timeoutMs: 30 });
	expect(result).toEqual({ kind: 'failure', reason, code: '', source: 'page', status: 200 });
	expect(body.destroyed).toBe(true);
});

it.each([
	['encrypted', true, 'page'],
	['not encrypted yet', false, 'proxy'],
])('a page is silent in a connection that is %s', async (_what, encrypted, source) => {
	const late = Object.assign(new Error('canceled'), { request: { socket: { encrypted } } });
	const send: ReturnType<typeof fakeSender>['send'] = async ({ abortSignal }) =>
		await new Promise((_resolve, reject) => {
			abortSignal?.addEventListener?.('abort', () => reject(late));
		});
	const failure = await request(send, { url: 'https://site.example/', timeoutMs: 30 });
	expect(failure).toMatchObject({ kind: 'failure', reason: 'timeout', source });
});

it('a body that breaks off is no page', async () => {
	const body = new Readable({ read() {} });
	setTimeout(() => body.destroy(connectionError('ECONNRESET')), 10);
	const { send } = fakeSender(() => ({ stream: body }));
	const result = await request(send);
	expect(result).toMatchObject({
		kind: 'failure',
		reason: 'connection',
		code: 'ECONNRESET',
		source: 'page',
	});
});

it('a host that n8n itself looks up in vain, for its own protection, is no fault of the proxy', async () => {
	const unknown = (hostname: string) => Object.assign(connectionError('ENOTFOUND'), { hostname });
	const failureOf = async (hostname: string) =>
		await request(async () => await Promise.reject(unknown(hostname)));
	const failure = { kind: 'failure', reason: 'unknownHost', code: '', source: 'proxy' };
	expect(await failureOf('site.example')).toEqual(failure);
	expect(await failureOf('tps.example')).toMatchObject({
		kind: 'failure',
		reason: 'connection',
		source: 'proxy',
	});
});

it.each([
	['http://site.example///other.example/x//y', 'http://site.example/other.example/x//y'],
	['https://site.example//x', 'https://site.example//x'],
])('the address %s, whose path is no host, is requested as %s', (url, requested) => {
	expect(requestableUrl(url)).toBe(requested);
});

it.each([0, 99, 150])(
	'a status of %s is no answer, and may have come from the page',
	async (status) => {
		const body = new Readable({ read() {} });
		const { send } = fakeSender(() => ({ status, stream: body }));
		const failure = await request(send);
		expect(failure).toEqual({
			kind: 'failure',
			reason: 'connection',
			code: '',
			source: 'unclear',
		});
		expect(body.destroyed).toBe(true);
	},
);

it('every request asks n8n for an error with each answer', async () => {
	const { send, requests } = fakeSender(() => ({ body: 'x' }));
	await request(send);
	const [{ ignoreHttpStatusErrors }] = requests;
	const except = expect.arrayContaining([200, 404]);
	expect(ignoreHttpStatusErrors).toEqual({ ignore: true, except });
});

describe('a body that comes in parts', () => {
	const parts = [0x80, 0xe4, 0xff, 0x61].map((byte) => Buffer.alloc(40_000, byte));

	it.each([
		['that says nothing of its length', NaN],
		['that says its length', 160_000],
		['that says less than it has', 10],
		['that says more than it has', 170_000],
		['that says far more than it has', 900_000_000],
	])('%s is read whole', async (_what, expected) => {
		const body = await readLimitedBody(Readable.from(parts), 160_000, expected);
		expect(body?.equals(Buffer.concat(parts))).toBe(true);
	});

	it('is read no further than it may be', async () => {
		const stream = Readable.from(parts);
		expect(await readLimitedBody(stream, 159_999)).toBeUndefined();
	});

	it.each([undefined, null, {}, 'text', 7])('has no bytes where it is %j', async (body) => {
		expect(await readLimitedBody(body, 10)).toHaveLength(0);
	});
});

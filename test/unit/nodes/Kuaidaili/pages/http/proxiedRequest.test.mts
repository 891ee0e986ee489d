import { Readable } from 'node:stream';

import type { IHttpRequestOptions } from 'n8n-workflow';

import { CancelledError } from '../../../../../../nodes/shared/errors/callErrors.ts';
import {
	proxyOption,
	requestThroughProxy,
	type SendRequest,
} from '../../../../../../nodes/Kuaidaili/pages/http/fetchPage.ts';
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

async function request(send: SendRequest, given: Given = {}) {
	const { proxy = PROXY, url = 'http://site.example/', timeoutMs = 1000, signal } = given;
	return await requestThroughProxy(
		send,
		pageRequest({ url, maxBytes: 1000 }),
		proxy,
		timeoutMs,
		signal,
	);
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
	const send = async () => ({ statusCode: 200, headers: {}, body });
	const result = await request(send, { timeoutMs: 30 });
	expect(result).toMatchObject({ failure: { reason: 'timeout', status: 200 } });
	expect(body.destroyed).toBe(true);
});

it('a body that breaks off is no page', async () => {
	const body = new Readable({ read() {} });
	setTimeout(() => body.destroy(connectionError('ECONNRESET')), 10);
	const send = async () => ({ statusCode: 200, headers: {}, body });
	const result = await request(send);
	expect(result).toMatchObject({
		failure: { reason: 'connection', code: 'ECONNRESET', reach: 'page' },
	});
});

it('a page over http that shows the login of the proxy comes without it, byte by byte', async () => {
	const sent = Buffer.from('user-region-US:p%41:x@y').toString('base64');
	const body = Buffer.from([0xd6, ...Buffer.from(` Basic ${sent} p%41:x@y `), 0xd0]);
	const { send } = fakeSender(() => ({ body }));
	const { answer } = await request(send);
	expect(answer?.body.toString('latin1')).toMatch(/^\xd6 Basic \*\*\*=* \*\*\* \xd0$/);
	const short = { ...PROXY, login: { username: 'user', password: 'p%41' } };
	const other = (await request(send, { proxy: short })).answer;
	expect(other?.body).toEqual(body);
});

it('what n8n forbids has reached nobody', async () => {
	const { send } = fakeSender(
		() => new Error('The request was blocked because it resolves to a restricted IP address'),
	);
	expect(await request(send)).toMatchObject({
		failure: { reason: 'forbidden', reach: 'nowhere' },
	});
});

it('a host that n8n itself looks up in vain, for its own protection, is no fault of the proxy', async () => {
	const unknown = (hostname: string) => Object.assign(connectionError('ENOTFOUND'), { hostname });
	const reasonOf = async (hostname: string) =>
		(await request(async () => await Promise.reject(unknown(hostname)))).failure;
	expect(await reasonOf('site.example')).toEqual({
		reason: 'unknownHost',
		code: '',
		reach: 'nowhere',
	});
	expect(await reasonOf('tps.example')).toMatchObject({ reason: 'connection', isProxyDown: true });
});

it('a path that begins with two slashes leads to no other host', async () => {
	const { send, requests } = fakeSender(() => ({ body: 'x' }));
	await request(send, { url: 'http://site.example///other.example/x//y' });
	await request(send, { url: 'https://site.example//x' });
	expect(requests.map(({ url }) => url)).toEqual([
		'http://site.example/other.example/x//y',
		'https://site.example//x',
	]);
});

it.each([0, 99, 150])(
	'a status of %s is no answer, and may have come from the page',
	async (status) => {
		const body = new Readable({ read() {} });
		const send = async () => ({ statusCode: status, headers: {}, body });
		const { failure } = Object(await request(send));
		expect(failure).toEqual({ reason: 'connection', code: '', reach: 'proxy' });
		expect(body.destroyed).toBe(true);
	},
);

it("an answer of n8n 1 is the page's only with an encrypted connection, where there is one to look at", async () => {
	const answered = async (socket: object | undefined) => {
		const body = Object.assign(Readable.from([Buffer.from('x')]), { socket });
		const send = async () => ({ statusCode: 200, headers: {}, body });
		const result = await request(send, { url: 'https://site.example/' });
		return result.answer?.reach;
	};
	expect(await answered({ encrypted: true })).toBe('page');
	expect(await answered({})).toBe('nowhere');
	// It is compressed, and n8n has unpacked it
	expect(await answered(undefined)).toBe('page');
});

it('every request asks n8n 2 for an error with each answer, and n8n 1 as ever', async () => {
	const read: unknown[] = [];
	const send = (isRead: boolean) => async (options: IHttpRequestOptions) => {
		if (isRead) read.push(options.agentOptions);
		read.push(options.ignoreHttpStatusErrors);
		return { statusCode: 200, headers: {}, body: '' };
	};
	await request(send(false));
	await request(send(true));
	expect(read).toEqual([false, {}, { ignore: true, except: expect.arrayContaining([200, 404]) }]);
});

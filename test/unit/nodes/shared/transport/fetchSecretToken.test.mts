import type { IHttpRequestOptions } from 'n8n-workflow';

import { GET_SECRET_TOKEN } from '../../../../../nodes/shared/service/endpoints/account.ts';
import {
	CallError,
	HttpStatusError,
	NetworkError,
	ApiError,
	InvalidResponseError,
} from '../../../../../nodes/shared/errors/callErrors.ts';
import { fetchSecretToken } from '../../../../../nodes/shared/transport/authentication.ts';
import { freshCredential, SECRET_KEY } from '../../../support/credential.mts';

const TOKEN = 'oxf0n0g59h7wcdyvz2uo68ph2s';

afterEach(() => jest.useRealTimers());

function answering(body: string, statusCode = 200) {
	return async () => await Promise.resolve({ statusCode, headers: {}, body });
}

function success(data: unknown, code: unknown = 0): string {
	return JSON.stringify({ code, msg: 'success', data });
}

async function failureOf(send: () => Promise<unknown>): Promise<unknown> {
	return await fetchSecretToken(freshCredential({ signType: 'token' }), send).then(
		() => {
			throw new Error('A token was fetched');
		},
		(error: unknown) => error,
	);
}

it('posts the key pair as a form to the token host, and nothing else', async () => {
	const requests: IHttpRequestOptions[] = [];
	const credential = freshCredential({ customHosts: true, authUrl: 'http://127.0.0.1:5000/' });
	await fetchSecretToken(credential, async (request) => {
		requests.push(request);
		return await answering(success({ secret_token: TOKEN, expire: 3600 }))();
	});
	expect(requests).toEqual([
		{
			method: 'POST',
			url: 'http://127.0.0.1:5000/api/get_secret_token',
			headers: { 'content-type': 'application/x-www-form-urlencoded' },
			body: { secret_id: credential.secretId, secret_key: SECRET_KEY },
			timeout: 10_000,
			encoding: 'stream',
			abortSignal: expect.any(AbortSignal),
			json: false,
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
		},
	]);
});

it('gives the token, and when to renew it by the life that is left', async () => {
	jest.useFakeTimers({ now: 1_000_000 });
	const credential = freshCredential();
	const send = answering(success({ secret_token: TOKEN, expire: 1650 }));
	expect(await fetchSecretToken(credential, send)).toEqual({
		token: TOKEN,
		renewAt: 1_000_000 + 1_590_000,
	});
});

it('asks once per second at most with one key, and at once with another', async () => {
	jest.useFakeTimers();
	const credential = freshCredential();
	const sent: number[] = [];
	const begin = performance.now();
	const send = async () => {
		sent.push(performance.now() - begin);
		return await answering(success({ secret_token: TOKEN, expire: 60 }))();
	};
	const all = Promise.all([
		fetchSecretToken(credential, send),
		fetchSecretToken(credential, send),
		fetchSecretToken(freshCredential(), send),
	]);
	await jest.advanceTimersByTimeAsync(0);
	expect(sent).toEqual([0, 0]);
	await jest.advanceTimersByTimeAsync(1100);
	await all;
	expect(sent[2]).toBeGreaterThan(1000);
});

it('takes also the last second of a life', async () => {
	const send = answering(success({ secret_token: TOKEN, expire: 1 }));
	expect((await fetchSecretToken(freshCredential(), send)).token).toBe(TOKEN);
});

it.each([-1, -2, -108, -120])('tells that the service refused with %d', async (code) => {
	const error = await failureOf(answering(success('', code)));
	expect(error).toBeInstanceOf(ApiError);
	expect(error).toMatchObject({ endpoint: GET_SECRET_TOKEN, code });
});

it.each([
	['no data', ''],
	['no token', { expire: 60 }],
	['an empty token', { secret_token: '', expire: 60 }],
	['a token that is a number', { secret_token: 123456, expire: 60 }],
	['no life', { secret_token: TOKEN }],
	['a life of 0', { secret_token: TOKEN, expire: 0 }],
	['a negative life', { secret_token: TOKEN, expire: -5 }],
	['a life that is a text', { secret_token: TOKEN, expire: '3600' }],
	['a list', [TOKEN, 60]],
	['a token in a prototype', JSON.parse(`{"__proto__":{"secret_token":"${TOKEN}","expire":60}}`)],
])('takes an answer with %s for unusable, and does not show it', async (_name, data) => {
	const error = await failureOf(answering(success(data)));
	expect(error).toBeInstanceOf(InvalidResponseError);
	expect(error).toMatchObject({ reason: 'contains no usable secret token', excerpt: '' });
});

it('takes a text for no answer, and does not show it', async () => {
	const error = await failureOf(answering(TOKEN));
	expect(error).toBeInstanceOf(InvalidResponseError);
	expect(error).toMatchObject({ excerpt: '' });
});

it('does not show an answer that was cut behind the token', async () => {
	const whole = success({ secret_token: TOKEN, expire: 3600 });
	for (let length = 1; length < whole.length; length++) {
		const error = await failureOf(answering(whole.slice(0, length)));
		expect(error).toBeInstanceOf(InvalidResponseError);
		expect(error).toMatchObject({ excerpt: '' });
	}
});

it('tells an HTTP status', async () => {
	const error = await failureOf(answering('Bad gateway', 502));
	expect(error).toBeInstanceOf(HttpStatusError);
	// What it began with stays hidden: it could be the token
	expect(error).toMatchObject({ status: 502, excerpt: '' });
});

it('tells that no answer came, from where, and why', async () => {
	const fail = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
	const error = await failureOf(async () => await Promise.reject(fail));
	expect(error).toBeInstanceOf(NetworkError);
	expect(error).toMatchObject({ failure: { kind: 'refused' }, host: 'auth.kdlapi.com' });
});

it('never shows the secret key', async () => {
	for (const send of [
		answering(`${SECRET_KEY} is wrong`, 500),
		answering(`{"code":-2,"msg":"${SECRET_KEY}"}`),
		answering(`{"key":"${SECRET_KEY}"`),
		answering(`{"key":"${SECRET_KEY}"}`),
	]) {
		const error = await failureOf(send);
		expect(error).toBeInstanceOf(CallError);
		expect(JSON.stringify(error)).not.toContain(SECRET_KEY);
		expect(String(error)).not.toContain(SECRET_KEY);
	}
});

it('shows neither the key nor an older token in what n8n says of a failure', async () => {
	const credential = freshCredential();
	const said = `Something with ${credential.secretKey} and old-token went wrong`;
	const send = async () => await Promise.reject<unknown>(new Error(said));
	const failure = fetchSecretToken(credential, send, { otherSecrets: ['old-token'] });
	await expect(failure).rejects.toMatchObject({
		name: 'NetworkError',
		failure: { detail: 'Something with [hidden] and [hidden] went wrong' },
	});
});

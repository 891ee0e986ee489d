import type { IHttpRequestOptions } from 'n8n-workflow';

import {
	keyPairFingerprint,
	type SecretToken,
} from '../../../../../nodes/shared/credential/secretToken.ts';
import { InvalidResponseError } from '../../../../../nodes/shared/transport/callErrors.ts';
import { secretTokens } from '../../../../../nodes/shared/transport/processState.ts';
import { directCaller } from '../../../../../nodes/shared/transport/directCaller.ts';
import { freshCredential, SECRET_KEY } from '../../../support/credential.mts';
import { expectedSignature, serviceView } from '../../../support/serviceView.mts';

const REQUEST: IHttpRequestOptions = {
	method: 'GET',
	url: 'https://dev.kdlapi.com/api/getorderinfo',
	qs: { field_list: 'status' },
};

/** A caller whose requests are kept, and whose tokens are numbered. */
function callerWith(signType: 'hmacsha1' | 'token') {
	const credential = freshCredential({ signType });
	const fingerprint = keyPairFingerprint(credential);
	const requests: IHttpRequestOptions[] = [];
	const signal = new AbortController().signal;
	const obtainToken = jest.fn(async (): Promise<SecretToken> => {
		const end = Date.now() + 3_600_000;
		const token = `secret-token-${obtainToken.mock.calls.length}`;
		return await Promise.resolve({ token, expiresAt: end, renewAt: end, fingerprint });
	});
	const caller = directCaller({
		credential,
		timeoutMs: 5000,
		signal,
		async send(request) {
			requests.push(request);
			return await Promise.resolve({ statusCode: 200, headers: { a: 'b' }, body: 'text' });
		},
		obtainToken,
		otherSecrets: ['key-of-the-account'],
	});
	return { caller, credential, fingerprint, requests, signal, obtainToken };
}

it('is a caller with the credential, the time-out and the signal that it was given', () => {
	const { caller, credential, signal } = callerWith('hmacsha1');
	expect(caller.credential).toBe(credential);
	expect(caller.timeoutMs).toBe(5000);
	expect(caller.signal).toBe(signal);
	expect(caller.preparationMs()).toBe(0);
});

describe('with signed requests', () => {
	it('signs by itself, and gives the reply as it is', async () => {
		const { caller, credential, requests } = callerWith('hmacsha1');
		await caller.prepare();
		expect(await caller.send(REQUEST)).toEqual({ status: 200, headers: { a: 'b' }, body: 'text' });
		const view = serviceView(requests[0]);
		expect(view.query.get('secret_id')).toBe(credential.secretId);
		expect(view.query.get('sign_type')).toBe('hmacsha1');
		expect(view.query.get('field_list')).toBe('status');
		expect(view.query.get('signature')).toBe(expectedSignature(view, SECRET_KEY));
	});

	it('signs each request afresh, and leaves the given one as it was', async () => {
		const { caller, requests } = callerWith('hmacsha1');
		await caller.send(REQUEST);
		await caller.send(REQUEST);
		const nonces = requests.map((request) => serviceView(request).query.get('nonce'));
		expect(new Set(nonces).size).toBe(2);
		expect(REQUEST.qs).toEqual({ field_list: 'status' });
	});

	it('needs no token and has none to renew', async () => {
		const { caller, obtainToken } = callerWith('hmacsha1');
		await caller.prepare();
		expect(caller.refreshToken()).toBe(false);
		expect(obtainToken).not.toHaveBeenCalled();
	});

	it('hides its key and the other secrets', () => {
		const { caller } = callerWith('hmacsha1');
		expect(caller.secrets()).toEqual([SECRET_KEY, '', 'key-of-the-account']);
	});
});

describe('with a token', () => {
	it('sends the token that it got first, and hides it', async () => {
		const { caller, requests } = callerWith('token');
		await caller.prepare();
		await caller.send(REQUEST);
		const { query } = serviceView(requests[0]);
		expect(query.get('sign_type')).toBe('token');
		expect(query.get('signature')).toBe('secret-token-1');
		expect(caller.secrets()).toEqual([SECRET_KEY, 'secret-token-1', 'key-of-the-account']);
	});

	it('sends nothing without a token', async () => {
		const { caller, requests } = callerWith('token');
		await expect(caller.send(REQUEST)).rejects.toThrow('The secret token has to be renewed');
		expect(requests).toEqual([]);
	});

	it('gets another one after the service refused it, and forgets the refused one everywhere', async () => {
		const { caller, fingerprint, requests, obtainToken } = callerWith('token');
		await secretTokens.obtain(fingerprint, obtainToken);
		obtainToken.mockClear();
		await caller.prepare();
		expect(caller.refreshToken()).toBe(true);
		expect(caller.secrets()).not.toContain('secret-token-1');
		await caller.prepare();
		await caller.send(REQUEST);
		expect(serviceView(requests[0]).query.get('signature')).toBe('secret-token-2');
		const fetch = jest.fn(obtainToken);
		await secretTokens.obtain(fingerprint, fetch);
		expect(fetch).toHaveBeenCalledTimes(1);
	});

	it('can renew before it had one', async () => {
		const { caller, requests } = callerWith('token');
		expect(caller.refreshToken()).toBe(true);
		await caller.prepare();
		await caller.send(REQUEST);
		expect(requests).toHaveLength(1);
	});

	it('fails as the fetching of the token fails', async () => {
		const { caller, requests, obtainToken } = callerWith('token');
		obtainToken.mockRejectedValueOnce(new InvalidResponseError('is empty', ''));
		await expect(caller.prepare()).rejects.toThrow(InvalidResponseError);
		expect(requests).toEqual([]);
	});
});

it('sends to no other host than the service', async () => {
	const { caller, requests } = callerWith('hmacsha1');
	await expect(caller.send({ ...REQUEST, url: 'https://example.com/' })).rejects.toThrow(
		'is not sent to https://example.com',
	);
	expect(requests).toEqual([]);
});

it('fails when what comes back is no whole reply', async () => {
	const credential = freshCredential();
	const caller = directCaller({
		credential,
		timeoutMs: 1,
		send: async () => await Promise.resolve({ body: 'text' }),
		obtainToken: async () => await Promise.reject<SecretToken>(new Error('unused')),
	});
	expect(caller.secrets()).toEqual([SECRET_KEY, '']);
	await expect(caller.send(REQUEST)).rejects.toThrow(InvalidResponseError);
});

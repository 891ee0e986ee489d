import type { IHttpRequestOptions } from 'n8n-workflow';

import { InvalidResponseError } from '../../../../../nodes/shared/errors/callErrors.ts';
import { directCaller } from '../../../../../nodes/shared/transport/caller.ts';
import { freshCredential, SECRET_KEY } from '../../../support/credential.mts';
import { expectedSignature, serviceView } from '../../../support/serviceView.mts';

const REQUEST: IHttpRequestOptions = {
	method: 'GET',
	url: 'https://dev.kdlapi.com/api/getorderinfo',
	qs: { field_list: 'status' },
};

const TOKEN = {
	statusCode: 200,
	headers: {},
	body: '{"code":0,"msg":"","data":{"secret_token":"the-token","expire":3600}}',
};

/** A caller whose requests are kept. */
function callerWith(signType: 'hmacsha1' | 'token') {
	const credential = freshCredential({ signType });
	const requests: IHttpRequestOptions[] = [];
	const signal = new AbortController().signal;
	const onRefusal = () => {};
	const caller = directCaller({
		credential,
		timeoutMs: 5000,
		log: () => {},
		signal,
		async send(request) {
			if (request.url.endsWith('/api/get_secret_token')) return await Promise.resolve(TOKEN);
			requests.push(request);
			return await Promise.resolve({ statusCode: 200, headers: { a: 'b' }, body: 'text' });
		},
		otherSecrets: () => ['key-of-the-account'],
		onRefusal,
	});
	return { caller, credential, onRefusal, requests, signal };
}

it('is a caller with the credential, the time-out, the signal, and the listener that it was given', () => {
	const { caller, credential, onRefusal, signal } = callerWith('hmacsha1');
	expect(caller.credential).toBe(credential);
	expect(caller.timeoutMs).toBe(5000);
	expect(caller.signal).toBe(signal);
	expect(caller.onRefusal).toBe(onRefusal);
});

it('signs by itself, and gives the reply as it is', async () => {
	const { caller, credential, requests } = callerWith('hmacsha1');
	await caller.prepare();
	expect(await caller.send(REQUEST)).toEqual({ status: 200, headers: { a: 'b' }, body: 'text' });
	const view = serviceView(requests[0]);
	expect(view.query.get('secret_id')).toBe(credential.secretId);
	expect(view.query.get('sign_type')).toBe('hmacsha1');
	expect(view.query.get('field_list')).toBe('status');
	expect(view.query.get('signature')).toBe(expectedSignature(view, SECRET_KEY));
	expect(caller.secrets()).toEqual([SECRET_KEY, '', '', 'key-of-the-account']);
});

it('signs each request afresh, and leaves the given one as it was', async () => {
	const { caller, requests } = callerWith('hmacsha1');
	await caller.send(REQUEST);
	await caller.send(REQUEST);
	const nonces = requests.map((request) => serviceView(request).query.get('nonce'));
	expect(new Set(nonces).size).toBe(2);
	expect(REQUEST.qs).toEqual({ field_list: 'status' });
});

it('sends the token that it got first, and hides it', async () => {
	const { caller, requests } = callerWith('token');
	await caller.prepare();
	await caller.send(REQUEST);
	const { query } = serviceView(requests[0]);
	expect(query.get('sign_type')).toBe('token');
	expect(query.get('signature')).toBe('the-token');
	expect(caller.secrets()).toEqual([SECRET_KEY, 'the-token', '', 'key-of-the-account']);
});

it('sends nothing without the token that it needs', async () => {
	const { caller, requests } = callerWith('token');
	await expect(caller.send(REQUEST)).rejects.toThrow('A secret token has to be fetched first');
	expect(requests).toEqual([]);
});

it('sends to no other host than the service', async () => {
	const { caller, requests } = callerWith('hmacsha1');
	await expect(caller.send({ ...REQUEST, url: 'https://example.com/' })).rejects.toThrow(
		'is not sent to https://example.com',
	);
	expect(requests).toEqual([]);
});

it('fails when what comes back is no whole reply', async () => {
	const caller = directCaller({
		credential: freshCredential(),
		timeoutMs: 1,
		log: () => {},
		send: async () => await Promise.resolve({ body: 'text' }),
	});
	expect(caller.secrets()).toEqual([SECRET_KEY, '', '']);
	await expect(caller.send(REQUEST)).rejects.toThrow(InvalidResponseError);
});

import type { IHttpRequestOptions } from 'n8n-workflow';

import { InvalidResponseError } from '../../../../../nodes/shared/errors/callErrors.ts';
import { directCaller } from '../../../../../nodes/shared/transport/caller.ts';
import { freshCredential, SECRET_KEY } from '../../../support/credential.mts';

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

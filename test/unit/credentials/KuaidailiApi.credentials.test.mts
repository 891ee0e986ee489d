import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { KuaidailiApi } from '../../../credentials/KuaidailiApi.credentials.ts';
import { CREDENTIAL_TYPE } from '../../../nodes/shared/api/sign.ts';
import {
	credentialWith,
	DEFAULT_HOSTS,
	freshCredential,
	SECRET_KEY,
} from '../support/credential.mts';
import { deepFreeze } from '../support/frozen.mts';
import { expectedSignature, serviceView } from '../support/serviceView.mts';

const credentialType = new KuaidailiApi();
const request: IHttpRequestOptions = { url: 'https://dev.kdlapi.com/api/getproxy', qs: { num: 5 } };

function data(fields: Record<string, string> = {}): ICredentialDataDecryptedObject {
	const { secretId } = freshCredential();
	return { keyType: 'order', secretId, secretKey: SECRET_KEY, signType: 'token', ...fields };
}

async function authenticate(
	credentials: ICredentialDataDecryptedObject,
	options = request,
): Promise<IHttpRequestOptions> {
	const { authenticate: sign } = credentialType;
	if (typeof sign !== 'function') throw new Error('The credential does not sign by itself');
	return await sign(credentials, options);
}

describe('the form', () => {
	const field = (name: string) => credentialType.properties.find((one) => one.name === name);

	it('has its fields in their order', () => {
		expect(credentialType.properties.map(({ name }) => name)).toEqual([
			'keyType',
			'secretId',
			'secretKey',
			'signType',
			'customHosts',
			'baseUrl',
			'dpsUrl',
			'kpsUrl',
			'tpsUrl',
			'fpsUrl',
			'svipUrl',
			'authUrl',
			'secretToken',
		]);
		expect(credentialType.name).toBe('kuaidailiApi');
		expect(CREDENTIAL_TYPE).toBe('kuaidailiApi');
		expect(credentialType.displayName).toBe('Kuaidaili API');
	});

	it.each([
		['keyType', ['account', 'order'], 'account'],
		['signType', ['hmacsha1', 'token'], 'hmacsha1'],
	])('lets %s be one of %j', (name, values, preset) => {
		const { type, options, default: first } = field(name) ?? {};
		expect(type).toBe('options');
		expect(options?.map((option) => Reflect.get(option, 'value'))).toEqual(values);
		expect(first).toBe(preset);
	});

	it('as it is preset can be read once the keys are filled in', () => {
		const preset = Object.fromEntries(
			credentialType.properties.map(({ name, default: value }) => [name, value]),
		);
		expect(credentialWith({ ...preset, secretId: 'id', secretKey: 'key' })).toMatchObject({
			keyType: 'account',
			signType: 'hmacsha1',
			hosts: DEFAULT_HOSTS,
		});
	});
});

describe('authenticate', () => {
	it('signs a copy with the time of now', async () => {
		const signed = await authenticate(data({ signType: 'hmacsha1' }), deepFreeze({ ...request }));
		const view = serviceView(signed);
		expect(view.query.get('signature')).toBe(expectedSignature(view, SECRET_KEY));
		const age = Date.now() / 1000 - Number(view.query.get('timestamp'));
		expect(age).toBeGreaterThanOrEqual(0);
		expect(age).toBeLessThan(5);
	});

	it('signs with the key itself where something invisible was pasted with it', async () => {
		const secretKey = `\u200B${SECRET_KEY}\u200B `;
		const view = serviceView(await authenticate(data({ signType: 'hmacsha1', secretKey })));
		expect(view.query.get('signature')).toBe(expectedSignature(view, SECRET_KEY));
	});

	it('sends the token that the node puts into its copy', async () => {
		const signed = await authenticate(data({ secretToken: 'token-of-the-node' }));
		expect(serviceView(signed).query.get('signature')).toBe('token-of-the-node');
	});

	it.each<Record<string, string>>([{}, { secretToken: '' }])(
		'signs without a token of the node: %j',
		async (fields) => {
			const view = serviceView(await authenticate(data(fields)));
			expect(view.query.get('sign_type')).toBe('hmacsha1');
			expect(view.query.get('signature')).toBe(expectedSignature(view, SECRET_KEY));
		},
	);

	it.each([
		'https://dev.kdlapi.com/api/createorder',
		'https://dev.kdlapi.com/api/reneworder',
		'https://dev.kdlapi.com/API//CreateOrder/',
		'https://dev.kdlapi.com/api/%63reateorder',
		'https://dps.kdlapi.com/api/getdps',
	])('never signs a second time what spends money or quota: %s', async (url) => {
		const signed = await authenticate(data(), { url });
		expect(serviceView(signed).query.has('signature')).toBe(true);
		await expect(authenticate(data(), signed)).rejects.toThrow('not sent a second time');
		const uri: IHttpRequestOptions = Object.assign({ url }, { uri: url, method: 'POST' as const });
		Reflect.deleteProperty(uri, 'url');
		const form = await authenticate(data(), uri);
		await expect(authenticate(data(), form)).rejects.toThrow('not sent a second time');
	});

	it('signs a read again, as n8n does after a 401', async () => {
		const read = { url: 'https://dev.kdlapi.com/api/getorderexpiretime' };
		const again = serviceView(await authenticate(data(), await authenticate(data(), read)));
		expect(again.query.get('signature')).toBe(expectedSignature(again, SECRET_KEY));
	});

	it('refuses a credential that cannot be read', async () => {
		await expect(authenticate({ secretId: '' })).rejects.toThrow("'Secret ID'");
	});
});

it('gives n8n nothing to fetch, to store, or to send again with', () => {
	expect(credentialType).not.toHaveProperty('preAuthentication');
});

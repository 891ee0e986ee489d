import type {
	ICredentialDataDecryptedObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { KuaidailiApi } from '../../../credentials/KuaidailiApi.credentials.ts';
import { CREDENTIAL_TYPE } from '../../../nodes/shared/credential/kuaidailiCredential.ts';
import { DEFAULT_HOSTS } from '../../../nodes/shared/service/hosts.ts';
import { credentialWith, freshCredential, SECRET_KEY } from '../support/credential.mts';
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

/** n8n's part of fetching a token: every answer is this body. */
function helper(body: string, sent: IHttpRequestOptions[] = []): IHttpRequestHelper {
	return {
		helpers: {
			httpRequest: async (options: IHttpRequestOptions) => {
				sent.push(options);
				return await Promise.resolve({ statusCode: 200, headers: {}, body });
			},
		},
	};
}

const TOKEN_ANSWER = '{"code":0,"msg":"success","data":{"secret_token":"the-token","expire":3600}}';

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

	it('asks for both keys', () => {
		for (const name of ['secretId', 'secretKey']) {
			expect(field(name)).toMatchObject({ type: 'string', default: '', required: true });
		}
		expect(field('customHosts')?.type).toBe('boolean');
		for (const name of Object.keys(DEFAULT_HOSTS)) expect(field(name)?.type).toBe('string');
	});

	it('hides what is secret, and lets n8n renew the token', () => {
		expect(field('secretKey')?.typeOptions).toEqual({ password: true });
		expect(field('secretToken')).toMatchObject({
			type: 'hidden',
			typeOptions: { expirable: true, password: true },
			default: '',
		});
	});

	it('signs by default, and calls the hosts of the service', () => {
		expect(field('signType')?.default).toBe('hmacsha1');
		expect(field('customHosts')?.default).toBe(false);
		for (const [name, host] of Object.entries(DEFAULT_HOSTS)) {
			expect(field(name)?.default).toBe(host);
			expect(field(name)?.displayOptions).toEqual({ show: { customHosts: [true] } });
		}
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
	it('belongs to the object itself, or n8n would not list the credential', () => {
		expect(Object.hasOwn(credentialType, 'authenticate')).toBe(true);
	});

	it('signs a copy with the time of now', async () => {
		const signed = await authenticate(data({ signType: 'hmacsha1' }), deepFreeze({ ...request }));
		const view = serviceView(signed);
		expect(view.query.get('signature')).toBe(expectedSignature(view, SECRET_KEY));
		const age = Date.now() / 1000 - Number(view.query.get('timestamp'));
		expect(age).toBeGreaterThanOrEqual(0);
		expect(age).toBeLessThan(5);
	});

	it('asks n8n for a token by an error with the status 401', async () => {
		await expect(authenticate(data())).rejects.toMatchObject({ response: { status: 401 } });
	});

	it('refuses a credential that cannot be read', async () => {
		await expect(authenticate({ secretId: '' })).rejects.toThrow("'Secret ID'");
	});
});

describe('preAuthentication', () => {
	it('has nothing to do for signatures', async () => {
		const sent: IHttpRequestOptions[] = [];
		const result = await credentialType.preAuthentication.call(
			helper(TOKEN_ANSWER, sent),
			data({ signType: 'hmacsha1' }),
		);
		expect(result).toEqual({});
		expect(sent).toEqual([]);
	});

	it('fetches a token that authenticate then sends, and gives n8n nothing to store', async () => {
		const credentials = data();
		const given = { ...credentials };
		const result = await credentialType.preAuthentication.call(helper(TOKEN_ANSWER), credentials);
		const signed = await authenticate(credentials);
		expect(serviceView(signed).query.get('signature')).toBe('the-token');
		expect(result).toEqual({});
		expect(credentials).toEqual(given);
	});

	it('fetches one token for all who ask at once, and none while it is good', async () => {
		const credentials = data();
		const sent: IHttpRequestOptions[] = [];
		const ask = async () =>
			await credentialType.preAuthentication.call(helper(TOKEN_ANSWER, sent), credentials);
		await Promise.all(Array.from({ length: 20 }, ask));
		await ask();
		expect(sent).toHaveLength(1);
	});

	it('fetches another one for other keys', async () => {
		const [one, other] = [data(), data()];
		const otherAnswer = TOKEN_ANSWER.replace('the-token', 'other-token');
		await credentialType.preAuthentication.call(helper(TOKEN_ANSWER), one);
		await credentialType.preAuthentication.call(helper(otherAnswer), other);
		const signatures = [one, other].map(async (credentials) =>
			serviceView(await authenticate(credentials)).query.get('signature'),
		);
		expect(await Promise.all(signatures)).toEqual(['the-token', 'other-token']);
	});

	it('leaves it to the node that brings its own token', async () => {
		const sent: IHttpRequestOptions[] = [];
		const credentials = { ...data(), secretToken: 'token-of-the-node' };
		await credentialType.preAuthentication.call(helper(TOKEN_ANSWER, sent), credentials);
		expect(sent).toEqual([]);
		const signed = await authenticate(credentials);
		expect(serviceView(signed).query.get('signature')).toBe('token-of-the-node');
	});

	it('says everything in its message, which the HTTP Request node shows as it is', async () => {
		const body = '{"code":-2,"msg":"密钥错误","data":""}';
		await expect(credentialType.preAuthentication.call(helper(body), data())).rejects.toThrow(
			/^'Secret ID' or 'Secret Key' is wrong\. Copy .* The service said: 密钥错误 \(code -2\)\.$/,
		);
	});
});

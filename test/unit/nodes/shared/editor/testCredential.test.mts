import type { ICredentialsDecrypted, ICredentialTestFunctions } from 'n8n-workflow';

import { kuaidailiApiTest } from '../../../../../nodes/shared/editor/testCredential.ts';
import { freshCredential, SECRET_KEY } from '../../../support/credential.mts';

const TOKEN = 'oxf0n0g59h7wcdyvz2uo68ph2s';
const TOKEN_ANSWER = { code: 0, msg: 'success', data: { secret_token: TOKEN, expire: 3600 } };
const SUCCESS = { code: 0, msg: '', data: { balance: '620.80' } };

interface OlderRequest {
	uri: string;
	method: string;
	qs: Record<string, string>;
	form: Record<string, string>;
	[other: string]: unknown;
}

type Answer = object | string | Error;

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => {
	jest.useRealTimers();
});

/** Runs the test of a credential on answers in place of a network. */
async function test(
	fields: Record<string, unknown>,
	answer: (request: OlderRequest, index: number) => Answer,
	reply: object = {},
) {
	const requests: OlderRequest[] = [];
	const request = async (options: OlderRequest): Promise<unknown> => {
		requests.push(options);
		const body = answer(options, requests.length - 1);
		if (body instanceof Error) throw body;
		return await Promise.resolve({
			statusCode: 200,
			headers: {},
			body: typeof body === 'string' ? body : JSON.stringify(body),
			...reply,
		});
	};
	const { secretId } = freshCredential();
	const data = { keyType: 'order', secretId, secretKey: SECRET_KEY, ...fields };
	const logger = { debug: () => {} };
	const context = { helpers: { request }, logger } as unknown as ICredentialTestFunctions;
	const decrypted: ICredentialsDecrypted = { id: '1', name: 'Test', type: 'kuaidailiApi' };
	Reflect.set(decrypted, 'data', data);
	const running = kuaidailiApiTest.call(context, decrypted);
	// The pauses before other attempts
	await jest.advanceTimersByTimeAsync(15_000);
	const result = await running;
	return { ...result, requests };
}

const refused = (code: number) => () => ({ code, msg: '原因', data: '' });

describe('a good credential', () => {
	it.each([
		['account', 'https://dev.kdlapi.com/api/getaccountbalance'],
		['order', 'https://dev.kdlapi.com/api/getorderexpiretime'],
	])('of the kind %s passes after one signed read', async (keyType, uri) => {
		const { status, message, requests } = await test({ keyType }, () => SUCCESS);
		expect({ status, message }).toEqual({
			status: 'OK',
			message: 'Kuaidaili accepted the key pair',
		});
		expect(requests).toHaveLength(1);
		expect(requests[0]).toMatchObject({
			uri,
			method: 'GET',
			simple: false,
			resolveWithFullResponse: true,
			followRedirect: false,
			// A third of the time, so that two more attempts find room in it
			timeout: 5000,
		});
		expect(requests[0]).not.toHaveProperty('url');
		expect(Object.keys(requests[0].qs).sort()).toEqual([
			'nonce',
			'secret_id',
			'sign_type',
			'signature',
			'timestamp',
		]);
	});

	it('with a token passes after fetching one', async () => {
		const { status, requests } = await test({ signType: 'token' }, (_request, index) =>
			index === 0 ? TOKEN_ANSWER : SUCCESS,
		);
		expect(status).toBe('OK');
		expect(requests.map(({ uri, method }) => `${method} ${uri}`)).toEqual([
			'POST https://auth.kdlapi.com/api/get_secret_token',
			'GET https://dev.kdlapi.com/api/getorderexpiretime',
		]);
		expect(requests[0].form).toMatchObject({ secret_key: SECRET_KEY });
		expect(requests[1].qs).toMatchObject({ signature: TOKEN, sign_type: 'token' });
	});
});

describe('a bad credential', () => {
	it.each([
		[-101, /^No Secret ID reached the service\. Fill in 'Secret ID'/],
		[-102, /does not exist or has expired\. .*'Secret ID' in the credential/],
		[-104, /^Secret Key doesn't belong to Secret ID\. Copy 'Secret ID' and 'Secret Key' again/],
		[-108, /not on the account's API whitelist\. Add the public IP address/],
		[-121, /^This account accepts only signed requests\. Set 'Sign Type'/],
		[-999, /^The service refused the request with code -999: 原因/],
	])('refused with %d is told with reason and description', async (code, text) => {
		const { status, message, requests } = await test({}, refused(code));
		expect(status).toBe('Error');
		expect(message).toMatch(text);
		expect(message).toContain('原因');
		// After -102, a second read finds out whether the pair is one of the other kind
		expect(requests).toHaveLength(code === -102 ? 2 : 1);
	});

	it.each([
		['account', 'getaccountbalance', /belongs to an order, not to the account/],
		['order', 'getorderexpiretime', /belongs to the account, not to an order/],
	])(
		'that is not known as the kind %s, but as the other one, is told so',
		async (keyType, refusing, text) => {
			const { status, message } = await test({ keyType }, ({ uri }) =>
				uri.endsWith(refusing) ? refused(-102)() : SUCCESS,
			);
			expect(status).toBe('Error');
			expect(message).toMatch(text);
		},
	);

	it.each([
		['account', /^This Secret ID isn't known\. Copy 'Secret ID' again/],
		['order', /^This order or its key pair does not exist or has expired\./],
	])('of the kind %s that is not known at all is told so', async (keyType, text) => {
		const { message } = await test({ keyType }, refused(-102));
		expect(message).toMatch(text);
	});

	it.each([
		['account', -3, /belongs to an order, not to the account.*'Key Type' to 'Order'/],
		['account', -123, /belongs to an order, not to the account/],
		['order', -123, /belongs to the account, not to an order.*'Key Type' to 'Account'/],
	])('of the wrong kind, not %s (%d), is told so', async (keyType, code, text) => {
		const { status, message } = await test({ keyType }, refused(code));
		expect(status).toBe('Error');
		expect(message).toMatch(text);
	});

	it('whose clock is off is told by how much', async () => {
		const date = new Date(Date.now() + 600_000).toUTCString();
		const { status, message } = await test({}, refused(-112), { headers: { date } });
		expect(status).toBe('Error');
		expect(message).toMatch(
			/The clock of this machine is (10 minutes|9 minutes 59 seconds) behind/,
		);
	});

	it('with a wrong key in token mode is told what the token host says', async () => {
		const { status, message, requests } = await test({ signType: 'token' }, refused(-2));
		expect(status).toBe('Error');
		expect(message).toMatch(/^'Secret ID' or 'Secret Key' is wrong\./);
		expect(requests).toHaveLength(1);
	});

	it.each([
		[{ secretId: ' ' }, /^'Secret ID' in the credential is empty/],
		[{ secretKey: '' }, /^'Secret Key' in the credential is empty/],
		[{ signType: 'simple' }, /^'Sign Type' in the credential must be one of/],
		[{ customHosts: true, baseUrl: 'http://a.example' }, /^'Base URL' in the credential cannot/],
	])('with the fields %j is told before anything is sent', async (fields, text) => {
		const { status, message, requests } = await test(fields, () => SUCCESS);
		expect(status).toBe('Error');
		expect(message).toMatch(text);
		expect(requests).toHaveLength(0);
	});
});

describe('no usable answer', () => {
	it.each<[string, Answer, RegExp]>([
		[
			'a refused connection',
			Object.assign(new Error('x'), { code: 'ECONNREFUSED' }),
			/refused the connection/,
		],
		['an unknown host', Object.assign(new Error('x'), { code: 'ENOTFOUND' }), /was not found/],
		['something unknown', new Error('x'), /got no response/],
		['a page', '<html><body>Login</body></html>', /^The service's response is a web page/],
		[
			'a text',
			'Please log in to the network',
			/^The service's response is not a Kuaidaili response/,
		],
		['nothing', '', /^The service's response is empty/],
		['a code that is a text', '{"code":"0"}', /has no code/],
		['a list', '[]', /has no code/],
	])('is told: %s', async (_name, answer, text) => {
		const { status, message } = await test({}, () => answer);
		expect(status).toBe('Error');
		expect(message).toMatch(text);
	});

	it.each([301, 401, 404, 502])('with the status %d is told', async (statusCode) => {
		const { status, message } = await test({}, () => SUCCESS, { statusCode });
		expect(status).toBe('Error');
		expect(message).toContain(`HTTP status ${statusCode}`);
	});
});

it('never shows the secret key or the token', async () => {
	const answers = [
		{ code: -104, msg: `${SECRET_KEY} ${TOKEN}`, data: '' },
		`{"${SECRET_KEY} ${TOKEN}`,
		`<p>${SECRET_KEY} ${TOKEN}</p>`,
	];
	for (const answer of answers) {
		const { status, message } = await test({ signType: 'token' }, (_request, index) =>
			index === 0 ? TOKEN_ANSWER : answer,
		);
		expect(status).toBe('Error');
		expect(message).not.toContain(SECRET_KEY);
		expect(message).not.toContain(TOKEN);
	}
});

import type { Fault } from '../../../sandbox/sandbox.mts';
import { TOKENS, type PlanName } from '../support/testBed.mts';
import { account, bed, order, PROBES, SIGN_TYPES, test } from './testedCredential.mts';

describe.each(SIGN_TYPES)('with sign type %s', (signType) => {
	it('the key pair of an account is right', async () => {
		const { keys } = bed().newAccount();
		expect(await test(keys, { ...account, signType })).toEqual({
			status: 'OK',
			message: expect.stringMatching(/./),
		});
		expect(bed().sandbox.log.last()).toMatchObject({ path: PROBES[0], code: 0 });
	});

	it.each<PlanName>(['regular', 'vip', 'svip'])(
		'the key pair of a %s order is right',
		async (plan) => {
			const { keys } = bed().newOrder(plan);
			expect(await test(keys, { ...order, signType })).toMatchObject({ status: 'OK' });
			expect(bed().sandbox.log.last()).toMatchObject({ path: PROBES[1], code: 0 });
		},
	);

	it('a wrong Secret ID is told with what to do', async () => {
		for (const keyType of ['account', 'order']) {
			const keys = { ...bed().newAccount().keys, secretId: 'not-there' };
			const { status, message } = await test(keys, { keyType, signType });
			expect(status).toBe('Error');
			expect(message).toContain("'Secret ID'");
		}
	});

	it('a wrong Secret Key is told with what to do', async () => {
		const keys = { ...bed().newOrder().keys, secretKey: 'not-the-right-key' };
		const { status, message } = await test(keys, { ...order, signType });
		expect(status).toBe('Error');
		expect(message).toMatch(/Copy 'Secret ID' and 'Secret Key' again/);
	});

	it('a machine that the account does not admit is told to be put on the whitelist', async () => {
		const { keys } = bed().newAccount({ apiWhitelist: ['10.0.0.1'] });
		const { status, message } = await test(keys, { ...account, signType });
		expect(status).toBe('Error');
		expect(message).toMatch(/Add the public IP address .* to the API whitelist/);
		expect(message).toContain('(code -108)');
	});

	it('an order that has expired is not in order', async () => {
		const { status, message } = await test(bed().sandbox.keys.opsExpired, { ...order, signType });
		expect(status).toBe('Error');
		expect(message).toMatch(/does not exist or has expired/);
	});

	it('keys that were copied with white space around them are right', async () => {
		const { secretId, secretKey } = bed().newOrder().keys;
		const result = await test(
			{ secretId: ` ${secretId}`, secretKey: `${secretKey}\n` },
			{ ...order, signType },
		);
		expect(result.status).toBe('OK');
	});

	it('a page with status 200 is no success', async () => {
		for (const path of PROBES) bed().sandbox.faults.add({ kind: 'html', path });
		for (const keyType of ['account', 'order']) {
			const { keys } = keyType === 'account' ? bed().newAccount() : bed().newOrder();
			const { status, message } = await test(keys, { keyType, signType });
			expect(status).toBe('Error');
			expect(message).toContain('The response began with: <!DOCTYPE html>');
		}
	});

	it.each<[name: string, fault: Fault, words: RegExp]>([
		['is not there', { kind: 'status', status: 503 }, /unavailable .*503.*try again/i],
		['answers nothing', { kind: 'raw', body: '' }, /is empty/],
		['greets in words', { kind: 'raw', body: 'Please log in to this network' }, /Please log in/],
		['sends half an answer', { kind: 'halfBody' }, /not valid JSON/],
		['cuts the connection', { kind: 'cut' }, /was lost before the whole response arrived/],
		[
			'has a fault of its own',
			{ kind: 'code', code: -109 },
			/went wrong on Kuaidaili's side.*code -109/,
		],
		['answers a code that is not known', { kind: 'code', code: -777, msg: '怪' }, /code -777: 怪/],
		['answers another success than 0', { kind: 'code', code: 1, msg: 'ok' }, /code 1: ok/],
	])('a service that %s is told', async (_name, fault, words) => {
		bed().sandbox.faults.add({ ...fault, path: PROBES[0] });
		const { status, message } = await test(bed().newAccount().keys, { ...account, signType });
		expect(status).toBe('Error');
		expect(message).toMatch(words);
	});

	it.each([301, 302, 303, 307, 308])('a redirect by %i is not followed', async (redirect) => {
		const path = signType === 'token' ? TOKENS : PROBES[0];
		const location = `${bed().sandbox.hosts.baseUrl}${path}`;
		bed().sandbox.faults.add({ kind: 'status', status: redirect, location, path });
		const { status, message } = await test(bed().newAccount().keys, { ...account, signType });
		expect(status).toBe('Error');
		expect(message).toContain(`HTTP status ${redirect}`);
		expect(bed().sandbox.log.count(path)).toBe(1);
	});

	it('hosts where nobody listens are told', async () => {
		const nowhere = { baseUrl: 'http://localhost:1', authUrl: 'http://localhost:1' };
		const { status, message } = await test(bed().newAccount().keys, {
			...account,
			signType,
			...nowhere,
		});
		expect(status).toBe('Error');
		expect(message).toMatch(/localhost:1 refused the connection.*hosts in the credential/);
	});
});

it('an account that takes no tokens is told to choose the other sign type', async () => {
	const { keys } = bed().newAccount({ requiresHmacSha1: true });
	const { status, message } = await test(keys, { ...account, signType: 'token' });
	expect(status).toBe('Error');
	expect(message).toMatch(/Set 'Sign Type' in the credential to 'HMAC-SHA1'.*code -121/);
	expect(await test(keys, { ...account, signType: 'hmacsha1' })).toMatchObject({ status: 'OK' });
});

it('a wrong Secret Key is not sent, and the token that was fetched is not told', async () => {
	const { keys } = bed().newAccount();
	const token = bed().sandbox.tokens.obtain(keys.secretId).value;
	bed().sandbox.faults.add({
		kind: 'status',
		status: 502,
		path: PROBES[0],
		body: `/api/getaccountbalance?signature=${token}`,
	});
	const { message } = await test(keys, { ...account, signType: 'token' });
	expect(message).toContain('signature=[hidden]');
	expect(message).not.toContain(token);
});

it('the stored token has no part in it: the key pair itself is tested', async () => {
	const { keys } = bed().newOrder();
	const credentialId = bed().addCredential(keys, { signType: 'token' });
	await bed().extract({ credentialId });
	const data = { ...bed().engine.credentials.data(credentialId), secretKey: 'a-wrong-key' };
	const { status, message } = await bed().engine.testCredential(data);
	expect(status).toBe('Error');
	expect(message).toContain('code -2');
});

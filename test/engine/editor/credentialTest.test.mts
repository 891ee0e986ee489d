import type { ICredentialDataDecryptedObject, INodeCredentialTestResult } from 'n8n-workflow';

import type { Fault, KeyPair, SandboxOptions } from '../../../sandbox/sandbox.mts';
import { API } from '../support/api.mts';
import { type PlanName, TestBed } from '../support/testBed.mts';
import { useWorkbench } from '../support/workbench.mts';

/* The button 'Test' of the credential: n8n's RoutingNode makes the call, and n8n's rules judge the answer. */

const SIGN_TYPES = ['hmacsha1', 'token'] as const;
const PROBES = ['/api/getaccountbalance', '/api/getorderexpiretime'];
const OTHER_KIND = /Set 'Key Type' to '(Order|Account)' for/;
const NO_SUCCESS = /^The answer is no success of Kuaidaili\. Check 'Base URL'/;

const { bed } = useWorkbench();

async function test(
	keys: KeyPair,
	changes: ICredentialDataDecryptedObject = {},
	on: TestBed = bed(),
): Promise<INodeCredentialTestResult> {
	const result = await on.engine.testCredential(on.credentialData(keys, changes));
	// Whatever else it says: no key, in no form in which it could be sent
	expect(result.message).not.toContain(keys.secretKey);
	expect(result.message).not.toContain(encodeURIComponent(keys.secretKey));
	expect(result.message).not.toMatch(/signature=(?!\[hidden\])/);
	return result;
}

async function expectRefused(
	keys: KeyPair,
	changes: ICredentialDataDecryptedObject,
	words: RegExp,
	on: TestBed = bed(),
): Promise<void> {
	const { status, message } = await test(keys, changes, on);
	expect(status).toBe('Error');
	expect(message).toMatch(words);
}

const account = { keyType: 'account' };
const order = { keyType: 'order' };

describe.each(SIGN_TYPES)('with sign type %s', (signType) => {
	it('the key pair of an account is right', async () => {
		const { keys } = bed().newAccount();
		expect(await test(keys, { ...account, signType })).toMatchObject({ status: 'OK' });
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

	it('keys that were copied with white space around them are right', async () => {
		const { secretId, secretKey } = bed().newOrder().keys;
		const copied = { secretId: ` ${secretId}`, secretKey: `${secretKey}\n` };
		expect(await test(copied, { ...order, signType })).toMatchObject({ status: 'OK' });
	});

	it('a token that is stored has no part in it: the key pair itself is tested', async () => {
		const { keys } = bed().newOrder();
		const wrong = { ...keys, secretKey: 'not-the-right-key' };
		const changes = { ...order, signType, secretToken: 'an-old-token' };
		await expectRefused(wrong, changes, /Copy 'Secret ID' and 'Secret Key' again/);
	});
});

it('tests with the hosts of the credential only where they are switched on', async () => {
	const { keys } = bed().newAccount();
	const changes = { ...account, customHosts: false };
	// Nothing listens at the hosts of the service in these tests
	expect(await test(keys, changes)).toMatchObject({ status: 'Error' });
	expect(bed().sandbox.log.count()).toBe(0);
});

describe('a key pair that is wrong is told with what to do', () => {
	it.each([account, order])('because its Secret ID is unknown: %j', async (kind) => {
		const keys = { ...bed().newAccount().keys, secretId: 'not-there' };
		await expectRefused(keys, kind, /copy 'Secret ID' again from .*login of a proxy.*code -102/);
	});

	it('because the Secret Key is that of another one', async () => {
		const keys = { ...bed().newOrder().keys, secretKey: 'not-the-right-key' };
		await expectRefused(keys, order, /Copy 'Secret ID' and 'Secret Key' again.*code -104/);
	});

	it('because its order has expired', async () => {
		await expectRefused(bed().sandbox.keys.opsExpired, order, /its order has expired/);
	});

	it('because the account does not admit this machine', async () => {
		const { keys } = bed().newAccount({ apiWhitelist: ['10.0.0.1'] });
		await expectRefused(keys, account, /Add the public IP address .* API whitelist.*code -108/);
	});

	const ofWrongKeyCode = (wrongKeyCode: NonNullable<SandboxOptions['wrongKeyCode']>) => {
		const { bed: other } = useWorkbench({ wrongKeyCode });
		it('because it is of an order and not of an account', async () => {
			await expectRefused(other().newOrder().keys, account, OTHER_KIND, other());
		});
		it('because it is of an account and not of an order', async () => {
			await expectRefused(other().newAccount().keys, order, OTHER_KIND, other());
		});
	};

	describe('by the common code', () => ofWrongKeyCode('common'));
	describe("by the endpoint's own code", () => ofWrongKeyCode('endpoint'));
});

describe('an answer that is no success is refused', () => {
	it.each<[name: string, fault: Fault, words: RegExp]>([
		['that is empty', { kind: 'raw', body: '' }, NO_SUCCESS],
		['that is words', { kind: 'raw', body: 'Please log in to this network' }, NO_SUCCESS],
		['that is a page', { kind: 'html' }, NO_SUCCESS],
		['that is half of one', { kind: 'halfBody' }, NO_SUCCESS],
		['with a code that nobody knows', { kind: 'code', code: -777, msg: '怪' }, NO_SUCCESS],
		['with another success than 0', { kind: 'code', code: 1, msg: 'ok' }, NO_SUCCESS],
		['without data', { kind: 'raw', body: '{"code":-777,"msg":""}' }, NO_SUCCESS],
		['whose data is null', { kind: 'raw', body: '{"code":-777,"data":null}' }, NO_SUCCESS],
		['of a fault', { kind: 'code', code: -109 }, /went wrong on Kuaidaili's side.*code -109/],
		['of a clock that is off', { kind: 'code', code: -112 }, /Correct the clock.*code -112/],
		['that came too fast', { kind: 'code', code: -120 }, /called too often.*code -120/],
		['of a gateway', { kind: 'status', status: 503 }, /503|Service Unavailable/],
		['that is cut off', { kind: 'cut' }, /./],
	])('%s', async (_name, fault, words) => {
		bed().sandbox.faults.add({ ...fault, path: PROBES[0] });
		await expectRefused(bed().newAccount().keys, account, words);
	});

	it.each([301, 302, 303, 307, 308])('that redirects by %i, without following', async (status) => {
		const location = `${bed().sandbox.hosts.baseUrl}${PROBES[0]}`;
		bed().sandbox.faults.add({ kind: 'status', status, location, path: PROBES[0] });
		await expectRefused(bed().newAccount().keys, account, /./);
		expect(bed().sandbox.log.count(PROBES[0])).toBe(1);
	});

	it('where nobody listens', async () => {
		const nowhere = { baseUrl: 'http://localhost:1' };
		await expectRefused(bed().newAccount().keys, { ...account, ...nowhere }, /ECONNREFUSED/);
	});
});

describe('a credential that cannot be used', () => {
	it.each<[name: string, changes: ICredentialDataDecryptedObject, words: string]>([
		['an empty Secret Key', { secretKey: ' ' }, "'Secret Key' in the credential is empty"],
		['a host that is no address', { authUrl: 'auth' }, "'Token URL' in the credential"],
		['a host without https', { fpsUrl: 'http://a.example' }, 'must begin with https'],
	])('because of %s is told before anything is sent', async (_name, changes, words) => {
		const { keys } = bed().newAccount();
		const data = bed().credentialData(keys, changes);
		const { status, message } = await bed().engine.testCredential(data);
		expect(status).toBe('Error');
		expect(message).toContain(words);
		expect(bed().sandbox.log.count()).toBe(0);
	});

	it('because nothing is filled in is told', async () => {
		expect(await bed().engine.testCredential({})).toMatchObject({ status: 'Error' });
	});
});

it('asks for no token', async () => {
	await test(bed().newAccount().keys, { ...account, signType: 'token' });
	expect(bed().sandbox.log.count(API.get_secret_token)).toBe(0);
});

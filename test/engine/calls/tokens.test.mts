import type { Fault, KeyPair } from '../../../sandbox/sandbox.mts';
import { until } from '../../virtualTime.mts';
import { API } from '../support/api.mts';
import { Customer, picked } from '../support/customer.mts';
import { succeeded } from '../support/results.mts';
import { sleep } from '../support/sleep.mts';
import type { Extraction, TestBed } from '../support/testBed.mts';
import { itWithOwnBed, useWorkbench } from '../support/workbench.mts';

function tokenCredential(bed: TestBed, keys: KeyPair): string {
	return bed.addCredential(keys, { signType: 'token' });
}

function fetches(bed: TestBed): number {
	return bed.sandbox.log.count(API.get_secret_token);
}

/** The tokens that were sent, oldest first. */
function sentTokens(bed: TestBed): string[] {
	return bed.extractions.map(({ parameters }) => parameters.signature);
}

function codes(bed: TestBed) {
	return bed.extractions.map(({ code }) => code);
}

/** What n8n has kept of the credential. */
function stored(bed: TestBed, credentialId: string) {
	return { ...bed.engine.credentials.data(credentialId) };
}

describe('the first use of a credential', () =>
	itWithOwnBed({
		'fetches one token for 20 executions that start at once': async ({ bed }) => {
			const credentialId = tokenCredential(bed, bed.newOrder().keys);
			const runs = Array.from({ length: 20 }, () => bed.extract({ credentialId }));
			const results = await Promise.all(runs);
			expect(results.map(({ error }) => error)).toEqual(results.map(() => undefined));
			expect(results.flatMap(({ items }) => items)).toHaveLength(20);
			expect(fetches(bed)).toBe(1);
			expect(new Set(sentTokens(bed)).size).toBe(1);
		},

		'posts the key pair as a form to the token host': async ({ bed }) => {
			const { keys } = bed.newOrder();
			await bed.extract({ credentialId: tokenCredential(bed, keys) });
			expect(bed.sandbox.log.entries(API.get_secret_token)).toEqual([
				expect.objectContaining({
					host: 'auth',
					method: 'POST',
					code: 0,
					// The sandbox notes no secret key
					parameters: { secret_id: keys.secretId, secret_key: '***' },
				}),
			]);
		},
	}));

describe('a token in memory', () =>
	itWithOwnBed({
		'is used by the next execution, and stored nowhere': async ({ bed }) => {
			const credentialId = tokenCredential(bed, bed.newOrder().keys);
			const before = stored(bed, credentialId);
			await bed.extract({ credentialId });
			const { saved } = await bed.extract({ credentialId });
			expect(fetches(bed)).toBe(1);
			expect(new Set(sentTokens(bed)).size).toBe(1);
			expect(stored(bed, credentialId)).toEqual(before);
			expect(saved).not.toContain(sentTokens(bed)[0]);
		},

		'with a life of two seconds serves a run that is longer': async ({ bed }) => {
			bed.sandbox.tokens.lifeSeconds = 2;
			const { error, items } = await bed.extract({
				credential: { signType: 'token' },
				items: Array.from({ length: 16 }, () => ({})),
			});
			bed.sandbox.tokens.lifeSeconds = 3600;
			expect(error).toBeUndefined();
			expect(items).toHaveLength(16);
			expect(fetches(bed)).toBeGreaterThanOrEqual(2);
			expect(codes(bed)).toEqual(Array(16).fill(0));
		},
	}));

describe('different key pairs', () =>
	itWithOwnBed({
		'that differ in the Secret Key only have different tokens too': async ({ bed }) => {
			const { keys } = bed.newOrder();
			const credentialId = tokenCredential(bed, keys);
			await bed.extract({ credentialId });
			bed.engine.credentials.edit(credentialId, { secretKey: 'a-wrong-key' });
			const { error } = await bed.extract({ credentialId });
			expect(error).toMatchObject({ httpCode: '-2' });
			expect(codes(bed)).toEqual([0]);
		},
	}));

describe('a credential with expressions', () =>
	itWithOwnBed({
		'gives each item its own key pair, and stays as it was written': async ({ bed }) => {
			const orders = [bed.newOrder(), bed.newOrder(), bed.newOrder()];
			const credentialId = bed.addCredential(
				{ secretId: '={{ $json.secretId }}', secretKey: '={{ $json.secretKey }}' },
				{ signType: 'token' },
			);
			const written = stored(bed, credentialId);
			const items = orders.map(({ keys }) => ({ ...keys }));
			const { error } = await bed.extract({ credentialId, items });
			expect(error).toBeUndefined();
			const senders = bed.extractions.map(({ parameters }) => parameters.secret_id);
			expect(senders).toEqual(orders.map(({ keys }) => keys.secretId));
			expect(new Set(sentTokens(bed)).size).toBe(3);
			expect(stored(bed, credentialId)).toEqual(written);
		},

		'renews the order of each item, and no order twice': async ({ bed }) => {
			const account = bed.newAccount({ balanceInFen: 100_000 });
			const orders = [bed.newOrder('svip', { account }), bed.newOrder('svip', { account })];
			const credentialId = bed.addCredential(
				{ secretId: '={{ $json.secretId }}', secretKey: '={{ $json.secretKey }}' },
				{ signType: 'token' },
			);
			const { error } = await bed.engine.run({
				credentialId,
				items: orders.map(({ keys }) => ({ ...keys })),
				parameters: { resource: 'order', operation: 'renew', renewWhen: 'always' },
			});
			expect(error).toBeUndefined();
			const renewed = bed.sandbox.log.entries('/api/reneworder');
			expect(renewed.map(({ parameters }) => parameters.secret_id)).toEqual(
				orders.map(({ keys }) => keys.secretId),
			);
		},
	}));

itWithOwnBed({
	'a token that comes late lets no call come too early': async ({ bed: own }) => {
		own.sandbox.faults.add({ kind: 'delay', ms: 1000, path: API.get_secret_token, times: 1 });
		const credentialId = own.addCredential(own.newOrder().keys, { signType: 'token' });
		const runs = Array.from({ length: 6 }, () => own.extract({ credentialId }));
		const results = await Promise.all(runs);
		expect(results.map(({ error }) => error)).toEqual(results.map(() => undefined));
		expect(own.extractions.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
	},

	'the time-out of the options holds for the token host too': async ({ bed: own }) => {
		own.sandbox.faults.add({ kind: 'hang', path: API.get_secret_token });
		const start = performance.now();
		const { error } = await own.extract({
			credential: { signType: 'token' },
			options: { timeout: 1 },
		});
		expect(performance.now() - start).toBeLessThan(5000);
		expect(error?.message).toContain('did not answer within 1 second');
	},

	'a token is fetched again for others where the execution that fetches it is cancelled': async ({
		bed: own,
	}) => {
		own.sandbox.faults.add({ kind: 'hang', path: API.get_secret_token, times: 1 });
		const credentialId = own.addCredential(own.newOrder().keys, { signType: 'token' });
		const cancelled = own.extract({ credentialId, cancelWhen: sleep(1000) });
		await until(() => own.sandbox.log.count(API.get_secret_token) === 1);
		const others = await Promise.all([1, 2].map(() => own.extract({ credentialId })));
		expect((await cancelled).status).toBe('canceled');
		expect(others.map(({ error }) => error)).toEqual([undefined, undefined]);
		expect(own.sandbox.log.count(API.get_secret_token)).toBe(2);
	},

	'a cancelled execution fetches no token later': async ({ bed: own }) => {
		const { keys } = own.newOrder();
		const credentialId = own.addCredential(keys, { signType: 'token' });
		await own.extract({ credentialId });
		own.sandbox.tokens.expireAll(keys.secretId);
		const cancelWhen = until(() => own.extractions.length === 2).then(() => sleep(100));
		await own.extract({ credentialId, cancelWhen });
		await sleep(1500);
		expect(own.sandbox.log.count(API.get_secret_token)).toBe(1);
	},
});

describe('a token that the service calls expired', () =>
	itWithOwnBed({
		'is fetched once for all executions that notice it at the same time': async ({ bed }) => {
			const { keys } = bed.newOrder();
			const credentialId = tokenCredential(bed, keys);
			await bed.extract({ credentialId });
			bed.sandbox.tokens.expireAll(keys.secretId);
			const runs = Array.from({ length: 4 }, () => bed.extract({ credentialId }));
			const results = await Promise.all(runs);
			expect(results.map(({ error }) => error)).toEqual(results.map(() => undefined));
			expect(fetches(bed)).toBe(2);
		},

		'is nothing to renew for whoever signs with HMAC-SHA1': async ({ bed }) => {
			bed.sandbox.faults.add({ kind: 'code', code: -107, path: API.getproxy });
			const { error } = await bed.extract({ credential: { signType: 'hmacsha1' } });
			expect(error).toMatchObject({ httpCode: '-107' });
			expect(codes(bed)).toEqual([-107]);
			expect(fetches(bed)).toBe(0);
		},
	}));

describe('a token endpoint that is asked too fast', () =>
	itWithOwnBed({
		'is asked again a little later, after -120': async ({ bed }) => {
			bed.sandbox.faults.add({ kind: 'code', code: -120, path: API.get_secret_token, times: 1 });
			const { error } = await bed.extract({ credential: { signType: 'token' } });
			expect(error).toBeUndefined();
			expect(fetches(bed)).toBe(2);
			expect(codes(bed)).toEqual([0]);
		},

		'gives up after three minutes': async ({ bed }) => {
			const begin = performance.now();
			bed.sandbox.faults.add({ kind: 'code', code: -120, path: API.get_secret_token });
			const { error } = await bed.extract({ credential: { signType: 'token' } });
			expect(error).toMatchObject({ httpCode: '-120' });
			expect(performance.now() - begin).toBeGreaterThan(170_000);
			expect(performance.now() - begin).toBeLessThan(190_000);
			expect(codes(bed)).toEqual([]);
		},
	}));

describe('a token endpoint that gives no token', () => {
	const { bed } = useWorkbench();

	async function run(extraction: Extraction = {}) {
		return await bed().extract({
			...extraction,
			credential: { signType: 'token', ...extraction.credential },
		});
	}

	it('because the key is wrong is told with its reason and what to do', async () => {
		const { error } = await run({ credential: { secretKey: 'a-wrong-key' } });
		expect(error?.message).toBe("'Secret ID' or 'Secret Key' is wrong");
		expect(error?.description).toMatch(/Copy 'Secret ID' and 'Secret Key' again/);
		expect(error?.description).toContain('(code -2)');
		expect(bed().extractions).toEqual([]);
		expect(fetches(bed())).toBe(1);
	});

	it.each<[name: string, body: string]>([
		['is not there', '{"code":0,"msg":"","data":{"expire":3600}}'],
		['is empty', '{"code":0,"msg":"","data":{"secret_token":"","expire":3600}}'],
		['is endless', `{"code":0,"data":{"secret_token":"${'a'.repeat(1001)}","expire":3600}}`],
		['has no life', '{"code":0,"msg":"","data":{"secret_token":"abcdefgh","expire":0}}'],
		['has a life that is no number', '{"code":0,"data":{"secret_token":"abcdefgh","expire":"x"}}'],
	])('but one that %s is told, without showing it', async (_name, body) => {
		bed().sandbox.faults.add({ kind: 'raw', body, path: API.get_secret_token });
		const { error, saved } = await run();
		expect(error?.message).toMatch(/^Kuaidaili's response .*$/);
		expect(error?.description).not.toContain('abcdefgh');
		expect(saved).not.toContain('abcdefgh');
		expect(bed().extractions).toEqual([]);
	});

	it('for one item is asked again for the next, and a failure is not remembered', async () => {
		bed().sandbox.faults.add({ kind: 'status', status: 500, path: API.get_secret_token, times: 3 });
		const { items, error } = await run({
			items: [{}, {}],
			settings: { onError: 'continueRegularOutput' },
		});
		expect(error).toBeUndefined();
		expect(items).toHaveLength(2);
		expect(items[0].json.error).toContain('HTTP status 500');
		bed().proxyOf(items[1]);
	});
});

/* What the service refuses because it no longer knows it is fetched anew, once, in the same call. */

const { bed } = useWorkbench({ rateLimits: false });
const RENEW = { resource: 'order', operation: 'renew', renewWhen: 'always' };
const GET = { resource: 'order', operation: 'get' };

function codesAt(path: string) {
	return bed()
		.sandbox.log.entries(path)
		.map(({ code }) => code);
}

/** Hits the next call of this endpoint. */
function strike(path: string, fault: Fault): void {
	bed().sandbox.faults.add({ path, times: 1, ...fault });
}

describe.each([-104, -107, -122] as const)('a token that is refused with %d', (code) => {
	it('is fetched anew, and the call made again', async () => {
		const credentialId = bed().addCredential(bed().newOrder().keys, { signType: 'token' });
		await bed().extract({ credentialId });
		strike(API.getproxy, { kind: 'forgottenToken', code });
		const { error, items } = await bed().extract({ credentialId });
		expect(error).toBeUndefined();
		expect(items).toHaveLength(1);
		expect(codesAt(API.getproxy)).toEqual([0, code, 0]);
		expect(codesAt(API.get_secret_token)).toEqual([0, 0]);
	});

	it('a second time ends in an error', async () => {
		const credentialId = bed().addCredential(bed().newOrder().keys, { signType: 'token' });
		bed().sandbox.faults.add({ path: API.getproxy, kind: 'forgottenToken', code });
		const { error } = await bed().extract({ credentialId });
		expect(error).toMatchObject({ httpCode: String(code) });
		expect(codesAt(API.getproxy)).toEqual([code, code]);
		expect(codesAt(API.get_secret_token)).toEqual([0, 0]);
	});
});

it('a token is not used by a renewal, which is signed', async () => {
	const me = new Customer(bed(), { balanceInFen: 100_000, credential: { signType: 'token' } });
	const order = me.tunnel({ expiresAt: me.inDays(2) });
	strike(API.reneworder, { kind: 'forgottenToken' });
	succeeded(await me.run({ ...RENEW, orderid: picked(order.orderId) }));
	expect(codesAt(API.reneworder)).toEqual([0]);
	const [renewal] = bed().sandbox.log.entries(API.reneworder);
	expect(renewal.parameters.sign_type).toBe('hmacsha1');
});

describe.each(['hmacsha1', 'token'] as const)(
	'the changed key pair of an order (%s)',
	(signType) => {
		it.each([-102, -104] as const)(
			'refused with %d is fetched anew, and the call made again',
			async (code) => {
				const me = new Customer(bed(), { credential: { signType } });
				const order = me.tunnel();
				const parameters = { ...GET, orderid: picked(order.orderId) };
				succeeded(await me.run(parameters));
				strike(API.getorderinfo, { kind: 'changedKeyPair', code });
				succeeded(await me.run(parameters));
				expect(codesAt(API.getorderinfo)).toEqual([0, code, 0]);
				expect(codesAt(API.getordersecret)).toEqual([0, 0]);
				const last = bed().sandbox.log.last(API.getorderinfo);
				expect(last?.parameters.secret_id).toBe(order.keys.secretId);
			},
		);

		it.each([-102, -104] as const)(
			'right before the purchase, although fetched a moment ago, does not stop it (%d)',
			async (code) => {
				const me = new Customer(bed(), { balanceInFen: 100_000, credential: { signType } });
				const { orderId } = me.tunnel({ expiresAt: me.inDays(2) });
				strike(API.reneworder, { kind: 'changedKeyPair', code });
				const [output] = succeeded(await me.run({ ...RENEW, orderid: picked(orderId) }));
				expect(output).toMatchObject({ renewed: true });
				expect(codesAt(API.reneworder)).toEqual([code, 0]);
				expect(codesAt(API.getordersecret)).toEqual([0, 0, 0]);
				const payments = bed().sandbox.ledger.entries();
				expect(payments.filter((payment) => payment.orderId === orderId)).toHaveLength(1);
			},
		);

		it('is taken over by executions that began with the old one', async () => {
			const me = new Customer(bed(), { credential: { signType } });
			const parameters = { ...GET, orderid: picked(me.tunnel().orderId) };
			succeeded(await me.run(parameters));
			bed().sandbox.log.clear();
			strike(API.getorderinfo, { kind: 'changedKeyPair' });
			const runs = await Promise.all(Array.from({ length: 4 }, () => me.run(parameters)));
			for (const run of runs) succeeded(run);
			expect(codesAt(API.getordersecret)).toEqual([0]);
		});
	},
);

import type { IDataObject } from 'n8n-workflow';
import type { Fault } from '../../../sandbox/sandbox.mts';
import { until } from '../../virtualTime.mts';
import { itWithOwnBed } from '../support/itWithOwnBed.mts';
import { ORDER_INFO, ORDER_KEYS, Owner, picked, records } from '../support/owner.mts';
import { useProcessClock } from '../support/processClock.mts';
import { PROXIES, TOKENS, type Extraction, useTestBed } from '../support/testBed.mts';
import { codes, fetches, sentTokens, tokenCredential } from './tokens.mts';

describe('a token that the service calls expired', () =>
	itWithOwnBed({
		'is replaced once in the middle of a run, and every item has its output': async (bed) => {
			const { keys } = bed.newOrder();
			const run = bed.extract({
				credentialId: tokenCredential(bed, keys),
				items: Array.from({ length: 10 }, (_, index) => ({ index })),
			});
			// Later than a second, so that the new token may be fetched at once
			await until(() => codes(bed)[6] === 0);
			bed.sandbox.tokens.expireAll(keys.secretId);
			const { error, items } = await run;

			expect(error).toBeUndefined();
			expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
				Array.from({ length: 10 }, (_, item) => ({ item })),
			);
			expect(codes(bed)).toEqual([0, 0, 0, 0, 0, 0, 0, -107, 0, 0, 0]);
			expect(fetches(bed)).toBe(2);
			expect(new Set(sentTokens(bed)).size).toBe(2);
		},

		'is fetched once for all executions that notice it at the same time': async (bed) => {
			const { keys } = bed.newOrder();
			const credentialId = tokenCredential(bed, keys);
			await bed.extract({ credentialId });
			bed.sandbox.tokens.expireAll(keys.secretId);
			const runs = Array.from({ length: 4 }, () => bed.extract({ credentialId }));
			const results = await Promise.all(runs);
			expect(results.map(({ error }) => error)).toEqual(results.map(() => undefined));
			expect(fetches(bed)).toBe(2);
		},

		'is nothing to renew for whoever signs with HMAC-SHA1': async (bed) => {
			bed.sandbox.faults.add({ kind: 'code', code: -107, path: PROXIES });
			const { error } = await bed.extract({ credential: { signType: 'hmacsha1' } });
			expect(error).toMatchObject({ httpCode: '-107' });
			expect(codes(bed)).toEqual([-107]);
			expect(fetches(bed)).toBe(0);
		},
	}));

describe('a token endpoint that is asked too fast', () =>
	itWithOwnBed({
		'is asked again a little later, after -120': async (bed) => {
			bed.sandbox.faults.add({ kind: 'code', code: -120, path: TOKENS, times: 1 });
			const { error } = await bed.extract({ credential: { signType: 'token' } });
			expect(error).toBeUndefined();
			expect(fetches(bed)).toBe(2);
			expect(codes(bed)).toEqual([0]);
		},

		'gives up after three minutes': async (bed) => {
			const begin = performance.now();
			bed.sandbox.faults.add({ kind: 'code', code: -120, path: TOKENS });
			const { error } = await bed.extract({ credential: { signType: 'token' } });
			expect(error).toMatchObject({ httpCode: '-120' });
			expect(performance.now() - begin).toBeGreaterThan(170_000);
			expect(performance.now() - begin).toBeLessThan(190_000);
			expect(codes(bed)).toEqual([]);
		},
	}));

describe('a token endpoint that gives no token', () => {
	const bed = useTestBed();

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

	it('because the address of this machine is not welcome is told', async () => {
		const account = bed().newAccount({ apiWhitelist: ['10.0.0.1'] });
		const { keys } = bed().newOrder('svip', { account });
		const { error } = await bed().extract({ credentialId: tokenCredential(bed(), keys) });
		expect(error).toMatchObject({ httpCode: '-108' });
		expect(bed().extractions).toEqual([]);
	});

	it.each<[name: string, body: string]>([
		['is not there', '{"code":0,"msg":"","data":{"expire":3600}}'],
		['is empty', '{"code":0,"msg":"","data":{"secret_token":"","expire":3600}}'],
		['has no life', '{"code":0,"msg":"","data":{"secret_token":"abcdefgh","expire":0}}'],
		['has a life that is no number', '{"code":0,"data":{"secret_token":"abcdefgh","expire":"x"}}'],
		['is a text', 'abcdefgh'],
		['is a page', '<html><body>login</body></html>'],
	])('but one that %s is told, without showing it', async (_name, body) => {
		bed().sandbox.faults.add({ kind: 'raw', body, path: TOKENS });
		const { error, saved } = await run();
		expect(error?.message).toMatch(/^Kuaidaili's response .*$/);
		expect(error?.description).not.toContain('abcdefgh');
		expect(saved).not.toContain('abcdefgh');
		expect(bed().extractions).toEqual([]);
	});

	it('because it is down is told with its status', async () => {
		bed().sandbox.faults.add({ kind: 'status', status: 503, path: TOKENS });
		const { error } = await run();
		expect(error?.message).toContain('HTTP status 503');
		expect(bed().extractions).toEqual([]);
	});

	it('for one item is asked again for the next, and a failure is not remembered', async () => {
		bed().sandbox.faults.add({ kind: 'status', status: 500, path: TOKENS, times: 3 });
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

const processClock = useProcessClock();
const bed = useTestBed({ rateLimits: false });

const RENEWALS = '/api/reneworder';
const RENEW = { resource: 'order', operation: 'renew', renewWhen: 'always' };
const GET = { resource: 'order', operation: 'get' };

function codesAt(path: string) {
	return bed()
		.sandbox.log.entries(path)
		.map(({ code }) => code);
}

/** Longer than a key pair that never worked counts as fetched a moment ago. */
function aWhileLater(): void {
	processClock.advance(15_000);
}

/** Hits the next call of this endpoint. */
function strike(path: string, fault: Fault): void {
	bed().sandbox.faults.add({ path, times: 1, ...fault });
}

describe.each([-104, -107, -122] as const)('a token that is refused with %d', (code) => {
	it('is fetched anew, and the call made again', async () => {
		const credentialId = bed().addCredential(bed().newOrder().keys, { signType: 'token' });
		await bed().extract({ credentialId });
		strike(PROXIES, { kind: 'forgottenToken', code });
		const { error, items } = await bed().extract({ credentialId });
		expect(error).toBeUndefined();
		expect(items).toHaveLength(1);
		expect(codesAt(PROXIES)).toEqual([0, code, 0]);
		expect(codesAt(TOKENS)).toEqual([0, 0]);
	});

	it('is not used by a renewal, which is signed', async () => {
		const me = new Owner(bed(), { balanceInFen: 100_000 }, { signType: 'token' });
		const order = me.tunnel({ expiresAt: me.inDays(2) });
		strike(RENEWALS, { kind: 'forgottenToken', code });
		records(await me.run({ ...RENEW, orderid: picked(order.orderId) }));
		expect(codesAt(RENEWALS)).toEqual([0]);
		const [renewal] = bed().sandbox.log.entries(RENEWALS);
		expect(renewal.parameters.sign_type).toBe('hmacsha1');
	});

	it('a second time ends in an error', async () => {
		const credentialId = bed().addCredential(bed().newOrder().keys, { signType: 'token' });
		bed().sandbox.faults.add({ path: PROXIES, kind: 'forgottenToken', code });
		const { error } = await bed().extract({ credentialId });
		expect(error).toMatchObject({ httpCode: String(code) });
		expect(codesAt(PROXIES)).toEqual([code, code]);
		expect(codesAt(TOKENS)).toEqual([0, 0]);
	});
});

describe.each(['hmacsha1', 'token'] as const)(
	'the changed key pair of an order (%s)',
	(signType) => {
		describe.each([-102, -104] as const)('refused with %d', (code) => {
			async function afterChange(path: string, parameters: IDataObject) {
				const me = new Owner(bed(), { balanceInFen: 100_000 }, { signType });
				const order = me.tunnel({ expiresAt: me.inDays(2) });
				const orderid = picked(order.orderId);
				records(await me.run({ ...GET, orderid }));
				aWhileLater();
				bed().sandbox.log.clear();
				strike(path, { kind: 'changedKeyPair', code });
				records(await me.run({ ...parameters, orderid }));
				const senders = bed()
					.sandbox.log.entries(path)
					.filter(({ code: answer }) => answer === 0)
					.map(({ parameters: { secret_id } }) => secret_id);
				expect(new Set(senders)).toEqual(new Set([order.keys.secretId]));
			}

			it('is fetched anew, and the call made again', async () => {
				await afterChange(ORDER_INFO, GET);
				expect(codesAt(ORDER_INFO)).toEqual([code, 0]);
				expect(codesAt(ORDER_KEYS)).toEqual([0]);
			});

			it('is not used by a renewal, which is signed', async () => {
				await afterChange(RENEWALS, RENEW);
				expect(codesAt(RENEWALS)).toEqual([code, 0]);
				expect(codesAt(ORDER_KEYS)).toEqual([0]);
			});
		});

		it.each([-102, -104] as const)(
			'right before the purchase, although fetched a moment ago, does not stop it (%d)',
			async (code) => {
				const me = new Owner(bed(), { balanceInFen: 100_000 }, { signType });
				const { orderId } = me.tunnel({ expiresAt: me.inDays(2) });
				strike(RENEWALS, { kind: 'changedKeyPair', code });
				const [output] = records(await me.run({ ...RENEW, orderid: picked(orderId) }));
				expect(output).toMatchObject({ renewed: true });
				expect(codesAt(RENEWALS)).toEqual([code, 0]);
				expect(codesAt(ORDER_KEYS)).toEqual([0, 0]);
				const payments = bed().sandbox.ledger.entries();
				expect(payments.filter((payment) => payment.orderId === orderId)).toHaveLength(1);
			},
		);

		it('right after it was fetched for the first time is fetched anew', async () => {
			const me = new Owner(bed(), {}, { signType });
			const { orderId } = me.tunnel();
			strike(ORDER_INFO, { kind: 'changedKeyPair', code: -104 });
			expect(records(await me.run({ ...GET, orderid: picked(orderId) }))).toHaveLength(1);
			expect(codesAt(ORDER_KEYS)).toEqual([0, 0]);
		});

		it('is taken over by executions that began with the old one', async () => {
			const me = new Owner(bed(), {}, { signType });
			const parameters = { ...GET, orderid: picked(me.tunnel().orderId) };
			records(await me.run(parameters));
			aWhileLater();
			bed().sandbox.log.clear();
			strike(ORDER_INFO, { kind: 'changedKeyPair' });
			const runs = await Promise.all(Array.from({ length: 4 }, () => me.run(parameters)));
			for (const run of runs) records(run);
			expect(codesAt(ORDER_KEYS)).toEqual([0]);
		});
	},
);

it('a key pair that was fetched a moment ago is not fetched again for an order that has ended', async () => {
	const me = new Owner(bed());
	const order = me.tunnel({ expiresAt: me.inDays(-1) });
	const items = Array.from({ length: 3 }, () => ({}));
	const { error } = await me.run({ ...GET, orderid: picked(order.orderId) }, { items });
	if (error !== undefined) expect(error).toMatchObject({ httpCode: '-102' });
	expect(codesAt(ORDER_KEYS)).toEqual([0]);
});

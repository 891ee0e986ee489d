import type { IDataObject } from 'n8n-workflow';

import type { Fault } from '../../../sandbox/sandbox.mts';
import { ORDER_INFO, ORDER_KEYS, Owner, picked, records } from '../support/owner.mts';
import { useProcessClock } from '../support/processClock.mts';
import { PROXIES, TOKENS, useTestBed } from '../support/testBed.mts';

/* What the service refuses because it no longer knows it is fetched anew, once, in the same call. */

const processClock = useProcessClock();
const bed = useTestBed({ rateLimits: false });

const RENEWALS = '/api/reneworder';
const RENEW = { resource: 'order', operation: 'renew', renewWhen: 'always' };
const GET = { resource: 'order', operation: 'get' };

function codes(path: string) {
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
		expect(codes(PROXIES)).toEqual([0, code, 0]);
		expect(codes(TOKENS)).toEqual([0, 0]);
	});

	it('is not used by a renewal, which is signed', async () => {
		const me = new Owner(bed(), { balanceInFen: 100_000 }, { signType: 'token' });
		const order = me.tunnel({ expiresAt: me.inDays(2) });
		strike(RENEWALS, { kind: 'forgottenToken', code });
		records(await me.run({ ...RENEW, orderid: picked(order.orderId) }));
		expect(codes(RENEWALS)).toEqual([0]);
		const [renewal] = bed().sandbox.log.entries(RENEWALS);
		expect(renewal.parameters.sign_type).toBe('hmacsha1');
	});

	it('a second time ends in an error', async () => {
		const credentialId = bed().addCredential(bed().newOrder().keys, { signType: 'token' });
		bed().sandbox.faults.add({ path: PROXIES, kind: 'forgottenToken', code });
		const { error } = await bed().extract({ credentialId });
		expect(error).toMatchObject({ httpCode: String(code) });
		expect(codes(PROXIES)).toEqual([code, code]);
		expect(codes(TOKENS)).toEqual([0, 0]);
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
				expect(codes(ORDER_INFO)).toEqual([code, 0]);
				expect(codes(ORDER_KEYS)).toEqual([0]);
			});

			it('is not used by a renewal, which is signed', async () => {
				await afterChange(RENEWALS, RENEW);
				expect(codes(RENEWALS)).toEqual([code, 0]);
				expect(codes(ORDER_KEYS)).toEqual([0]);
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
				expect(codes(RENEWALS)).toEqual([code, 0]);
				expect(codes(ORDER_KEYS)).toEqual([0, 0]);
				const payments = bed().sandbox.ledger.entries();
				expect(payments.filter((payment) => payment.orderId === orderId)).toHaveLength(1);
			},
		);

		it('right after it was fetched for the first time is fetched anew', async () => {
			const me = new Owner(bed(), {}, { signType });
			const { orderId } = me.tunnel();
			strike(ORDER_INFO, { kind: 'changedKeyPair', code: -104 });
			expect(records(await me.run({ ...GET, orderid: picked(orderId) }))).toHaveLength(1);
			expect(codes(ORDER_KEYS)).toEqual([0, 0]);
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
			expect(codes(ORDER_KEYS)).toEqual([0]);
		});
	},
);

it('a key pair that was fetched a moment ago is not fetched again for an order that has ended', async () => {
	const me = new Owner(bed());
	const order = me.tunnel({ expiresAt: me.inDays(-1) });
	const items = Array.from({ length: 3 }, () => ({}));
	const { error } = await me.run({ ...GET, orderid: picked(order.orderId) }, { items });
	if (error !== undefined) expect(error).toMatchObject({ httpCode: '-102' });
	expect(codes(ORDER_KEYS)).toEqual([0]);
});

import type { CodeFault, Disruption } from '../../../sandbox/faults/fault.mts';
import type { Fault } from '../../../sandbox/sandbox.mts';
import { until } from '../../engine/support/until.mts';
import { get, signed } from '../client.mts';
import { accountOf, PURCHASES, requestOf, type PurchaseKind } from '../ordering.mts';
import { attempt, sandbox, WORK_MS } from './paying.mts';

/** What changed: a payment in the ledger, the balance, and what was paid for. */
async function changes(kind: PurchaseKind, action: () => Promise<void>) {
	const state = () => ({
		payments: sandbox.ledger.count(kind),
		others: sandbox.ledger.count(),
		total: sandbox.ledger.total(),
		balance: accountOf(sandbox).balanceInFen,
		orders: sandbox.store.orders.length,
		expiresAt: sandbox.store.order(sandbox.keys.opsVip.secretId).expiresAt?.getTime() ?? 0,
	});
	const before = state();
	await action();
	const after = state();
	expect(before.balance - after.balance).toBe(after.total - before.total);
	expect(after.others - before.others).toBe(after.payments - before.payments);
	return {
		payments: after.payments - before.payments,
		delivered:
			kind === 'create'
				? after.orders - before.orders
				: (after.expiresAt - before.expiresAt) / (24 * 3600_000),
		costs: after.total > before.total,
	};
}

function isSlow({ kind }: Fault): boolean {
	return ['hang', 'drip', 'delay'].includes(kind);
}

const NOTHING = { payments: 0, delivered: 0, costs: false };
const ONCE = { payments: 1, delivered: 1, costs: true };

describe.each(PURCHASES)('%s with a fault', (kind) => {
	const faults: Array<Disruption | CodeFault> = [
		{ kind: 'cut' },
		{ kind: 'cut', how: 'reset' },
		{ kind: 'hang' },
		{ kind: 'status', status: 302, location: 'http://127.0.0.1:1/' },
		{ kind: 'status', status: 429, retryAfter: '1' },
		{ kind: 'status', status: 502 },
		{ kind: 'status', status: 503 },
		{ kind: 'html' },
		{ kind: 'raw', body: '' },
		{ kind: 'raw', body: '{"code":0,"msg":"create order success","data":{"orderid":"1"}}' },
		{ kind: 'code', code: -109 },
	];

	it.each(faults)('before the work: nothing is taken (%j)', async (fault) => {
		sandbox.faults.add({ ...fault, when: 'before', times: 1 });
		expect(await changes(kind, () => attempt(kind, isSlow(fault)))).toEqual(NOTHING);
		expect(sandbox.log.last()).toMatchObject({ workDone: false, fault: fault.kind });
		expect(await changes(kind, () => attempt(kind))).toEqual(ONCE);
	});

	it.each(faults)('after the work: it is taken once (%j)', async (fault) => {
		sandbox.faults.add({ ...fault, when: 'after', times: 1 });
		expect(await changes(kind, () => attempt(kind, isSlow(fault)))).toEqual(ONCE);
		expect(sandbox.log.last()).toMatchObject({ workDone: true, fault: fault.kind });
	});

	it.each<Fault>([
		{ kind: 'halfBody' },
		{ kind: 'halfBody', promise: 'full' },
		{ kind: 'drip', ms: 60_000, bytes: 1 },
		{ kind: 'delay', ms: 60_000, when: 'after' },
	])('the answer is damaged or late: it is taken once (%j)', async (fault) => {
		sandbox.faults.add({ ...fault, times: 1 });
		expect(await changes(kind, () => attempt(kind, isSlow(fault)))).toEqual(ONCE);
	});

	it('nothing is taken after a refusal, whatever happens to the answer', async () => {
		accountOf(sandbox).balanceInFen = 0;
		sandbox.faults.add({ kind: 'cut', when: 'after', times: 1 });
		expect(await changes(kind, () => attempt(kind))).toEqual(NOTHING);
		expect(sandbox.log.last()).toMatchObject({ workDone: false, outcome: 'cut' });
	});

	it('a delay before the work outlasts the caller, and money is taken all the same', async () => {
		sandbox.faults.add({ kind: 'delay', ms: 5 * WORK_MS, times: 1 });
		expect(await changes(kind, () => attempt(kind, true))).toEqual(NOTHING);
		const untilDone = () => until(() => sandbox.log.last()?.workDone === true);
		expect(await changes(kind, untilDone)).toEqual(ONCE);
	});

	it('a replay is not paid', async () => {
		const { path, keys, parameters } = requestOf(sandbox, kind);
		const sent = signed(keys, 'GET', path, parameters);
		const send = async () => {
			await get(sandbox.hosts.baseUrl + path, sent);
		};
		expect(await changes(kind, send)).toEqual(ONCE);
		expect(await changes(kind, send)).toEqual(NOTHING);
		expect(sandbox.log.last()?.code).toBe(-114);
	});
});

import { fingerprintOf } from '../../../../../nodes/shared/fingerprint.ts';
import {
	fetchWatchedOrders,
	latest,
	soonest,
	withLastSeen,
} from '../../../../../nodes/KuaidailiTrigger/events/watchedOrders.ts';
import { hasEnded, isInForce } from '../../../../../nodes/shared/orders/orderState.ts';
import { toChinaTime } from '../../../../../nodes/shared/service/chinaTime.ts';
import '../../../../virtualTime.mts';
import { freshCredential } from '../../../support/credential.mts';
import { fakeCaller, refusal, reply, type Outcome } from '../../../support/fakeCaller.mts';
import { fakeNodeCaller } from '../../../support/fakeNodeCaller.mts';
import { deepFreeze } from '../../../support/frozen.mts';

const NOW = Date.now();
const DATE = new Date(NOW).toUTCString();

const ORDER = {
	orderid: '965102959536478',
	pay_type: 'PRE_PAY',
	product: 'TPS',
	status: 'VALID',
	expire_time: toChinaTime(NOW),
};
const SECRETS = { tunnel_password: 'beot3nx1', tunnel_username: 't12926732052681' };

function answer(data: unknown): Outcome {
	return reply({ code: 0, msg: '', data }, { headers: { date: DATE } });
}

function dated(code: number, date = DATE): Outcome {
	return reply({ code, msg: 'no', data: '' }, { headers: { date } });
}

function callerWith(keyType: 'account' | 'order', outcome: Outcome) {
	return fakeNodeCaller(() => outcome, { credential: freshCredential({ keyType }) });
}

it("asks with the account's key pair for its orders", async () => {
	const caller = callerWith('account', answer([ORDER]));
	const watched = await fetchWatchedOrders(caller, 'all', undefined);
	expect(watched).toMatchObject({ orders: [ORDER], answeredAt: expect.any(Number) });
	expect(caller.requests).toEqual([
		expect.objectContaining({
			url: 'https://dev.kdlapi.com/api/getaccountorders',
			qs: { status: 'ALL' },
		}),
	]);
});

describe('with the key pair of an order', () => {
	it('asks for that one, and takes nothing secret from the answer', async () => {
		const caller = callerWith('order', answer({ ...ORDER, ...SECRETS, unit_price: '2.68' }));
		const { orders } = await fetchWatchedOrders(caller, 'active', undefined);
		expect(orders).toEqual([ORDER]);
		expect(caller.requests).toEqual([
			expect.objectContaining({
				url: 'https://dev.kdlapi.com/api/getorderinfo',
				qs: { field_list: 'orderid,pay_type,product,status,expire_time' },
			}),
		]);
	});

	it('makes a text of a number', async () => {
		const caller = callerWith('order', answer({ ...ORDER, orderid: 965102959536478 }));
		expect((await fetchWatchedOrders(caller, 'active', undefined)).orders).toEqual([ORDER]);
	});

	function remembered(caller: ReturnType<typeof callerWith>, changes = {}) {
		return {
			lastSeen: ORDER,
			lastSeenWith: fingerprintOf(caller.credential.secretId),
			...changes,
		};
	}

	it('takes a refusal after the expiry for the end', async () => {
		const caller = callerWith('order', dated(-102));
		const { orders, answeredAt } = await fetchWatchedOrders(caller, 'active', remembered(caller));
		expect(orders).toEqual([{ ...ORDER, status: 'EXPIRED' }]);
		expect(Math.abs(answeredAt - NOW)).toBeLessThan(1000);
	});

	it.each<[name: string, outcome: Outcome, changes: object]>([
		['another refusal', dated(-104), {}],
		['a fault of the service', dated(-109), {}],
		['a refusal before the expiry', dated(-102), { ...seenUntil(toChinaTime(NOW + 80_000)) }],
		['a refusal of an order that does not end', dated(-102), { ...seenUntil('') }],
		['an order that was seen with another key pair', dated(-102), { lastSeenWith: 'other' }],
		['an order that was never seen', dated(-102), { lastSeen: undefined }],
		['a state without a number', dated(-102), { lastSeen: { status: 'VALID' } }],
	])('does not take %s for the end', async (_name, outcome, changes) => {
		const caller = callerWith('order', outcome);
		const state = remembered(caller, changes);
		await expect(fetchWatchedOrders(caller, 'all', state)).rejects.toThrow(/refused/);
	});

	it('takes a refusal for nothing where the clocks differ', async () => {
		const caller = callerWith('order', dated(-102, new Date(NOW + 600_000).toUTCString()));
		await expect(fetchWatchedOrders(caller, 'all', remembered(caller))).rejects.toThrow(
			/^The clock of this machine is 10 minutes behind the clock of the service/,
		);
	});

	it('does not take a refusal at the first look for the end', async () => {
		const caller = callerWith('order', refusal(-102));
		await expect(fetchWatchedOrders(caller, 'all', undefined)).rejects.toThrow(/-102/);
	});
});

function seenUntil(expireTime: string) {
	return { lastSeen: { ...ORDER, expire_time: expireTime } };
}

it.each<[status: unknown, runs: boolean, ended: boolean]>([
	['VALID', true, false],
	[undefined, true, false],
	['EXPIRED', false, true],
	['OPENING', false, false],
	['WAIT_PAY', false, false],
	['OWING', false, false],
	['CLOSED', false, false],
	['FORBIDDEN', false, false],
	['', true, false],
	['valid', true, false],
	['expired', false, true],
	['RENEWING', true, false],
])('of the status %p: runs %p, has ended %p', (status, runs, ended) => {
	const order = { orderid: '1', status };
	expect(isInForce(order)).toBe(runs);
	expect(hasEnded(order)).toBe(ended);
});

it('takes an order without a status for a running one', () => {
	expect(isInForce({ orderid: '1' })).toBe(true);
	expect(hasEnded({ orderid: '1' })).toBe(false);
});

const ORDERS = deepFreeze([
	{ orderid: 'late', expire_time: '2026-06-18 12:01:43' },
	{ orderid: 'never', expire_time: '' },
	{ orderid: 'early', expire_time: '2025-12-31 23:59:59' },
	{ orderid: 'between', expire_time: '2026-01-01 00:00:00' },
	{ orderid: 'unknown' },
]);

it('finds the order that ends first, and the one that ends last', () => {
	expect(soonest(ORDERS)).toEqual([ORDERS[2]]);
	expect(latest(ORDERS)).toEqual([ORDERS[0]]);
});

it('finds none where none ends', () => {
	const endless = [ORDERS[1], ORDERS[4]];
	expect(soonest(endless)).toEqual([]);
	expect(latest(endless)).toEqual([]);
	expect(soonest([])).toEqual([]);
});

describe('the order that was seen', () => {
	const caller = (keyType: string) =>
		fakeCaller(() => 'silence', { credential: freshCredential({ keyType }) });
	const seen = { orders: [ORDERS[0]], answeredAt: 0 };
	const state = deepFreeze({ lastPoll: 1 });

	it('is remembered with the key pair of an order, for that key pair', () => {
		const [one, other] = [caller('order'), caller('order')];
		const remembered = withLastSeen(state, seen, one);
		expect(remembered).toEqual({
			lastPoll: 1,
			lastSeen: ORDERS[0],
			lastSeenWith: expect.stringMatching(/^[0-9a-f]{32}$/),
		});
		expect(withLastSeen(state, seen, one)).toEqual(remembered);
		expect(withLastSeen(state, seen, other)).not.toEqual(remembered);
	});

	it("is not remembered with the account's, nor where there is none", () => {
		expect(withLastSeen(state, seen, caller('account'))).toEqual(state);
		expect(withLastSeen(state, { ...seen, orders: [] }, caller('order'))).toEqual(state);
	});
});

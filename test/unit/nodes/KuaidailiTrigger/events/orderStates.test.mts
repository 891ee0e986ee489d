import {
	hasEnded,
	isRunning,
	latest,
	soonest,
	withLastSeen,
} from '../../../../../nodes/KuaidailiTrigger/events/orderStates.ts';
import { freshCredential } from '../../../support/credential.mts';
import { fakeCaller } from '../../../support/fakeCaller.mts';
import { deepFreeze } from '../../../support/frozen.mts';

it.each<[status: unknown, runs: boolean, ended: boolean]>([
	['VALID', true, false],
	[undefined, true, false],
	['EXPIRED', false, true],
	['OPENING', false, false],
	['WAIT_PAY', false, false],
	['OWING', false, false],
	['CLOSED', false, false],
	['FORBIDDEN', false, false],
	['', false, false],
	['valid', false, false],
])('of the status %p: runs %p, has ended %p', (status, runs, ended) => {
	const order = { orderid: '1', status };
	expect(isRunning(order)).toBe(runs);
	expect(hasEnded(order)).toBe(ended);
});

it('takes an order without a status for a running one', () => {
	expect(isRunning({ orderid: '1' })).toBe(true);
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

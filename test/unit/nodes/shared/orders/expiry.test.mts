import {
	expiryOf,
	hasUnreadableExpiry,
	withExpiry,
} from '../../../../../nodes/shared/orders/orderState.ts';

const END = '2026-06-18 12:01:43';
/** The same in UTC: China is eight hours ahead. */
const END_MS = Date.parse('2026-06-18T04:01:43Z');

it('an order ends when its China time says so', () => {
	expect(expiryOf({ expire_time: END })).toBe(END_MS);
});

it.each([undefined, null, '', ' ', '2026-06-18', '2026-13-01 00:00:00', 'never', 12, {}])(
	'an order with the expiry %p does not end',
	(expire_time) => {
		expect(expiryOf({ expire_time })).toBeUndefined();
		expect(withExpiry({ expire_time }, 0)).toEqual({ expire_time });
	},
);

it('an expiry that is only inherited is none', () => {
	const record: Record<string, unknown> = {};
	Object.setPrototypeOf(record, { expire_time: END });
	expect(expiryOf(record)).toBeUndefined();
});

it.each([
	[END_MS - 60_000, 60, 0],
	[END_MS - 1, 0, 0],
	[END_MS, 0, 0],
	[END_MS + 1, -1, -0.1],
	[END_MS + 60_000, -60, -0.1],
	[END_MS - 1500, 1, 0],
	[END_MS - 2.19 * 86_400_000, 189_216, 2.1],
	[END_MS - 30 * 86_400_000, 2_592_000, 30],
	[END_MS - 30 * 86_400_000 + 1, 2_591_999, 29.9],
	[END_MS - 8_640_000, 8640, 0.1],
	[END_MS - 8_639_999, 8639, 0],
	[END_MS + 2 * 86_400_000, -172_800, -2],
])('at %d, %d whole seconds and %d days are left', (now, secondsLeft, daysLeft) => {
	expect(withExpiry({ expire_time: END }, now)).toEqual({
		expire_time: END,
		expiresAt: '2026-06-18T12:01:43+08:00',
		secondsLeft,
		daysLeft,
	});
});

it.each<[object, boolean]>([
	[{ pay_type: 'PRE_PAY', product: 'DPS', expire_time: END }, false],
	[{ pay_type: 'PRE_PAY', product: 'DPS', expire_time: '2026-06-18' }, true],
	[{ pay_type: 'PRE_PAY', product: 'DPS', expire_time: null }, true],
	[{ pay_type: 'PRE_PAY', product: 'DPS', expire_time: '' }, true],
	[{ pay_type: 'PRE_PAY', product: 'DPS' }, true],
	[{ pay_type: 'PRE_PAY', product: 'FPS', expire_time: '' }, false],
	[{ pay_type: 'PRE_PAY', product: 'FPS', expire_time: 'soon' }, true],
	[{ pay_type: 'PRE_PAY_IP', product: 'DPS', expire_time: '' }, false],
	[{ pay_type: 'PRE_PAY_IP', product: 'DPS', expire_time: 'soon' }, true],
	[{ pay_type: 'POST_PAY', product: 'TPS', expire_time: 'never' }, false],
	[{ expire_time: '' }, false],
])('of %j, that its expiry cannot be read is %p', (order, isUnreadable) => {
	expect(hasUnreadableExpiry({ ...order })).toBe(isUnreadable);
});

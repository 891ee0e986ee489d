import { readableOrder } from '../../../../../nodes/shared/orders/orderItem.ts';
import { deepFreeze } from '../../../support/frozen.mts';

const END = '2026-06-18 12:01:43';
/** The same in UTC: China is eight hours ahead. */
const END_MS = Date.parse('2026-06-18T04:01:43Z');
const DAY_MS = 86_400_000;

it('the names and times stand besides everything else, and the record stays as it was', () => {
	const record = deepFreeze({
		orderid: '1',
		product: 'DPS',
		pay_type: 'PRE_PAY_IP',
		expire_time: END,
		more: { a: 1 },
	});
	expect(readableOrder(record, END_MS - 2.17 * DAY_MS)).toEqual({
		...record,
		productName: 'Private Proxy',
		payTypeName: 'Pay per IP',
		expiresAt: '2026-06-18T12:01:43+08:00',
		secondsLeft: 187_488,
		daysLeft: 2.1,
	});
});

it.each([
	['FPS_STATIC', 'Overseas Static Proxy'],
	['NEW_PRODUCT', 'NEW_PRODUCT'],
	['constructor', 'constructor'],
	['', undefined],
	[7, undefined],
	[undefined, undefined],
])('the product %p is called %p', (product, productName) => {
	const record = readableOrder({ orderid: '1', product }, 0);
	expect(record.productName).toBe(productName);
	expect(Object.hasOwn(record, 'productName')).toBe(productName !== undefined);
});

it('an order that does not end has no time left', () => {
	const order = { orderid: '1', pay_type: 'POST_PAY', expire_time: '' };
	expect(readableOrder(order, 0)).toEqual({ ...order, payTypeName: 'Pay-As-You-Go' });
});

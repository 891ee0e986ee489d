import { toProperty, InvalidFieldError } from '../../../../../nodes/shared/fields/field.ts';
import { orderField, readChosenOrder } from '../../../../../nodes/shared/orders/orderField.ts';
import {
	byExpiry,
	orderText,
	readableOrder,
	expiryOf,
	unreadableExpiryError,
	withOrderExpiry,
} from '../../../../../nodes/shared/orders/order.ts';
import { DAY, HOUR, MINUTE } from '../../../../durations.mts';
import { deepFreeze } from '../../../support/frozen.mts';

const END = '2026-06-18 12:01:43';
/** The same in UTC: China is eight hours ahead. */
const END_MS = Date.parse('2026-06-18T04:01:43Z');

describe('the expiry', () => {
	it('an order ends when its China time says so', () => {
		expect(expiryOf({ expire_time: END })).toBe(END_MS);
	});

	it.each([undefined, null, '', ' ', '2026-06-18', '2026-13-01 00:00:00', 'never', 12, {}])(
		'an order with the expiry %p does not end',
		(expire_time) => {
			expect(expiryOf({ expire_time })).toBeUndefined();
			expect(withOrderExpiry({ expire_time }, 0)).toEqual({ expire_time });
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
		expect(withOrderExpiry({ expire_time: END }, now)).toEqual({
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
		expect(unreadableExpiryError([{ ...order }]) !== undefined).toBe(isUnreadable);
	});
});

describe('the text of an order', () => {
	const TUNNEL = { orderid: '7', product: 'TPS', pay_type: 'PRE_PAY', status: 'VALID' };
	const ends = (leftMs: number, more: object = {}) =>
		[{ ...TUNNEL, expire_time: END, ...more }, END_MS - leftMs] as const;

	it.each<[order: Record<string, unknown>, now: number, text: string]>([
		[...ends(2.19 * DAY), 'Tunnel Proxy order 7 expires in 2.1 days'],
		[...ends(DAY), 'Tunnel Proxy order 7 expires in 1 day'],
		[...ends(DAY - 1), 'Tunnel Proxy order 7 expires in 23 hours'],
		[...ends(HOUR), 'Tunnel Proxy order 7 expires in 1 hour'],
		[...ends(HOUR - 1), 'Tunnel Proxy order 7 expires in 59 minutes'],
		[...ends(MINUTE), 'Tunnel Proxy order 7 expires in 1 minute'],
		[...ends(MINUTE - 1), 'Tunnel Proxy order 7 expires in less than a minute'],
		[...ends(1000), 'Tunnel Proxy order 7 expires in less than a minute'],
		[...ends(0), 'Tunnel Proxy order 7 expired less than a minute ago'],
		[...ends(-2 * DAY), 'Tunnel Proxy order 7 expired 2 days ago'],
		[...ends(-2 * DAY, { status: 'EXPIRED' }), 'Tunnel Proxy order 7 expired 2 days ago'],
		[...ends(DAY, { status: 'EXPIRED' }), 'Tunnel Proxy order 7 has expired'],
		[...ends(0, { status: 'EXPIRED', expire_time: '' }), 'Tunnel Proxy order 7 has expired'],
		[...ends(DAY, { status: 'CLOSED' }), 'Tunnel Proxy order 7 is closed'],
		[...ends(0, { expire_time: '' }), 'Tunnel Proxy order 7 is active'],
		[
			...ends(0, { pay_type: 'POST_PAY', expire_time: '' }),
			'Tunnel Proxy order 7 runs until it is closed',
		],
		[{ product: 'TPS', orderid: '' }, 0, 'The Tunnel Proxy order is active'],
		[{ orderid: 7 }, 0, 'Order 7 is active'],
		[{}, 0, 'The order is active'],
	])('%j at %d: %s', (order, now, text) => {
		expect(orderText(order, now)).toBe(text);
	});

	it('those that end first come first, and those that never end last', () => {
		const at = (day: number) => ({ expire_time: `2026-06-1${day} 12:00:00` });
		const [first, second, never, neither] = [at(1), at(2), { orderid: '1' }, { orderid: '2' }];
		expect([never, second, neither, first].sort(byExpiry)).toEqual([first, second, never, neither]);
	});
});

it.each([
	[['7'], '7'],
	[['7\n\u202e8'], '7 8'],
	[['7', '8'], '7, and of 1 more'],
	[['7', ...Array.from({ length: 1000 }, () => '8')], '7, and of 1,000 more'],
])(
	'the first order whose expiry cannot be read is named, and how many others there are (%#)',
	(...row) => {
		const [numbers, named] = row;
		const orders = numbers.map((orderid) => ({ orderid, pay_type: 'PRE_PAY', product: 'TPS' }));
		const message = `This node can't read the expiry of order ${named}`;
		expect(unreadableExpiryError(orders)?.message).toBe(message);
	},
);

describe("the field 'Order'", () => {
	const NUMBER = '965102959536478';

	function picked(value: unknown) {
		return { __rl: true, mode: 'list', value };
	}

	function typed(value: unknown) {
		return { __rl: true, mode: 'code', value };
	}

	function refusalOf(value: unknown): InvalidFieldError {
		try {
			readChosenOrder(() => value);
		} catch (error) {
			if (error instanceof InvalidFieldError) return error;
			throw error;
		}
		throw new Error('It was read');
	}

	it("has the service's name, and is filled from a list or by a number", () => {
		expect(orderField.serviceName).toBe('orderid');
		expect(toProperty(orderField)).toMatchObject({
			name: 'orderid',
			displayName: 'Order',
			type: 'resourceLocator',
			default: { __rl: true, mode: 'list', value: '' },
			modes: [
				{
					name: 'list',
					type: 'list',
					// Greets holders of either key pair; what to do with an order's stands in the description
					placeholder: 'Choose an order',
					typeOptions: { searchListMethod: 'searchOrders', searchable: true },
				},
				{ name: 'code', displayName: 'By ID', type: 'string' },
			],
		});
	});

	it.each([picked(NUMBER), typed(NUMBER), typed(` ${NUMBER}\n`), NUMBER, Number(NUMBER)])(
		'%j is that order',
		(value) => {
			expect(readChosenOrder(() => value)).toBe(NUMBER);
		},
	);

	it.each([picked(''), picked(undefined), picked(null), '', undefined, null])(
		'%j is the order of the credential',
		(value) => {
			expect(readChosenOrder(() => value)).toBeUndefined();
		},
	);

	it.each(['', ' ', undefined, null])('%j as a number is refused', (value) => {
		const { message, description } = refusalOf(typed(value));
		expect(message).toMatch(/^'Order' (is empty|can't be .*)$/);
		expect(description).toContain("choose 'From list'");
	});

	it('a number that has lost digits is refused', () => {
		const { message, description } = refusalOf(typed(9900000000000001));
		expect(message).toBe("'Order' can't be 9900000000000000");
		expect(description).toMatch(/as text, usually 15 or 16 digits/);
	});

	it.each(['=965', 'abc', '96510295953647x', '965 102', '-965102959536478', '9.65e14', '1234567'])(
		'%j is refused',
		(value) => {
			expect(refusalOf(picked(value)).fieldLabel).toBe('Order');
		},
	);

	it.each([true, [], {}, [NUMBER], { orderid: NUMBER }, typed({}), typed([NUMBER]), NaN])(
		'%j is no order',
		(value) => {
			expect(refusalOf(value).fieldLabel).toBe('Order');
		},
	);
});

describe('a readable order', () => {
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
});

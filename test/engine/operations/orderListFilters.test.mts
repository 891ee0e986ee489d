import type { IDataObject } from 'n8n-workflow';

import type { OrderStatus } from '../../../sandbox/sandbox.mts';
import { ORDER_LIST, records } from '../support/owner.mts';
import { bed, idsOf, LIST, numbers, owner, sent } from './orderOwner.mts';

describe('Order: Get Many', () => {
	describe('by status', () => {
		const STATES: readonly OrderStatus[] = [
			'VALID',
			'WAIT_PAY',
			'OPENING',
			'OWING',
			'CLOSED',
			'FORBIDDEN',
		];

		function oneOfEach() {
			const me = owner();
			const orders = STATES.map((status, index) =>
				me.tunnel({ status, expiresAt: me.inDays(index + 1) }),
			);
			const expired = me.tunnel({ expiresAt: me.inDays(-3) });
			return { me, orders, expired };
		}

		it.each([...STATES, 'EXPIRED'])('lists those that are %s', async (status) => {
			const { me, orders, expired } = oneOfEach();
			const wanted = [...orders, expired].find(
				(order) => order.status === status && order !== expired,
			);
			const list = records(await me.run({ ...LIST, status }));
			expect(numbers(list)).toEqual([(wanted ?? expired).orderId]);
			expect(list[0].status).toBe(status);
			expect(sent(ORDER_LIST)).toEqual([{ status }]);
		});

		it('lists all, the active ones first, then those that are not in force, then the ended', async () => {
			const { me, orders, expired } = oneOfEach();
			const longAgo = me.tunnel({ expiresAt: me.inDays(-9) });
			const later = me.tunnel({ expiresAt: me.inDays(20) });
			const list = records(await me.run({ ...LIST, status: 'ALL' }));
			const [valid, waiting, opening, owing, closed, banned] = orders;
			expect(numbers(list)).toEqual(
				idsOf([valid, later, waiting, opening, owing, banned, closed, expired, longAgo]),
			);
			expect(list.map(({ text }) => String(text).replace(/^Tunnel Proxy order \d+ /, ''))).toEqual([
				'expires in 23 hours',
				'expires in 19.9 days',
				'is awaiting payment',
				'is still being set up',
				'has an overdue payment',
				'is banned',
				'is closed',
				'expired 3 days ago',
				'expired 9 days ago',
			]);
			expect(sent(ORDER_LIST)).toEqual([{ status: 'ALL' }]);
		});

		it.each(['SOLD', 'valid', '', 5])('refuses %p and asks nothing', async (status) => {
			const { error } = await owner().run({ ...LIST, status });
			expect(error?.message).toMatch(/^'Status' is (empty|.*, which cannot be used) \[item 0\]$/);
			expect(error?.description).toMatch(/VALID \(Active\)/);
			expect(bed().sandbox.log.count()).toBe(0);
		});

		it('asks for a new one with Skip Local Checks', async () => {
			const options = { skipLocalChecks: true };
			const { error } = await owner().run({ ...LIST, status: 'SOLD', options });
			expect(error).toMatchObject({ httpCode: '-2' });
			expect(sent(ORDER_LIST)).toEqual([{ status: 'SOLD' }]);
		});
	});

	describe('with filters', () => {
		function mixed() {
			const me = owner();
			const orders = {
				tunnel: me.tunnel({ expiresAt: me.inDays(5) }),
				metered: me.meteredTunnel(),
				privateProxy: me.privateProxy({ expiresAt: me.inDays(1) }),
				perIp: me.privateProxy({ payType: 'PRE_PAY_IP', expiresAt: me.inDays(2) }),
				open: me.openProxy({ expiresAt: me.inDays(0.1) }),
			};
			return { me, orders };
		}

		it.each<
			[
				filters: IDataObject,
				sentFilters: object,
				found: ReadonlyArray<keyof ReturnType<typeof mixed>['orders']>,
			]
		>([
			[{ payType: 'PRE_PAY' }, { pay_type: 'PRE_PAY' }, ['open', 'privateProxy', 'tunnel']],
			[{ payType: 'PRE_PAY_IP' }, { pay_type: 'PRE_PAY_IP' }, ['perIp']],
			[{ payType: 'POST_PAY' }, { pay_type: 'POST_PAY' }, ['metered']],
			[{ product: 'TPS' }, { product: 'TPS' }, ['tunnel', 'metered']],
			[{ product: 'DPS' }, { product: 'DPS' }, ['privateProxy', 'perIp']],
			[{ product: 'OPS' }, { product: 'OPS' }, ['open']],
			[{ product: 'KPS' }, { product: 'KPS' }, []],
			[
				{ product: 'TPS', payType: 'POST_PAY' },
				{ product: 'TPS', pay_type: 'POST_PAY' },
				['metered'],
			],
			[{ expiringWithinDays: 3, expiringWithinHours: 3 }, {}, ['open']],
			[{ expiringWithinDays: 3 }, {}, ['open', 'privateProxy', 'perIp']],
			[{ expiringWithinHours: 3 }, {}, ['open']],
			[{ expiringWithinHours: 1 }, {}, []],
			[{ expiringWithinDays: 3, product: 'DPS' }, { product: 'DPS' }, ['privateProxy', 'perIp']],
		])('%j finds those', async (filters, sentFilters, found) => {
			const { me, orders } = mixed();
			const run = await me.run({ ...LIST, filters });
			expect(numbers(records(run))).toEqual(found.map((name) => orders[name].orderId));
			expect(sent(ORDER_LIST)).toEqual([{ status: 'VALID', ...sentFilters }]);
			expect(run.hints.map(({ message }) => message)).toEqual(
				found.length > 0 ? [] : [expect.stringContaining('No orders match')],
			);
		});

		it.each<[string, IDataObject[string], RegExp]>([
			['payType', 'BARTER', /^'Pay Type' is "BARTER"/],
			['product', 'XYZ', /^'Product' is "XYZ"/],
			['expiringWithinDays', 0, /^'Expiring Within \(Days\)' is 0/],
			['expiringWithinDays', 1.5, /^'Expiring Within \(Days\)' is 1.5/],
			['expiringWithinDays', '', /^'Expiring Within \(Days\)' is empty/],
			['expiringWithinHours', 'soon', /^'Expiring Within \(Hours\)' is "soon"/],
		])('refuses %s %p and asks nothing', async (name, value, message) => {
			const { error } = await owner().run({ ...LIST, filters: { [name]: value } });
			expect(error?.message).toMatch(message);
			expect(bed().sandbox.log.count()).toBe(0);
		});

		it('leaves out what has ended already: it no longer expires', async () => {
			const me = owner();
			me.tunnel({ expiresAt: me.inDays(-1) });
			const open = me.tunnel({ expiresAt: me.inDays(1), status: 'OPENING' });
			const filters = { expiringWithinDays: 3 };
			const list = records(await me.run({ ...LIST, status: 'ALL', filters }));
			expect(numbers(list)).toEqual([open.orderId]);
		});
	});
});

import {
	newAccount,
	newDedicatedProxyOrder,
	newOpenProxyOrder,
	newOverseasProxyOrder,
	newOverseasStaticProxyOrder,
	newPrivateProxyOrder,
	newTopUp,
	newTunnelProxyOrder,
	type Account,
	type Order,
} from '../../../sandbox/sandbox.mts';
import type { Parameters } from '../client.mts';
import { ask, field } from '../ordering.mts';
import { accountOfItsOwn, list, numbers, sandbox } from './listing.mts';

const NOW = new Date('2026-05-01T04:00:00Z');

function oneOfEverySort(account: Account) {
	return [
		newOpenProxyOrder('list-ops', account, NOW, { plan: 'VIP' }),
		newPrivateProxyOrder('list-dps', account, NOW),
		newPrivateProxyOrder('list-dps-per-ip', account, NOW, { payType: 'PRE_PAY_IP' }),
		newDedicatedProxyOrder('list-kps', account, NOW),
		newTunnelProxyOrder('list-tps', account, NOW),
		newTunnelProxyOrder('list-tps-pay-as-used', account, NOW, { payType: 'POST_PAY' }),
		newOverseasProxyOrder('list-fps', account, NOW),
		newOverseasStaticProxyOrder('list-sfps', account, NOW),
	].map((order) => sandbox.store.addOrder(order));
}

describe('what it lists', () => {
	let account: Account;
	let orders: Order[];

	beforeEach(() => {
		sandbox.clock.set(NOW);
		account = accountOfItsOwn();
		orders = oneOfEverySort(account);
	});

	it('every sort of order, of this account alone', async () => {
		const expire_time = '2026-05-31 12:00:00';
		const entry = (index: number, pay_type: string, product: string, expiry = expire_time) => ({
			orderid: orders[index]?.orderId,
			pay_type,
			product,
			status: 'VALID',
			expire_time: expiry,
		});
		expect(await list(account)).toEqual([
			entry(0, 'PRE_PAY', 'OPS'),
			entry(1, 'PRE_PAY', 'DPS'),
			entry(2, 'PRE_PAY_IP', 'DPS'),
			entry(3, 'PRE_PAY', 'KPS'),
			entry(4, 'PRE_PAY', 'TPS'),
			entry(5, 'POST_PAY', 'TPS', ''),
			entry(6, 'PRE_PAY', 'FPS'),
			entry(7, 'PRE_PAY', 'SFPS'),
		]);
	});

	it('a pay-as-used order without an expire_time, if that is the setting', async () => {
		sandbox.settings.payAsUsedExpiry = 'absent';
		const entries = await list(account);
		const without = entries.filter((each) => !Object.keys(Object(each)).includes('expire_time'));
		expect(without.map((each) => field(each, 'pay_type'))).toEqual(['POST_PAY']);
	});

	it('no order that is newer than the setting allows', async () => {
		sandbox.settings.newOrderLagSeconds = 5;
		expect(await list(account)).toEqual([]);
		sandbox.clock.advance(5000);
		expect(await list(account)).toHaveLength(orders.length);
	});

	it('an order by the codes that were chosen for it', async () => {
		orders[0].written = { product: 'OPS_VIP', status: 'RENEWING' };
		const [first] = await list(account, { status: 'ALL' });
		expect(first).toMatchObject({ product: 'OPS_VIP', pay_type: 'PRE_PAY', status: 'RENEWING' });
	});

	it.each<[parameters: Parameters, indexes: number[]]>([
		[{ pay_type: 'PRE_PAY' }, [0, 1, 3, 4, 6, 7]],
		[{ pay_type: 'PRE_PAY_IP' }, [2]],
		[{ pay_type: 'POST_PAY' }, [5]],
		[{ product: 'OPS' }, [0]],
		[{ product: 'DPS' }, [1, 2]],
		[{ product: 'KPS' }, [3]],
		[{ product: 'TPS' }, [4, 5]],
		[{ product: 'FPS' }, [6]],
		[{ product: 'TPS_PRO' }, []],
		[{ product: 'SFPS' }, [7]],
		[{ product: 'TPS', pay_type: 'PRE_PAY', status: 'ALL' }, [4]],
		[{ product: 'KPS', pay_type: 'POST_PAY' }, []],
	])('of %j', async (parameters, indexes) => {
		const expected = indexes.map((index) => orders[index]?.orderId);
		expect(await numbers(account, parameters)).toEqual(expected);
	});

	it.each([
		[undefined, 'SFPS', 'FPS_STATIC'],
		['SFPS', 'SFPS', 'SFPS'],
		['FPS_STATIC', 'FPS_STATIC', 'FPS_STATIC'],
	] as const)('overseas static ones, called as the setting %s says', async (code, here, there) => {
		sandbox.settings.overseasStaticCode = code;
		const [order] = await list(account, { product: here });
		expect(field(order, 'orderid')).toBe(orders[7]?.orderId);
		const { keys } = orders[7] ?? account;
		const details = await ask(sandbox, '/api/getorderinfo', keys, { field_list: 'product' });
		expect(details.data).toEqual({ product: there });
	});

	it('not what was paid into the account', async () => {
		const topUp = sandbox.store.addOrder(newTopUp('list-top-up', account, NOW));
		expect(await numbers(account, { status: 'ALL' })).not.toContain(topUp.orderId);
	});

	it('nothing for an account without orders', async () => {
		const empty = sandbox.store.addAccount(newAccount('empty'));
		expect(await list(empty)).toEqual([]);
		expect(await list(empty, { status: 'ALL' })).toEqual([]);
	});
});

import type { IDataObject } from 'n8n-workflow';

import { addManyOrders } from '../../../sandbox/sandbox.mts';
import { asked, bed, failure, open, owner, values, withOrders } from './orderSearch.mts';

describe('an operation offers the orders that it can use', () => {
	it.each<[resource: string, operation: string, fields: IDataObject, offered: string[]]>([
		['order', 'get', {}, ['metered', 'open', 'perIp', 'tunnel']],
		['autoRenewal', 'enable', {}, ['open', 'tunnel']],
		['autoRenewal', 'disable', {}, ['open', 'tunnel']],
		['order', 'close', {}, ['metered']],
		['order', 'getIpBalance', {}, ['perIp']],
		['order', 'renew', {}, ['open', 'perIp', 'tunnel']],
		['order', 'renew', { renewalOf: 'prepaid' }, ['open', 'tunnel']],
		['order', 'renew', { renewalOf: 'perIp' }, ['perIp']],
		['privateProxyResource', 'getAll', {}, ['perIp']],
		['proxy', 'extract', {}, ['perIp']],
		['proxy', 'extract', { product: 'OPS' }, ['open']],
		['proxy', 'extract', { product: 'TPS' }, ['metered', 'tunnel']],
		[
			'proxy',
			'extract',
			{ product: '={{ $json.product }}' },
			['metered', 'open', 'perIp', 'tunnel'],
		],
		['proxy', 'getLogin', {}, ['metered', 'perIp', 'tunnel']],
		['tunnel', 'changeIp', {}, ['metered', 'tunnel']],
		['tunnel', 'getCurrentIp', {}, ['metered', 'tunnel']],
		['whitelist', 'add', {}, ['metered', 'perIp', 'tunnel']],
		['whitelist', 'get', {}, ['metered', 'perIp', 'tunnel']],
	])('%s: %s, with %j', async (resource, operation, fields, offered) => {
		const { me, orders } = withOrders();
		const listed = await values(me, undefined, { resource, operation, ...fields });
		const names = Object.entries(orders).filter(([, { orderId }]) => listed.includes(orderId));
		expect(names.map(([name]) => name).sort()).toEqual(offered);
		expect(listed).toHaveLength(offered.length);
	});

	it('and says so where there is none', async () => {
		const { me } = withOrders();
		const parameters = { resource: 'order', operation: 'getTraffic' };
		const { message } = await failure(me, undefined, parameters);
		expect(message).toBe(
			"None of the account's active orders is of this kind: Overseas Dynamic Proxy (FPS). New orders show up here within a minute.",
		);
	});
});

describe('the orders of the account', () => {
	it('are shown with number, product, end in China and unusual way of payment, those that end first at the top', async () => {
		const { me, id } = withOrders();
		expect(await open(me)).toEqual([
			{
				name: `${id('perIp')}, Private Proxy, to 2031-06-01, Pay per IP`,
				value: id('perIp'),
			},
			{
				name: `${id('tunnel')}, Tunnel Proxy, to 2031-06-18`,
				value: id('tunnel'),
			},
			{
				name: `${id('open')}, Open Proxy, to 2032-01-01`,
				value: id('open'),
			},
			{ name: `${id('metered')}, Tunnel Proxy, Pay-As-You-Go`, value: id('metered') },
		]);
		expect(asked()).toEqual([{ status: 'VALID' }]);
	});

	it('of private proxies say how IPs are counted', async () => {
		const me = owner();
		me.privateProxy({ payType: 'PRE_PAY', expiresAt: new Date('2031-05-31T16:00:00Z') });
		me.privateProxy({ payType: 'PRE_PAY_IP', expiresAt: new Date('2032-05-31T16:00:00Z') });
		const names = (await open(me)).map(({ name }) => name.replace(/^\d+, /, ''));
		expect(names).toEqual([
			'Private Proxy, to 2031-06-01, Prepaid',
			'Private Proxy, to 2032-06-01, Pay per IP',
		]);
	});

	it('are those in force, and those of this account alone', async () => {
		const me = owner();
		const { orderId } = me.tunnel();
		me.tunnel({ status: 'OWING' });
		me.tunnel({ expiresAt: me.inDays(-1) });
		owner().tunnel();
		expect(await values(me)).toEqual([orderId]);
	});

	it('that are paid as used are the same whether the service leaves their end empty or out', async () => {
		const { settings } = bed().sandbox;
		const lists = [];
		for (const payAsUsedExpiry of ['empty', 'absent'] as const) {
			settings.payAsUsedExpiry = payAsUsedExpiry;
			const me = owner();
			const { orderId } = me.meteredTunnel();
			lists.push((await open(me)).map(({ name }) => name.replace(orderId, '')));
		}
		settings.payAsUsedExpiry = 'empty';
		expect(lists).toEqual([[', Tunnel Proxy, Pay-As-You-Go'], [', Tunnel Proxy, Pay-As-You-Go']]);
	});

	it('of every product have a name in English', async () => {
		const me = owner();
		addManyOrders(bed().sandbox.store, me.account, bed().sandbox.clock.now(), { count: 10 });
		for (const { name } of await open(me)) {
			expect(name).toMatch(
				/^\d{15}, [A-Z][a-z]+( [A-Z][a-z]+)* Proxy, (Pay-As-You-Go|to \d{4}-\d\d-\d\d(, (?:Pay per IP|Prepaid))?)$/,
			);
		}
	});

	it.each(['16 digits', 'unsafe number'] as const)(
		'keep every digit of a number with %s',
		async (orderNumbers) => {
			bed().sandbox.settings.orderNumbers = orderNumbers;
			const me = owner();
			const orderId = orderNumbers === '16 digits' ? '9900000000700001' : '9900000000700003';
			me.tunnel({ orderId });
			const found = await values(me);
			bed().sandbox.settings.orderNumbers = '15 digits';
			expect(found).toEqual([orderId]);
		},
	);

	it('may be many', async () => {
		const me = owner();
		const orders = addManyOrders(bed().sandbox.store, me.account, bed().sandbox.clock.now(), {
			count: 1000,
		});
		expect(await values(me)).toHaveLength(1000);
		expect(await values(me, orders[500].orderId)).toEqual([orders[500].orderId]);
		expect(asked()).toHaveLength(1);
	});

	it('that do not exist are told of', async () => {
		const { message } = await failure(owner());
		expect(message).toBe('The account has no active orders.');
	});
});

describe('what is typed', () => {
	type Name = keyof ReturnType<typeof withOrders>['orders'];

	it.each<[typed: string, found: Name[]]>([
		['', ['perIp', 'tunnel', 'open', 'metered']],
		['tunnel', ['tunnel', 'metered']],
		['TUNNEL proxy', ['tunnel', 'metered']],
		['tps', ['tunnel', 'metered']],
		['OPS', ['open']],
		['pay-as-you-go', ['metered']],
		['prepaid', ['tunnel', 'open']],
		['2031-06', ['perIp', 'tunnel']],
		[' 2032 ', ['open']],
		['Atlantis', []],
		['.*', []],
		['[(', []],
	])('%j finds %j', async (typed, found) => {
		const { me, id } = withOrders();
		expect(await values(me, typed)).toEqual(found.map(id));
	});

	it('finds an order by its number, or a part of it', async () => {
		const { me, id } = withOrders();
		expect(await values(me, id('open'))).toEqual([id('open')]);
		expect(await values(me, id('open').slice(3))).toEqual([id('open')]);
	});
});

import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import { addManyOrders, newOpenProxyOrder } from '../../../sandbox/sandbox.mts';
import { ownParameters } from '../../operations/world.mts';
import { API } from '../support/api.mts';
import { Customer, picked, typed } from '../support/customer.mts';
import { useWorkbench } from '../support/workbench.mts';

const { bed } = useWorkbench();

const FIELD = 'orderid';
/** It can use every order. */
const ANY_ORDER = { resource: 'order', operation: 'get' };

function owner(changes?: ICredentialDataDecryptedObject): Customer {
	return new Customer(bed(), { credential: changes });
}

async function open(
	{ credentialId }: Pick<Customer, 'credentialId'>,
	filter?: string,
	parameters: IDataObject = ANY_ORDER,
) {
	const list = await bed().engine.searchList({ field: FIELD, parameters, credentialId, filter });
	expect(list.paginationToken).toBeUndefined();
	return list.results.map(({ name, value }) => ({ name, value }));
}

async function values(...search: Parameters<typeof open>) {
	return (await open(...search)).map(({ value }) => value);
}

async function failure(...search: Parameters<typeof open>): Promise<Error> {
	const outcome: unknown = await open(...search).catch((error: unknown) => error);
	if (outcome instanceof Error) return outcome;
	throw new Error(`It did not fail: ${JSON.stringify(outcome)}`);
}

/** What arrived at the service. */
function asked() {
	return bed().sandbox.log.entries(API.getaccountorders).map(ownParameters);
}

/** One order of each sort that the names differ by. */
function withOrders(changes?: ICredentialDataDecryptedObject) {
	const me = owner(changes);
	const orders = {
		metered: me.meteredTunnel(),
		tunnel: me.tunnel({ expiresAt: new Date('2031-06-18T04:01:43Z') }),
		perIp: me.privateProxy({ payType: 'PRE_PAY_IP', expiresAt: new Date('2031-05-31T16:00:00Z') }),
		open: me.add(newOpenProxyOrder, { plan: 'SVIP', expiresAt: new Date('2032-01-01T00:00:00Z') }),
	};
	const id = (name: keyof typeof orders) => orders[name].orderId;
	return { me, orders, id };
}

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
	it('are shown with number, product, unusual way of payment and end in China, those that end first at the top', async () => {
		const { me, id } = withOrders();
		expect(await open(me)).toEqual([
			{
				name: `${id('perIp')}, Private Proxy, Pay per IP, to 2031-06-01`,
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
			'Private Proxy, Prepaid, to 2031-06-01',
			'Private Proxy, Pay per IP, to 2032-06-01',
		]);
	});

	it('of one product leave it out, so that what tells them apart is not cut off', async () => {
		const me = owner();
		me.tunnel();
		me.privateProxy({ payType: 'PRE_PAY_IP', expiresAt: new Date('2032-05-31T16:00:00Z') });
		const extract = { resource: 'proxy', operation: 'extract', product: 'DPS' };
		const [{ name }, ...others] = await open(me, undefined, extract);
		expect(name).toMatch(/^\d+, Pay per IP, to 2032-06-01$/);
		expect(others).toEqual([]);
		expect(await open(me, 'private', extract)).toHaveLength(1);
	});

	it('are those in force, and those of this account alone', async () => {
		const me = owner();
		const { orderId } = me.tunnel();
		me.tunnel({ status: 'OWING' });
		me.tunnel({ expiresAt: me.inDays(-1) });
		owner().tunnel();
		expect(await values(me)).toEqual([orderId]);
	});

	it('of every product have a name in English', async () => {
		const me = owner();
		addManyOrders(bed().sandbox.store, me.account, bed().sandbox.clock.now(), { count: 10 });
		for (const { name } of await open(me)) {
			expect(name).toMatch(
				/^\d{15}, [A-Z][a-z]+( [A-Z][a-z]+)* Proxy, (Pay-As-You-Go|((?:Pay per IP|Prepaid), )?to \d{4}-\d\d-\d\d)$/,
			);
		}
	});

	it('that do not exist are told of', async () => {
		const { message } = await failure(owner());
		expect(message).toBe('The account has no active orders.');
	});
});

describe('what is typed', () => {
	type Name = keyof ReturnType<typeof withOrders>['orders'];

	it.each<[filter: string, found: Name[]]>([
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
	])('%j finds %j', async (filter, found) => {
		const { me, id } = withOrders();
		expect(await values(me, filter)).toEqual(found.map(id));
	});

	it('finds an order by its number, or a part of it', async () => {
		const { me, id } = withOrders();
		expect(await values(me, id('open'))).toEqual([id('open')]);
		expect(await values(me, id('open').slice(3))).toEqual([id('open')]);
	});
});

describe('the list', () => {
	it('is asked for once, whatever operation shows some of it', async () => {
		const { me } = withOrders();
		await values(me);
		await values(me, undefined, { resource: 'order', operation: 'close' });
		await values(me, undefined, { resource: 'whitelist', operation: 'add' });
		expect(asked()).toHaveLength(1);
	});

	it('hands over no key pair', async () => {
		const { me, orders } = withOrders();
		const shown = JSON.stringify(await open(me));
		for (const { keys } of Object.values(orders)) {
			expect(shown).not.toContain(keys.secretId);
			expect(shown).not.toContain(keys.secretKey);
		}
		expect(bed().sandbox.log.count(API.getordersecret)).toBe(0);
	});
});

describe('a credential with which there is no list', () => {
	it('is that of one order, and says that the field stays empty, without asking', async () => {
		const { credentialId } = new Customer(bed(), { kind: 'tps' });
		const { message } = await failure({ credentialId });
		expect(message).toBe(
			"The credential holds an order's key pair, so there is nothing to choose. Leave this field empty to use that order.",
		);
		expect(bed().sandbox.log.count()).toBe(0);
	});

	it('is that of an order which is said to be that of the account', async () => {
		const credential = { keyType: 'account' };
		const { credentialId } = new Customer(bed(), { kind: 'tps', credential });
		const { message } = await failure({ credentialId });
		expect(message).toMatch(
			/^This operation doesn't accept this kind of key pair.*account's key pair/,
		);
		expect(message).toContain('(code -123)');
	});
});

it('a list with an entry that has no number cannot be had, and says why', async () => {
	const body = '{"code":0,"msg":"","data":[{"product":"TPS"}]}';
	bed().sandbox.faults.add({ kind: 'raw', body, path: API.getaccountorders });
	expect((await failure(withOrders().me)).message).toMatch(/missing fields.*[.…]$/);
});

describe('the areas of an order that is chosen with the key pair of the account', () => {
	const AREAS = { resource: 'privateProxyResource', operation: 'getAll' };

	async function areas({ credentialId }: Customer, orderid: IDataObject[string]) {
		const parameters = { ...AREAS, orderid };
		return await bed().engine.searchList({ field: 'area', parameters, credentialId });
	}

	it('are those of that order', async () => {
		const me = owner();
		const order = me.privateProxy();
		const { results } = await areas(me, picked(order.orderId));
		expect(results.length).toBeGreaterThan(10);
		expect(bed().sandbox.log.last('/api/dpsresources')?.parameters.secret_id).toBe(
			order.keys.secretId,
		);
		expect(bed().sandbox.log.count(API.getordersecret)).toBe(1);
	});

	it('are asked for anew for another order', async () => {
		const me = owner();
		const orders = [me.privateProxy(), me.privateProxy()];
		for (const { orderId } of orders) await areas(me, picked(orderId));
		const keys = bed()
			.sandbox.log.entries('/api/dpsresources')
			.map(({ parameters }) => parameters.secret_id);
		expect(keys).toEqual(orders.map((order) => order.keys.secretId));
	});

	it('cannot be had for an expression, which is explained, and nothing is asked', async () => {
		const orderid = typed('={{ $json.orderid }}');
		await expect(areas(owner(), orderid)).rejects.toThrow(
			/^'Order' can't be "={{ \$json\.orderid }}"\. .*'By Code' and enter the code\.$/,
		);
		expect(bed().sandbox.log.count()).toBe(0);
	});
});

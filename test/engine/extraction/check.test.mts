import type { IDataObject } from 'n8n-workflow';

import type { OrderKind } from '../../operations/world.mts';
import { API } from '../support/api.mts';
import { Customer, type CustomerRun, picked, typed } from '../support/customer.mts';
import { Engine } from '../support/engine.mts';
import { records } from '../support/results.mts';
import { openShop, supply } from '../support/scriptedShop.mts';
import { useWorkbench } from '../support/workbench.mts';

const { bed } = useWorkbench();

/** Somebody with an order of some kind, whose proxies are checked. */
class Checker extends Customer {
	/** @returns the records of proxies that were extracted */
	async proxies(fields: IDataObject): Promise<IDataObject[]> {
		return records(await this.extract({ product: 'DPS', ...fields }));
	}

	async check(items: IDataObject[], fields: IDataObject = {}, settings: CustomerRun = {}) {
		return await this.run(
			{ resource: 'proxy', operation: 'check', ...fields },
			{ ...settings, items },
		);
	}
}

const owner = (kind: OrderKind) => new Checker(bed(), { kind });

function kill({ address }: IDataObject): void {
	const proxy = bed().sandbox.orderProxies.find(String(address));
	if (proxy === undefined) throw new Error(`No order has ${String(address)}`);
	proxy.works = false;
}

function sentTo(path: string): string[] {
	return bed()
		.sandbox.log.entries(path)
		.map(({ parameters }) => parameters.proxy);
}

it('gives every item back, with what Kuaidaili says about its proxy', async () => {
	const me = owner('dps');
	const proxies = await me.proxies({ num: 3 });
	kill(proxies[1]);
	const { items, error, hints } = await me.check(proxies);
	expect(error).toBeUndefined();
	expect(hints.map(({ message }) => message)).toEqual(['2 of 3 proxies work.']);
	expect(Object.keys(items[0].json)[0]).toBe('valid');
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2].map((item) => ({ item })));
	expect(items.map(({ json }) => json)).toEqual(
		proxies.map((proxy, index) => ({
			...proxy,
			valid: index !== 1,
			secondsLeft: expect.any(Number),
		})),
	);
	const addresses = proxies.map(({ address }) => String(address)).join(',');
	expect(sentTo(API.checkdpsvalid)).toEqual([addresses]);
	expect(sentTo(API.getdpsvalidtime)).toEqual([addresses]);
});

it('leaves out those that do not work, where only valid ones are wanted', async () => {
	const me = owner('dps');
	const proxies = await me.proxies({ num: 3 });
	kill(proxies[0]);
	const { items } = await me.check(proxies, { onlyValid: true });
	expect(items.map(({ json }) => json.address)).toEqual(
		proxies.slice(1).map(({ address }) => address),
	);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }, { item: 2 }]);
});

it.each([0, '', { message: 'The connection was aborted' }])(
	'leaves out the error %j of an earlier node, which n8n would take for its own',
	async (failure) => {
		const me = owner('dps');
		const [proxy] = await me.proxies({ num: 1 });
		const { items } = await me.check([{ ...proxy, error: failure, kept: 1 }]);
		expect(items.map(({ json }) => json)).toEqual([
			{ ...proxy, kept: 1, valid: true, secondsLeft: expect.any(Number) },
		]);
	},
);

it('is told by an empty proxy how those are checked that are kept for reuse', async () => {
	const { error } = await owner('dps').check([{ any: 1 }]);
	expect(error?.message).toBe("'Proxy' is empty");
	expect(error?.description).toContain("put 'Proxy: Extract' with 'Reuse Proxies' in front");
	expect(bed().sandbox.log.count()).toBe(0);
});

it('asks for 100 proxies per call, and for each address once', async () => {
	const me = owner('dps');
	const items = Array.from({ length: 250 }, (_none, index) => ({
		proxyUrl: `http://10.0.${Math.floor(index / 2 / 100)}.${(Math.floor(index / 2) % 100) + 1}:8080`,
	}));
	const { items: checked } = await me.check(items);
	expect(checked).toHaveLength(250);
	expect(sentTo(API.checkdpsvalid).map((sent) => sent.split(',').length)).toEqual([100, 25]);
	expect(sentTo(API.getdpsvalidtime).map((sent) => sent.split(',').length)).toEqual([100, 25]);
});

it.each([
	['a URL', 'http://1.2.3.4:80', '1.2.3.4:80'],
	['a URL with a login', 'http://user:p%40ss@1.2.3.4:8080/', '1.2.3.4:8080'],
	['a URL for SOCKS', 'socks5://user:pa:ss@1.2.3.4:8080', '1.2.3.4:8080'],
	['an address', ' 1.2.3.4:8080 ', '1.2.3.4:8080'],
	['an entry', '1.2.3.4:8080,600', '1.2.3.4:8080'],
	['an entry with a login', '1.2.3.4:8080:user:password', '1.2.3.4:8080'],
	['an object with an address', { address: '1.2.3.4:8080' }, '1.2.3.4:8080'],
	['an object with a URL', { proxyUrl: 'http://a:b@1.2.3.4:8080' }, '1.2.3.4:8080'],
])('sends the bare address of %s', async (_what, proxy, sent) => {
	await owner('dps').check([{ proxy }], { proxy: '={{ $json.proxy }}' });
	expect(sentTo(API.checkdpsvalid)).toEqual([sent]);
});

it.each([
	[''],
	['1.2.3.4'],
	['http://user:the-password@nowhere'],
	['user:the-password'],
	['1.2.3.4:80 user:the-password'],
	[{ proxyUrl: 'http://user:the-password@nowhere' }],
	[['http://user:the-password@nowhere']],
	[7],
	[null],
])('refuses %j, sends nothing and shows no password', async (proxy) => {
	const { error } = await owner('dps').check([{ proxyUrl: 'http://1.2.3.4:80' }, { proxy }], {
		proxy: '={{ $json.proxyUrl ?? $json.proxy }}',
	});
	expect(error?.message).toMatch(/^'Proxy' (?:is empty|can't be .*|holds .*) ?\[item 1\]$/);
	expect(JSON.stringify([error?.message, error?.description])).not.toContain('the-password');
	expect(error?.description).toMatch(/URL of a proxy, an address/);
	expect(bed().sandbox.log.count()).toBe(0);
});

it("with 'Continue On Fail' checks the other items", async () => {
	const me = owner('dps');
	const [proxy] = await me.proxies({ num: 1 });
	const { items, errorItems } = await me.check(
		[{ proxyUrl: 'none' }, proxy],
		{},
		{ settings: { onError: 'continueErrorOutput' } },
	);
	expect(errorItems.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }]);
	expect(items.map(({ json }) => json.valid)).toEqual([true]);
	expect(items[0].pairedItem).toEqual({ item: 1 });
});

it('refuses a missing order before anything is sent', async () => {
	const customer = new Customer(bed());
	const credentialId = customer.credentialId;
	const { error } = await owner('dps').check([{ proxyUrl: '1.2.3.4:80' }], {}, { credentialId });
	expect(error?.message).toMatch(/^'Order' is empty/);
	expect(bed().sandbox.log.count()).toBe(0);
});

it('checks the items of each order with its own key pair', async () => {
	const customer = new Customer(bed(), { kind: 'dps', by: 'account' });
	const credentialId = customer.credentialId;
	const orders = [customer.theOrder, customer.addOrder('dps')];
	const items = [0, 1, 0].map((order, index) => ({
		proxyUrl: `1.2.3.${index + 1}:80`,
		order: orders[order].orderId,
	}));
	const orderid = picked('={{ $json.order }}');
	const { items: checked } = await owner('dps').check(items, { orderid }, { credentialId });
	expect(checked).toHaveLength(3);
	expect(sentTo(API.checkdpsvalid)).toEqual(['1.2.3.1:80,1.2.3.3:80', '1.2.3.2:80']);
});

it.each(['{}', '[]'])(
	'says that a proxy is unknown when Kuaidaili says nothing about it, and guesses nothing: %s',
	async (data) => {
		const body = `{"code":0,"msg":"success","data":${data}}`;
		bed().sandbox.faults.add({ kind: 'raw', body, path: API.checkdpsvalid, times: 2 });
		const me = owner('dpsPerIp');
		const { items, hints } = await me.check([{ proxyUrl: '1.2.3.4:80' }]);
		expect(items.map(({ json }) => json)).toEqual([{ proxyUrl: '1.2.3.4:80', valid: null }]);
		expect(hints[0].message).toMatch(/its state is unknown/);
		const none = await me.check([{ proxyUrl: '1.2.3.4:80' }], { onlyValid: true });
		expect(none.items).toEqual([]);
	},
);

it('takes a list of something for no answer', async () => {
	const body = '{"code":0,"msg":"success","data":["1.2.3.4:80"]}';
	bed().sandbox.faults.add({ kind: 'raw', body, path: API.checkdpsvalid });
	const { error } = await owner('dpsPerIp').check([{ proxyUrl: '1.2.3.4:80' }]);
	expect(error?.message).toMatch(/contains no/);
});

it('puts out which proxies work when nobody can say how long they live on', async () => {
	const me = owner('dps');
	const [{ proxyUrl }] = await me.proxies({ num: 1 });
	bed().sandbox.faults.add({ kind: 'code', code: -77, msg: '原因', path: API.getdpsvalidtime });
	const { items, hints, error } = await me.check([{ proxyUrl }]);
	expect(error).toBeUndefined();
	expect(items.map(({ json }) => json)).toEqual([{ proxyUrl, valid: true }]);
	expect(hints[0].message).toContain('code -77');
});

it('says that professional pay-per-IP orders cannot be checked', async () => {
	const { error } = await owner('dpsProfessional').check([{ proxyUrl: '1.2.3.4:80' }]);
	expect(error?.description).toMatch(/can't check the proxies of professional pay-per-IP orders/);
});

it.each<[OrderKind, RegExp]>([
	['kps', /order \(Dedicated Proxy\) can't be checked/],
	['opsVip', /order \(Open Proxy\) can't be checked as private proxies/],
])('says that the order %s is no private proxy order', async (kind, message) => {
	const { error } = await owner(kind).check([{ proxyUrl: '1.2.3.4:80' }]);
	expect(error?.message).toMatch(message);
	expect(bed().sandbox.log.count(API.checkdpsvalid)).toBe(0);
});

it('checks open proxies', async () => {
	const me = owner('opsSvip');
	const { items: extracted } = await bed().extract({ credentialId: me.credentialId, num: 2 });
	const proxies = extracted.map(({ json }) => json);
	bed().proxyOf({ json: proxies[0] }).works = true;
	bed().proxyOf({ json: proxies[1] }).works = false;
	const { items } = await me.check(proxies, { product: 'OPS' });
	expect(items.map(({ json }) => json)).toEqual([
		{ ...proxies[0], valid: true },
		{ ...proxies[1], valid: false },
	]);
	expect(bed().sandbox.log.count(API.checkopsvalid)).toBe(1);
});

it('takes a dead proxy out of the pool of those that Extract hands out again', async () => {
	const me = owner('dps');
	const reuse = { reuse: true, num: 2 };
	const proxies = await me.proxies(reuse);
	kill(proxies[0]);
	await me.check(proxies);
	const again = await me.proxies(reuse);
	const addresses = again.map(({ address }) => address);
	expect(addresses).toContain(proxies[1].address);
	expect(addresses).not.toContain(proxies[0].address);
	expect(
		bed()
			.sandbox.log.entries(API.getdps)
			.map(({ parameters }) => parameters.num),
	).toEqual(['2', '1']);
});

it('knows the others where Kuaidaili answers null for one', async () => {
	const data = { '1.2.3.4:80': true, '1.2.3.5:80': null };
	const body = JSON.stringify({ code: 0, msg: 'success', data });
	bed().sandbox.faults.add({ kind: 'raw', body, path: API.checkdpsvalid });
	const proxies = ['1.2.3.4:80', '1.2.3.5:80'].map((proxyUrl) => ({ proxyUrl }));
	const { items, error } = await owner('dpsPerIp').check(proxies);
	expect(error).toBeUndefined();
	expect(items.map(({ json }) => json.valid)).toEqual([true, null]);
});

it('does not call a proxy valid that has no second left', async () => {
	const me = owner('dps');
	const [{ proxyUrl, address }] = await me.proxies({ num: 1 });
	const body = JSON.stringify({ code: 0, msg: 'success', data: { [String(address)]: 0 } });
	bed().sandbox.faults.add({ kind: 'raw', body, path: API.getdpsvalidtime, times: 2 });
	const { items } = await me.check([{ proxyUrl }]);
	expect(items.map(({ json }) => json)).toEqual([{ proxyUrl, valid: false, secondsLeft: 0 }]);
	expect((await me.check([{ proxyUrl }], { onlyValid: true })).items).toEqual([]);
});

it('with another order, it takes nothing from what is kept for reuse', async () => {
	const me = owner('dps');
	const proxies = await me.proxies({ num: 3, reuse: true });
	const data = Object.fromEntries(proxies.map(({ address }) => [String(address), false]));
	const body = JSON.stringify({ code: 0, msg: 'success', data });
	bed().sandbox.faults.add({ kind: 'raw', body, path: API.checkdpsvalid });
	await owner('dps').check(proxies);
	const again = await me.proxies({ num: 3, reuse: true });
	expect(again.map(({ address }) => address)).toEqual(proxies.map(({ address }) => address));
	expect(bed().sandbox.log.count(API.getdps)).toBe(1);
});

it('a value of an option from an expression is refused before the key pair of the order is asked for', async () => {
	const order = bed().newOrder();
	const { error } = await bed().engine.run({
		credentialId: bed().addCredential(order.account.keys, { keyType: 'account' }),
		parameters: {
			resource: 'proxy',
			operation: 'extract',
			product: 'OPS',
			plan: 'svip',
			orderid: typed(order.orderId),
			options: { sort: '={{ "perhaps" }}' },
		},
	});
	expect(error?.message).toBe(`'Sort' can't be "perhaps"`);
	expect(bed().sandbox.log.entries()).toEqual([]);
});

/* An expression that finds nothing must not pay for proxies of any other place. */

const engine = new Engine();

const NOTHING = ['={{ undefined }}', '={{ null }}', '={{ $json.area }}'];

const byList = (value: string) => picked(value);

const PLACES: ReadonlyArray<[string, (value: string) => IDataObject]> = [
	['Areas', (area) => ({ product: 'DPS', filters: { area } })],
	['Areas to Exclude', (areaEx) => ({ product: 'DPS', filters: { areaEx } })],
	['Countries', (region) => ({ product: 'FPS', connection: 'extraction', region: byList(region) })],
	['Country', (region) => ({ product: 'FPS', connection: 'tunnel', region: byList(region) })],
	['Area', (area) => ({ product: 'FPS', connection: 'tunnel', area: byList(area) })],
	['Continent', (continent) => ({ product: 'FPS', connection: 'tunnel', continent })],
	['Region', (region) => ({ product: 'TPS_PRO', region })],
];

describe.each(PLACES)('%s', (label, fieldsFor) => {
	it.each(NOTHING)('is refused where the expression %s has no value', async (expression) => {
		const shop = await openShop(engine, supply());
		const { error } = await shop.run({ num: 1, ...fieldsFor(expression) });
		expect(error?.message).toMatch(new RegExp(`^'${label}' is empty`));
		expect(shop.extractions).toHaveLength(0);
	});
});

it.each(['Areas', 'Areas to Exclude'])('%s is refused where it is empty', async (label) => {
	const shop = await openShop(engine, supply());
	const name = label === 'Areas' ? 'area' : 'areaEx';
	const { error } = await shop.run({ product: 'DPS', num: 1, filters: { [name]: '' } });
	expect(error?.message).toMatch(new RegExp(`^'${label}' is empty`));
	expect(shop.extractions).toHaveLength(0);
});

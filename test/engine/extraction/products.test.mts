import type { IDataObject } from 'n8n-workflow';

import type { OrderKind } from '../../operations/world.mts';
import { bed, GET_DPS, loginOf, owner } from './productExtraction.mts';

const LOGIN = '/api/getproxyauthorization';

const HTTP_URL = /^http:\/\/[^:@/]+:[^:@/]+@[^@/]+:\d+$/;

describe.each<[product: string, kind: OrderKind, fields: IDataObject, count: number]>([
	['DPS', 'dps', { num: 3 }, 3],
	['DPS', 'dpsPerIp', { num: 3 }, 3],
	['KPS', 'kpsSeveral', {}, 5],
	['TPS', 'tps', {}, 1],
	['TPS_PRO', 'tpsPro', {}, 1],
	['FPS', 'fps', {}, 1],
	['FPS', 'fps', { connection: 'extraction', num: 2 }, 2],
	['SFPS', 'sfpsPackage', {}, 3],
])('%s of the order %s with %j', (product, kind, fields, count) => {
	it.each(['json', 'text', 'xml'])('comes with the login in the URL, as %s', async (format) => {
		const me = owner(kind);
		const { items, error } = await me.run({ product, ...fields, options: { format } });
		expect(error).toBeUndefined();
		expect(items).toHaveLength(count);
		for (const { json } of items) {
			expect(json).toMatchObject(loginOf(me));
			expect(json.proxyUrl).toMatch(HTTP_URL);
			expect(String(json.proxyUrl).endsWith(`@${String(json.address)}`)).toBe(true);
		}
	});

	it('comes without a login where none is wanted, and then asks for none', async () => {
		const me = owner(kind);
		const { items, error } = await me.run({ product, ...fields, login: 'none' });
		expect(error).toBeUndefined();
		expect(me.paths()).not.toContain(LOGIN);
		for (const { json } of items) {
			expect(json.proxyUrl).toBe(`http://${String(json.address)}`);
			expect(json).not.toHaveProperty('password');
		}
	});
});

describe('a private proxy', () => {
	it('has the extras that were asked for, and its life', async () => {
		const me = owner('dps');
		const extraFields = { fLoc: true, fCitycode: true, fCarrier: true };
		const { items } = await me.run({ product: 'DPS', num: 1, extraFields });
		expect(Object.keys(items[0].json)).toEqual([
			'proxyUrl',
			'address',
			'host',
			'port',
			'username',
			'password',
			'region',
			'cityCode',
			'secondsLeft',
			'carrier',
			'expiresAt',
		]);
		const { secondsLeft, expiresAt } = items[0].json;
		expect(secondsLeft).toBeGreaterThan(0);
		const left = (Date.parse(String(expiresAt)) - bed().sandbox.clock.now().getTime()) / 1000;
		expect(Math.abs(left - Number(secondsLeft))).toBeLessThan(30);
	});

	it('is not counted where its login cannot be had', async () => {
		const me = owner('dpsPerIp');
		bed().sandbox.faults.add({ kind: 'code', code: -109, msg: '', path: LOGIN });
		const { error } = await me.run({ product: 'DPS', num: 1 });
		expect(error).toBeDefined();
		expect(me.paths()).not.toContain(GET_DPS);
	});

	it('comes in calls of at most 100', async () => {
		const me = owner('dpsPerIp');
		const { items } = await me.run({ product: 'DPS', num: 250 });
		const sizes = bed()
			.sandbox.log.entries(GET_DPS)
			.map(({ parameters }) => parameters.num);
		expect(sizes.slice(0, 3)).toEqual(['100', '100', expect.any(String)]);
		expect(new Set(items.map(({ json }) => json.address)).size).toBe(items.length);
	});

	it('is not asked for again after an unclear answer, and the message says so', async () => {
		const me = owner('dpsPerIp');
		bed().sandbox.faults.add({ kind: 'cut', when: 'after', path: GET_DPS, times: 1 });
		const { error } = await me.run({ product: 'DPS', num: 5 });
		expect(error?.description).toMatch(/counted all the same.*'Order: Get IP Balance'/);
		expect(bed().sandbox.log.count(GET_DPS)).toBe(1);
		expect(bed().sandbox.extractions.total({ orderId: me.order.orderId })).toBe(5);
	});

	it('says when few are left, and tells the count in one item', async () => {
		const me = owner('dpsPerIp');
		if (!('ipBalance' in me.order)) throw new Error('No balance');
		me.order.ipBalance = 21;
		const { items, hints } = await me.run({ product: 'DPS', num: 20, output: 'allInOne' });
		expect(items[0].json).toMatchObject({ count: 20, order_left_count: 1 });
		expect(hints.map(({ message }) => message)).toEqual([
			'Only 1 more proxy is left in this order.',
		]);
	});

	it('says that none is left, and not that nothing matches', async () => {
		const me = owner('dpsPerIp');
		if (!('ipBalance' in me.order)) throw new Error('No balance');
		me.order.ipBalance = 2;
		const { hints } = await me.run({ product: 'DPS', num: 5 });
		expect(hints.map(({ message }) => message)).toEqual([
			'Only 2 of 5 proxies were found. No more proxies are left in this order.',
		]);
	});
});

describe('a product from an expression', () => {
	const chosen = '={{ $json.product }}';

	it('keeps filters, extra fields and options, although other products have fields of those names', async () => {
		const me = owner('dpsPerIp');
		const { error } = await me.run(
			{
				product: chosen,
				num: 2,
				filters: { area: '浙江', areaEx: '杭州', carrier: 2, dedup: true },
				extraFields: { fLoc: true, fCitycode: true, fCarrier: true },
				options: { format: 'text', sep: 3, maxExtractionsPerRun: 2 },
			},
			{ items: [{ product: 'DPS' }] },
		);
		expect(error).toBeUndefined();
		expect(me.world.requests.at(-1)?.parameters).toMatchObject({
			...{ area: '浙江', area_ex: '杭州', carrier: '2', dedup: '1' },
			...{ f_loc: '1', f_citycode: '1', f_carrier: '1', format: 'text', sep: '3' },
		});
	});

	it.each<[IDataObject, string]>([
		[{ filters: { anHa: true } }, 'Anonymity: High'],
		[{ extraFields: { fSp: true } }, 'Response Time'],
		[{ options: { sort: 1 } }, 'Sort'],
	])(
		'refuses what the product does not have, before anything is sent: %j',
		async (fields, label) => {
			const me = owner('dpsPerIp');
			const { error } = await me.run(
				{ product: chosen, num: 2, ...fields },
				{ items: [{ product: 'DPS' }] },
			);
			expect(error?.message).toContain(`'${label}'`);
			expect(error?.description).toMatch(/works only when 'Product' is .*Open Proxy \(OPS\)/);
			expect(me.paths()).toEqual([]);
		},
	);
});

it('gives a dedicated proxy by its ID', async () => {
	const me = owner('kps');
	if (!('machineIds' in me.order)) throw new Error('No IDs');
	const { items, error } = await me.run({
		product: 'KPS',
		kpsBy: 'id',
		fId: me.order.machineIds[0],
	});
	expect(error).toBeUndefined();
	expect(items).toHaveLength(1);
	expect(items[0].json.proxyUrl).toMatch(HTTP_URL);
});

it('gives retail proxies their own logins and areas', async () => {
	const me = owner('sfps');
	const { items, error } = await me.run({ product: 'SFPS' });
	expect(error).toBeUndefined();
	expect(me.paths()).toEqual(['/api/getsfps']);
	for (const { json } of items) {
		expect(json.area).toMatch(/\w/);
		expect(json.proxyUrl).toMatch(HTTP_URL);
	}
	expect(items.length).toBeGreaterThan(0);
});

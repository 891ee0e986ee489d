import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { OrderKind } from '../../operations/world.mts';
import { API } from '../support/api.mts';
import { Customer } from '../support/customer.mts';
import { lost } from '../support/faults.mts';
import { CONTINUE_WITH_ERRORS } from '../support/runSettings.mts';
import { sleep } from '../support/sleep.mts';
import { useWorkbench } from '../support/workbench.mts';

const { bed } = useWorkbench();

const owner = (kind: OrderKind) => new Customer(bed(), { kind });

function loginOf({ theOrder: order }: Customer) {
	if (!('login' in order)) throw new Error('The order has no login');
	return order.login;
}

it.each<[product: string, kind: OrderKind, fields: IDataObject]>([
	['KPS', 'kpsSeveral', {}],
	['TPS', 'tps', {}],
	['FPS', 'fps', { connection: 'extraction', num: 2 }],
	['SFPS', 'sfpsPackage', {}],
])(
	'%s of the order %s comes without a login where none is wanted, and then asks for none',
	async (product, kind, fields) => {
		const me = owner(kind);
		const { items, error } = await me.extract({ product, ...fields, login: 'none' });
		expect(error).toBeUndefined();
		expect(items.length).toBeGreaterThan(0);
		expect(me.calls).not.toContain(API.getproxyauthorization);
		for (const { json } of items) {
			expect(json.proxyUrl).toBe(`http://${String(json.address)}`);
			expect(json).not.toHaveProperty('password');
		}
	},
);

describe('a private proxy', () => {
	it('is not counted where its login cannot be had', async () => {
		const me = owner('dpsPerIp');
		bed().sandbox.faults.add({
			kind: 'code',
			code: -109,
			msg: '',
			path: API.getproxyauthorization,
		});
		const { error } = await me.extract({ product: 'DPS', num: 1 });
		expect(error).toBeDefined();
		expect(me.calls).not.toContain(API.getdps);
	});

	it('is not asked for again after an unclear answer, and the message says so', async () => {
		const me = owner('dpsPerIp');
		bed().sandbox.faults.add(lost(API.getdps));
		const { error } = await me.extract({ product: 'DPS', num: 5 });
		expect(error?.description).toMatch(/counted all the same.*'Order: Get IP Balance'/);
		expect(bed().sandbox.log.count(API.getdps)).toBe(1);
		expect(bed().sandbox.extractions.total({ orderId: me.theOrder.orderId })).toBe(5);
	});

	it.each([
		['order_left_count', 'in the order'],
		['today_left_count', 'for today'],
		['order_left_today', 'for today'],
	])('takes %s for the number that is left %s', async (name, where) => {
		const me = owner('dpsPerIp');
		const data = { count: 1, proxy_list: ['113.120.61.166:22989,1200'], [name]: 0 };
		const body = JSON.stringify({ code: 0, msg: '', data });
		bed().sandbox.faults.add({
			kind: 'raw',
			body,
			contentType: 'application/json',
			path: API.getdps,
		});
		const { items, hints } = await me.extract({ product: 'DPS', num: 2, output: 'allInOne' });
		expect(items[0].json).toMatchObject({ count: 1, [name]: 0 });
		expect(hints.map(({ message }) => message)).toEqual([
			`Only 1 of 2 proxies were found: none are left ${where}.`,
		]);
	});
});

describe('a product from an expression', () => {
	const chosen = '={{ $json.product }}';

	it('keeps filters, extra fields and options, although other products have fields of those names', async () => {
		const me = owner('dpsPerIp');
		const { error } = await me.extract(
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
		expect(me.requests().at(-1)?.parameters).toMatchObject({
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
			const { error } = await me.extract(
				{ product: chosen, num: 2, ...fields },
				{ items: [{ product: 'DPS' }] },
			);
			expect(error?.message).toContain(`'${label}'`);
			expect(error?.description).toMatch(/works only when 'Product' is .*Open Proxy \(OPS\)/);
			expect(me.calls).toEqual([]);
		},
	);
});

describe('a tunnel', () => {
	it('takes a lock or a channel behind the password', async () => {
		const me = owner('tps');
		const { username, password } = loginOf(me);
		const { items } = await me.extract({ product: 'TPS', session: 'abc' });
		expect(items[0].json).toMatchObject({ username, password: `${password}:abc` });
		expect(items[0].json.proxyUrl).toContain(`:${password}%3Aabc@`);
	});

	it('Pro takes period, session, region and suffix behind the user name', async () => {
		const me = owner('tpsPro');
		const { username } = loginOf(me);
		const fields = { sessionMinutes: 0.5, session: 's01', region: 'NC', suffix: 'type-std' };
		const { items } = await me.extract({ product: 'TPS_PRO', ...fields });
		expect(items[0].json.username).toBe(`${username}-period-0.5-sid-s01-area-NC-type-std`);
		const { error } = await me.extract({ product: 'TPS_PRO', session: 's01' });
		expect(error?.message).toBe(`'IP Change Interval' can't be "Every Request"`);
	});

	it.each<[IDataObject, suffixes: string, sent: object]>([
		[{ region: 'US', area: 'New York' }, '-region-US-area-New York', { region: 'US' }],
		[{ region: 'US', continent: 'eu' }, '-region-US', { region: 'US' }],
		[{ continent: 'nasa' }, '-cont-nasa', {}],
	])('overseas takes where %j is, and for how long', async (fields, suffixes, sent) => {
		const me = owner('fps');
		const { username } = loginOf(me);
		const { items } = await me.extract({ product: 'FPS', ...fields, sessionMinutes: 1 });
		const { json } = items[0];
		expect(json.username).toBe(`${username}${suffixes}-period-1`);
		expect(json.proxyUrl).toContain(`${suffixes.replaceAll(' ', '%20')}-period-1:`);
		expect(me.requests().at(-1)?.parameters).toMatchObject(sent);
	});

	it('refuses a session without a login, before anything is sent', async () => {
		const me = owner('tps');
		const { error } = await me.extract({ product: 'TPS', session: 'abc', login: 'none' });
		expect(error?.message).toMatch(/'Login' can't be "None"/);
		expect(me.calls).toEqual([]);
	});

	it('is spoken to over SOCKS where that is wanted', async () => {
		const me = owner('tps');
		if (!('entrance' in me.theOrder)) throw new Error('No entrance');
		me.theOrder.entrance.socksPort = '20818';
		const { items } = await me.extract({ product: 'TPS', pt: 2 });
		expect(items[0].json.proxyUrl).toMatch(/^socks5:\/\//);
	});
});

describe('one proxy for each input item', () => {
	const items = Array.from({ length: 7 }, (_, n) => ({ n, url: `https://example.com/${n}` }));

	it('lets several items share a proxy, in the field that was chosen', async () => {
		const me = owner('dpsPerIp');
		const run = await me.extract(
			{ product: 'DPS', output: 'forEachInput', itemsPerProxy: 3, proxyField: 'via' },
			{ items },
		);
		const used = run.items.map(({ json }) => json.via);
		expect(new Set(used).size).toBe(3);
		expect(new Set(used.slice(0, 3)).size).toBe(1);
		expect(bed().sandbox.log.entries(API.getdps)[0].parameters.num).toBe('3');
	});

	it('lets items take turns when fewer came, and says so', async () => {
		const me = owner('dpsPerIp');
		if (!('ipBalance' in me.theOrder)) throw new Error('No balance');
		me.theOrder.ipBalance = 2;
		const run = await me.extract({ product: 'DPS', output: 'forEachInput' }, { items });
		expect(new Set(run.items.map(({ json }) => json.proxyUrl)).size).toBe(2);
		expect(run.hints.map(({ message }) => message).join()).toMatch(
			/^Item 0: Only 2 of 7 proxies were found: none are left in the order\. The items take turns\.$/,
		);
	});

	it('gives each item a session of its own on request', async () => {
		const me = owner('tpsPro');
		const run = await me.extract(
			{ product: 'TPS_PRO', output: 'forEachInput', sessionPerItem: true, sessionMinutes: 1 },
			{ items },
		);
		const names = run.items.map(({ json }) => (json.proxyDetails as IDataObject).username);
		expect(new Set(names).size).toBe(7);
		for (const name of names) expect(name).toMatch(/-period-1-sid-[a-z0-9]{6}$/);
		expect(bed().sandbox.log.count('/api/gettpspro')).toBe(1);
		expect(run.hints).toEqual([]);
	});

	it('works with open proxies as well', async () => {
		const me = owner('opsSvip');
		const run = await me.extract({ plan: 'svip', output: 'forEachInput' }, { items });
		expect(run.error).toBeUndefined();
		expect(run.items).toHaveLength(7);
		expect(run.items[0].json.proxyUrl).toMatch(/^http:\/\/[\d.]+:\d+$/);
	});
});

describe('one proxy for each of many input items', () => {
	const FOR_EACH = { product: 'DPS', output: 'forEachInput' };

	it('leaves 25 items as they are, with binary data, links and other fields', async () => {
		const input: INodeExecutionData[] = Array.from({ length: 25 }, (_, n) => ({
			json: { n, nested: { list: [n] } },
			binary: {
				file: { data: Buffer.from(`file ${n}`).toString('base64'), mimeType: 'text/plain' },
			},
			pairedItem: { item: 0 },
		}));
		const me = owner('dpsPerIp');
		const { items, error } = await me.extract(FOR_EACH, { input });
		expect(error).toBeUndefined();
		expect(
			items.map(({ json: { proxyUrl, proxyDetails, ...json }, ...others }) => ({
				json,
				...others,
			})),
		).toEqual(input.map((item, index) => ({ ...item, pairedItem: { item: index } })));
		expect(new Set(items.map(({ json }) => json.proxyUrl)).size).toBe(25);
		expect(me.extracted).toBe(25);
	});

	it('makes one extraction for each setting, and gives each item one of its own setting', async () => {
		const me = owner('dpsPerIp');
		const items = Array.from({ length: 12 }, (_, n) => ({ carrier: (n % 3) + 1 }));
		const filters = { carrier: '={{ $json.carrier }}' };
		const run = await me.extract({ ...FOR_EACH, filters }, { items });
		expect(run.error).toBeUndefined();
		const calls = bed().sandbox.log.entries(API.getdps);
		expect(calls.map(({ parameters: { carrier, num } }) => [carrier, num])).toEqual([
			['1', '4'],
			['2', '4'],
			['3', '4'],
		]);
		expect(run.items.map(({ json }) => json.carrier)).toEqual(items.map(({ carrier }) => carrier));
		expect(new Set(run.items.map(({ json }) => json.proxyUrl)).size).toBe(12);
	});

	it('gives items of different settings different sessions', async () => {
		const me = owner('tpsPro');
		const run = await me.extract(
			{
				product: 'TPS_PRO',
				output: 'forEachInput',
				sessionPerItem: true,
				sessionMinutes: 5,
				region: '={{ $json.region }}',
			},
			{ items: ['NC', 'NC', 'EC', 'EC'].map((region) => ({ region })) },
		);
		const sids = run.items.map(({ json }) => /-sid-(\w+)/.exec(String(json.proxyUrl))?.[1]);
		expect(new Set(sids).size).toBe(4);
	});

	it('leaves the others alone when one item is wrong', async () => {
		const me = owner('dpsPerIp');
		const items = [{ each: 1 }, { each: 0 }, { each: 1 }];
		const fields = { ...FOR_EACH, itemsPerProxy: '={{ $json.each }}' };
		const run = await me.extract(fields, { items, settings: CONTINUE_WITH_ERRORS });
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
		expect(run.errorItems.map(({ json }) => json.error)).toEqual([
			expect.stringMatching(/'Items per Proxy' can't be 0/),
		]);
		expect(me.extracted).toBe(2);
		const stopped = await me.extract(fields, { items });
		expect(stopped.error?.message).toMatch(/\[item 1\]/);
		expect(me.extracted).toBe(2);
	});

	it('tells every item of a failed extraction why, and makes one call', async () => {
		const me = owner('dpsPerIp');
		bed().sandbox.faults.add({ kind: 'code', code: 1, msg: '', path: API.getdps });
		const { errorItems } = await me.extract(FOR_EACH, {
			items: [{}, {}, {}],
			settings: { onError: 'continueErrorOutput' },
		});
		expect(errorItems.map(({ json }) => json.error)).toEqual(
			Array(3).fill(expect.stringMatching(/Today's quota/)),
		);
		expect(bed().sandbox.log.count(API.getdps)).toBe(1);
	});
});

describe('a new order', () => {
	/** The order can be used after so many seconds. */
	function newOwner(seconds: number) {
		bed().sandbox.settings.newOrdersWaitSeconds = seconds;
		const me = owner('dpsPerIp');
		me.theOrder.createdAt = bed().sandbox.clock.now();
		return me;
	}

	afterEach(() => {
		bed().sandbox.settings.newOrdersWaitSeconds = 0;
	});

	const WAIT = { product: 'DPS', num: 1 };

	it('is waited for until it can be used', async () => {
		const me = newOwner(50);
		const begin = performance.now();
		const { items, error } = await me.extract(WAIT);
		expect(error).toBeUndefined();
		expect(items).toHaveLength(1);
		expect((performance.now() - begin) / 1000).toBeLessThan(66);
		expect(me.extracted).toBe(1);
	});

	it('is let go of at once when the run is cancelled meanwhile', async () => {
		const me = newOwner(600);
		let cancelledAt = NaN;
		const cancelWhen = sleep(20_000).then(() => (cancelledAt = performance.now()));
		const { status } = await me.extract(WAIT, { cancelWhen });
		expect(status).toBe('canceled');
		expect(performance.now() - cancelledAt).toBeLessThan(1000);
		const calls = bed().sandbox.log.count(API.getdps);
		await sleep(60_000);
		expect(bed().sandbox.log.count(API.getdps)).toBe(calls);
	});

	it('is waited for once, however many items there are', async () => {
		const me = newOwner(100_000);
		const begin = performance.now();
		const { errorItems } = await me.extract(WAIT, {
			items: Array.from({ length: 5 }, () => ({})),
			settings: CONTINUE_WITH_ERRORS,
		});
		expect(errorItems).toHaveLength(5);
		expect((performance.now() - begin) / 1000).toBeLessThan(75);
	});
});

import { newDedicatedProxyOrder, type Sandbox } from '../../../sandbox/sandbox.mts';
import type { Parameters } from '../client.mts';
import { askAs, codeOf, entriesOf, startExtraction, type KeyName } from '../extracting.mts';
import { keepsTheExtractionRules } from './extractionRules.mts';
import { accountOf, create, ORDERS, orderOf } from '../ordering.mts';

const PATH = '/api/getkps';
const ADDRESS = /^127(\.\d+){3}:\d{5}$/;

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startExtraction();
});

afterEach(() => sandbox.close());

const ask = (parameters: Parameters, key: KeyName = 'kpsSeveral') =>
	askAs(sandbox.keys[key], { sandbox, host: 'kpsUrl', path: PATH }, parameters);

const list = async (parameters: Parameters, key?: KeyName) => entriesOf(await ask(parameters, key));

keepsTheExtractionRules({
	path: PATH,
	host: 'kpsUrl',
	keys: ['kpsSeveral', 'kps', 'kpsDynamic', 'kpsExclusive'],
	parameters: { num: '3' },
	entries: 3,
	form: /127(\.\d+){3}:\d{5}/,
});

describe('num', () => {
	it('at most as many as the order has', async () => {
		expect(await list({ num: '2' })).toHaveLength(2);
		expect(new Set(await list({ num: '5' })).size).toBe(5);
		expect(await list({ num: '100' })).toHaveLength(5);
		expect(await list({ num: '100' }, 'kps')).toHaveLength(1);
	});
});

it('the addresses stay, and every order has its own', async () => {
	const first = await list({ num: '5', sort: '1' });
	for (const entry of first) expect(entry).toMatch(ADDRESS);
	sandbox.clock.advance(7 * 24 * 3600_000);
	expect(await list({ num: '5', sort: '1' })).toEqual(first);
	expect(await list({ num: '3', sort: '1' })).toEqual(first.slice(0, 3));
	const others = await list({ num: '5' }, 'kpsDynamic');
	expect(others.filter((place) => first.includes(place))).toEqual([]);
});

it('comes in any sequence unless a fixed one is wanted', async () => {
	const fixed = (await list({ num: '5', sort: '1' })).join();
	const orders = await Promise.all(
		Array.from({ length: 30 }, async () => (await list({ num: '5', sort: '0' })).join()),
	);
	expect(new Set(orders).size).toBeGreaterThan(5);
	expect(new Set(orders.map((order) => order.split(',').toSorted().join()))).toEqual(
		new Set([fixed.split(',').toSorted().join()]),
	);
	expect(codeOf(await ask({ num: '5', sort: '2' }))).toBe(-3);
});

it('extras: region, code, seconds until the order ends, carrier', async () => {
	const all = { f_loc: '1', f_citycode: '1', f_et: '1', f_carrier: '1' };
	const [entry = ''] = await list({ num: '1', ...all });
	expect(entry).toMatch(/^127[\d.]+:\d{5},浙江省杭州市,3301,\d+,(联通|电信|移动)$/);
	const left = Number(entry.split(',')[3]);
	expect(Math.abs(left - 30 * 24 * 3600)).toBeLessThan(10);
	expect((await list({ num: '1', f_et: '1' }))[0]).toMatch(/^127[\d.]+:\d{5},\d+$/);
});

it('an order that was bought over the API has what it paid for', async () => {
	accountOf(sandbox).balanceInFen = 100_000_00;
	const order = orderOf(
		sandbox,
		await create(sandbox, { ...ORDERS.kpsStatic, 'kps.city': '', 'kps.ip_count': '3' }),
	);
	const at = { sandbox, host: 'kpsUrl', path: PATH } as const;
	const entries = entriesOf(await askAs(order.keys, at, { num: '10', f_citycode: '1' }));
	expect(entries).toHaveLength(3);
	const codes = new Set(entries.map((entry) => entry.split(',')[1]));
	expect(codes).toEqual(new Set([order.product === 'KPS' ? order.city : '']));
});

it('3: the order has no machine', async () => {
	const order = newDedicatedProxyOrder('none', accountOf(sandbox), new Date(), { machineIds: [] });
	const { keys } = sandbox.store.addOrder(order);
	const at = { sandbox, host: 'kpsUrl', path: PATH } as const;
	expect(codeOf(await askAs(keys, at, { num: '1' }))).toBe(3);
});

it('takes nothing from a quota', async () => {
	await ask({ num: '5' });
	expect(sandbox.extractions.entries()).toMatchObject([{ count: 5, usedUp: 0 }]);
});

import { newPrivateProxyOrder, type Sandbox } from '../../../sandbox/sandbox.mts';
import type { Parameters } from '../client.mts';
import { askAs, entriesOf, startExtraction, type KeyName } from '../extracting.mts';
import { accountOf } from '../ordering.mts';

const VALID = '/api/checkdpsvalid';
const TIME = '/api/getdpsvalidtime';
const OPEN = '/api/checkopsvalid';

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startExtraction();
});

afterEach(() => sandbox.close());

async function ask(path: string, parameters: Parameters, key: KeyName = 'dps') {
	const host = path === OPEN ? 'baseUrl' : 'dpsUrl';
	return (await askAs(sandbox.keys[key], { sandbox, host, path }, parameters)).json;
}

async function extract(key: KeyName = 'dps'): Promise<string[]> {
	const at = { sandbox, host: 'dpsUrl', path: '/api/getdps' } as const;
	return entriesOf(await askAs(sandbox.keys[key], at, { num: '3' }));
}

function proxyAt(place = '') {
	const proxy = sandbox.orderProxies.find(place);
	if (!proxy) throw new Error(`"${place}" belongs to no order`);
	return proxy;
}

describe('checkdpsvalid', () => {
	const states = async (places: string[], key?: KeyName) =>
		(await ask(VALID, { proxy: places.join(',') }, key)).data;

	it('true as long as the address lives', async () => {
		const [first = '', second = '', third = ''] = await extract();
		expect(await ask(VALID, { proxy: `${first},${second}` })).toEqual({
			code: 0,
			msg: 'success',
			data: { [first]: true, [second]: true },
		});
		proxyAt(second).works = false;
		proxyAt(third).expiresAt = new Date(sandbox.clock.milliseconds() - 1);
		expect(await states([first, second, third])).toEqual({
			[first]: true,
			[second]: false,
			[third]: false,
		});
		sandbox.clock.advance(301_000);
		expect(await states([first])).toEqual({ [first]: false });
	});

	it('false for the address of another order, of none, and for what is no address', async () => {
		const [other = ''] = await extract('dpsPerIp');
		for (const place of [other, '203.0.113.1:80', 'nonsense', '600', '']) {
			expect(await states([place, 'x'])).toEqual({ [place]: false, x: false });
		}
	});
});

describe('getdpsvalidtime', () => {
	const seconds = async (places: string[]) =>
		Object(await ask(TIME, { proxy: places.join(',') })).data;

	it('the seconds that are left, by the clock of the sandbox', async () => {
		const [first = ''] = await extract();
		const end = new Date(sandbox.clock.milliseconds() + 120_000);
		proxyAt(first).expiresAt = end;
		const { [first]: left } = await seconds([first]);
		expect(left).toBeGreaterThan(110);
		expect(left).toBeLessThanOrEqual(120);
		sandbox.clock.advance(100_000);
		const { [first]: later } = await seconds([first]);
		expect(Math.abs(later - 20)).toBeLessThan(10);
		sandbox.clock.advance(20_000);
		expect(await ask(TIME, { proxy: first })).toEqual({
			code: 0,
			msg: 'success',
			data: { [first]: 0 },
		});
	});

	it('is what getdps told with f_et', async () => {
		const at = { sandbox, host: 'dpsUrl', path: '/api/getdps' } as const;
		const reply = await askAs(sandbox.keys.dps, at, { num: '1', f_et: '1' });
		const [place = '', told] = reply.text.split(',');
		const { [place]: left } = await seconds([place]);
		expect(Math.abs(left - Number(told))).toBeLessThanOrEqual(2);
	});

	it('0 for an address that is not of the order', async () => {
		const [other = ''] = await extract('dpsEven');
		expect(await seconds([other, 'x'])).toEqual({ [other]: 0, x: 0 });
	});
});

describe('checkopsvalid', () => {
	it('true for what is in the catalogue and works', async () => {
		const [first, second] = sandbox.catalogue;
		if (!first || !second) throw new Error('The catalogue is too small');
		second.works = false;
		const [one, two] = [first, second].map(({ address, port }) => `${address}:${port}`);
		const { data } = await ask(OPEN, { proxy: `${one},${two},203.0.113.1:80` }, 'opsVip');
		expect(data).toEqual({ [`${one}`]: true, [`${two}`]: false, '203.0.113.1:80': false });
	});
});

it('the proxies of an order can be looked up in the sandbox', async () => {
	const order = newPrivateProxyOrder('mine', accountOf(sandbox), sandbox.clock.now());
	sandbox.store.addOrder(order);
	const at = { sandbox, host: 'dpsUrl', path: '/api/getdps' } as const;
	const [place = ''] = entriesOf(await askAs(order.keys, at, { num: '1' }));
	expect(proxyAt(place).order).toBe(order);
	expect(sandbox.orderProxies.of(order)).toEqual([proxyAt(place)]);
});

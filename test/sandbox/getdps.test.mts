import { chineseName } from '../../sandbox/catalogue/chineseAreas.mts';
import {
	newPrivateProxyOrder,
	type PrivateProxyOrder,
	type Sandbox,
	type SandboxOptions,
} from '../../sandbox/sandbox.mts';
import type { Parameters } from './client.mts';
import { askAs, codeOf, entriesOf, startExtraction, type KeyName } from './extracting.mts';
import { keepsTheExtractionRules } from './extractionRules.mts';
import { accountOf, create, ORDERS, orderOf } from './ordering.mts';

const PATH = '/api/getdps';
const ADDRESS = /^127(\.\d+){3}:\d{5}$/;

let sandbox: Sandbox;

async function start(options?: SandboxOptions): Promise<void> {
	sandbox = await startExtraction(options);
}

beforeEach(() => start());

afterEach(() => sandbox.close());

function ask(parameters: Parameters, keys: KeyName | PrivateProxyOrder = 'dps') {
	const pair = typeof keys === 'string' ? sandbox.keys[keys] : keys.keys;
	return askAs(pair, { sandbox, host: 'dpsUrl', path: PATH }, parameters);
}

async function extract(parameters: Parameters, keys?: KeyName | PrivateProxyOrder) {
	return entriesOf(await ask(parameters, keys));
}

async function dataOf(parameters: Parameters, keys?: KeyName | PrivateProxyOrder) {
	const { json } = await ask({ ...parameters, format: 'json' }, keys);
	expect(json).toMatchObject({ code: 0, msg: '' });
	return json.data;
}

let orders = 0;

function added(settings: Partial<PrivateProxyOrder>): PrivateProxyOrder {
	orders += 1;
	const order = newPrivateProxyOrder(
		`own-${orders}`,
		accountOf(sandbox),
		sandbox.clock.now(),
		settings,
	);
	return sandbox.store.addOrder(order);
}

/** What the sandbox knows about the addresses of an answer. */
async function proxies(parameters: Parameters, keys?: KeyName | PrivateProxyOrder) {
	return (await extract(parameters, keys)).map((place) => {
		const proxy = sandbox.orderProxies.find(place);
		if (!proxy) throw new Error(`"${place}" belongs to no order`);
		return proxy;
	});
}

keepsTheExtractionRules({
	path: PATH,
	host: 'dpsUrl',
	keys: ['dps', 'dpsEven', 'dpsPerIp', 'dpsProfessional'],
	parameters: { num: '3' },
	entries: 3,
	form: /127(\.\d+){3}:\d{5}/,
});

describe('num', () => {
	it('is how many different addresses come', async () => {
		for (const num of [1, 2, 100, 500]) {
			const all = await extract({ num: String(num) });
			for (const entry of all) expect(entry).toMatch(ADDRESS);
			expect(new Set(all).size).toBe(num);
			expect(all).toHaveLength(num);
		}
	});

	it('-1 without it, -3 when it is no number', async () => {
		expect(codeOf(await ask({}))).toBe(-1);
		for (const num of ['0', '-1', '1.5', '', ' 1', '1e2', '01', 'all', '10001']) {
			expect([num, codeOf(await ask({ num }))]).toEqual([num, -3]);
		}
	});
});

describe('extras', () => {
	const SECONDS = String.raw`\d+`;
	const REGION = String.raw`\p{Script=Han}+`;
	const CODE = String.raw`\d{2}(\d{2})?`;
	const CARRIER = '(联通|电信|移动)';

	it.each([
		[{ f_et: '1' }, [SECONDS]],
		[{ f_loc: '1' }, [REGION]],
		[{ f_citycode: '1' }, [CODE]],
		[{ f_carrier: '1' }, [CARRIER]],
		[{ f_carrier: '1', f_et: '1', f_loc: '1' }, [REGION, SECONDS, CARRIER]],
		[{ f_carrier: '1', f_et: '1', f_citycode: '1', f_loc: '1' }, [REGION, CODE, SECONDS, CARRIER]],
	] as const)('%j', async (flags, parts) => {
		const form = new RegExp(`^127[\\d.]+:\\d{5},${parts.join(',')}$`, 'u');
		for (const entry of await extract({ num: '20', ...flags })) expect(entry).toMatch(form);
	});

	it('tell the truth about each address', async () => {
		const all = { f_loc: '1', f_citycode: '1', f_et: '1', f_carrier: '1' };
		for (const entry of await extract({ num: '50', ...all })) {
			const [place = '', region = '', code = '', seconds, carrier] = entry.split(',');
			const proxy = sandbox.orderProxies.find(place);
			expect(proxy).toMatchObject({ area: code, carrier: { name: carrier } });
			expect(region.endsWith(chineseName(code))).toBe(true);
			const end = Number(proxy?.expiresAt) - sandbox.clock.milliseconds();
			expect(Math.abs(end / 1000 - Number(seconds))).toBeLessThan(5);
		}
	});

	it('-3: anything but 1', async () => {
		for (const name of ['f_loc', 'f_citycode', 'f_et', 'f_carrier', 'f_auth', 'dedup']) {
			for (const value of ['0', '2', '', 'true']) {
				expect(codeOf(await ask({ num: '1', [name]: value }))).toBe(-3);
			}
		}
	});
});

describe('f_auth', () => {
	const LOGIN = 'sandbox-order-dps-proxy-username:sandbox-order-dps-proxy-password';
	const AT = String.raw`127[\d.]+:\d{5}`;

	it.each([
		[{}, `^${AT},${LOGIN}$`],
		[{ f_et: '1' }, `^${AT},${LOGIN},\\d+$`],
		[{ generateType: '1' }, `^${AT}:${LOGIN}$`],
		[{ generateType: '2' }, `^${AT}@${LOGIN}$`],
		[{ generateType: '3' }, `^${LOGIN}:${AT}$`],
		[{ generateType: '4' }, `^${LOGIN}@${AT}$`],
		[{ generateType: '4', f_et: '1', f_loc: '1' }, `^${LOGIN}@${AT},[^,]+,\\d+$`],
	] as const)('and %j', async (parameters, form) => {
		const entries = await extract({ num: '2', f_auth: '1', ...parameters });
		for (const entry of entries) expect(entry).toMatch(RegExp(form));
	});

	it('generateType alone changes nothing; one that there is not is wrong', async () => {
		expect((await extract({ num: '1', generateType: '4' }))[0]).toMatch(ADDRESS);
		expect(codeOf(await ask({ num: '1', generateType: '5' }))).toBe(-3);
	});

	it('pt of older links is taken and has no effect', async () => {
		expect((await extract({ num: '1', pt: '2' }))[0]).toMatch(ADDRESS);
		expect(codeOf(await ask({ num: '1', pt: '3' }))).toBe(-3);
	});
});

describe('how long an address lives', () => {
	it.each<[settings: Partial<PrivateProxyOrder>, least: number, most: number]>([
		[{ period: 'M_1_5' }, 60, 300],
		[{ period: 'H_2_4' }, 7200, 14_400],
		[{ fetchType: 1, period: 'M_3_5' }, 180, 300],
		[{ payType: 'PRE_PAY_IP', period: 'M_30_60' }, 1800, 3600],
		[{ payType: 'PRE_PAY_IP', period: 'M_7' }, 420, 420],
	])('%j', async (settings, least, most) => {
		sandbox.clock.set(new Date('2026-05-05T05:05:05Z'));
		const entries = await extract({ num: '200', f_et: '1' }, added(settings));
		const seconds = entries.map((entry) => Number(entry.split(',')[1]));
		// A second may pass between the choice and the answer.
		expect(Math.min(...seconds)).toBeGreaterThanOrEqual(least - 2);
		expect(Math.max(...seconds)).toBeLessThanOrEqual(most);
		if (least < most) expect(new Set(seconds).size).toBeGreaterThan(50);
	});

	it('runs by the clock of the sandbox', async () => {
		// All there is, so that the same addresses come again while they live.
		sandbox.privateStock.clear();
		sandbox.privateStock.set('3301', [2]);
		const order = added({ period: 'H_2_4', ipCount: 100_000 });
		const lives = async () =>
			new Map(
				(await extract({ num: '200', f_et: '1' }, order)).map((entry) => {
					const [place = '', seconds] = entry.split(',');
					return [place, Number(seconds)];
				}),
			);
		const first = await lives();
		sandbox.clock.advance(3600_000);
		const later = await lives();
		expect([...later.keys()].toSorted()).toEqual([...first.keys()].toSorted());
		for (const [place, seconds] of later) {
			expect(Math.abs(Number(first.get(place)) - 3600 - seconds)).toBeLessThanOrEqual(3);
		}
		sandbox.clock.advance(4 * 3600_000);
		const afterwards = await lives();
		expect(afterwards.size).toBe(200);
		expect([...afterwards.keys()].filter((place) => first.has(place))).toEqual([]);
	});

	it('no two orders have the same address', async () => {
		const mine = await extract({ num: '300' }, added({}));
		const others = await extract({ num: '300' }, added({}));
		expect(others.filter((place) => mine.includes(place))).toEqual([]);
		for (const proxy of await proxies({ num: '5' }, 'dpsPerIp')) {
			expect(proxy.order).toBe(sandbox.store.order(sandbox.keys.dpsPerIp.secretId));
			expect(proxy.login).toEqual(proxy.order.login);
		}
	});
});

describe('area, area_ex and carrier of a pay-per-IP order', () => {
	const allWith = async (parameters: Parameters) =>
		await proxies({ num: '200', ...parameters }, 'dpsPerIp');

	beforeEach(() => {
		sandbox.privateStock.clear();
		for (const [city, carriers] of [
			['11', [1, 2]],
			['2202', [1]],
			['3301', [2, 3]],
			['3302', [2]],
			['4403', [3]],
			['5101', [1, 2, 3]],
		] as const) {
			sandbox.privateStock.set(city, carriers);
		}
	});

	it.each<[parameters: Parameters, places: string[]]>([
		[
			{},
			[
				'11 1',
				'11 2',
				'2202 1',
				'3301 2',
				'3301 3',
				'3302 2',
				'4403 3',
				'5101 1',
				'5101 2',
				'5101 3',
			],
		],
		[
			{ area: '' },
			[
				'11 1',
				'11 2',
				'2202 1',
				'3301 2',
				'3301 3',
				'3302 2',
				'4403 3',
				'5101 1',
				'5101 2',
				'5101 3',
			],
		],
		[{ area: '杭州市' }, ['3301 2', '3301 3']],
		[{ area: '杭州' }, ['3301 2', '3301 3']],
		[{ area: '浙江' }, ['3301 2', '3301 3', '3302 2']],
		[{ area: '33' }, ['3301 2', '3301 3', '3302 2']],
		[{ area: '330000' }, ['3301 2', '3301 3', '3302 2']],
		[{ area: '3302' }, ['3302 2']],
		[{ area: '330200' }, ['3302 2']],
		[{ area: '北京' }, ['11 1', '11 2']],
		[{ area: '110100' }, ['11 1', '11 2']],
		[{ area: '吉林' }, ['2202 1']],
		[{ area: '成都,北京', carrier: '1' }, ['11 1', '5101 1']],
		[{ carrier: '3' }, ['3301 3', '4403 3', '5101 3']],
		[{ carrier: '0', area: '44' }, ['4403 3']],
		[{ area_ex: '浙江,成都' }, ['11 1', '11 2', '2202 1', '4403 3']],
		[{ area: '浙江', area_ex: '3301' }, ['3302 2']],
		[{ area: '杭州,Atlantis' }, ['3301 2', '3301 3']],
	])('%j', async (parameters, places) => {
		const found = (await allWith(parameters)).map(
			({ area, carrier }) => `${area} ${carrier?.code}`,
		);
		expect([...new Set(found)].toSorted()).toEqual(places.toSorted());
	});

	it('3: nothing matches, and nothing is counted', async () => {
		const fruitless: Parameters[] = [
			{ area: '上海' },
			{ area: 'Atlantis' },
			{ area: '999999' },
			{ area: '深圳', carrier: '1' },
			{ area: '浙江', area_ex: '33' },
		];
		for (const parameters of fruitless) {
			expect(codeOf(await ask({ num: '1', ...parameters }, 'dpsPerIp'))).toBe(3);
		}
		expect(await dataOf({ num: '1' }, 'dpsPerIp')).toMatchObject({ order_left_count: 999 });
		expect(sandbox.extractions.count()).toBe(1);
	});

	it('fewer come where there are not more, and only they are counted', async () => {
		const data = await dataOf({ num: '300', area: '深圳' }, 'dpsPerIp');
		expect(data).toMatchObject({ count: 200, order_left_count: 800 });
	});

	it('-3: a carrier that there is not', async () => {
		for (const carrier of ['4', '', '-1', '电信']) {
			expect(codeOf(await ask({ num: '1', carrier }, 'dpsPerIp'))).toBe(-3);
		}
	});

	it.each(['dps', 'dpsEven'] as const)(
		'-3 with %s, or no effect if that is the setting',
		async (key) => {
			for (const name of ['area', 'area_ex', 'carrier']) {
				expect(codeOf(await ask({ num: '1', [name]: '2' }, key))).toBe(-3);
			}
			sandbox.settings.inapplicableParameters = 'ignore';
			const everywhere = await proxies({ num: '100', area: '杭州', carrier: '2' }, key);
			expect(new Set(everywhere.map(({ area }) => area)).size).toBeGreaterThan(3);
		},
	);
});

describe('dedup', () => {
	const NUM = { num: '150' };

	beforeEach(() => {
		sandbox.privateStock.clear();
		sandbox.privateStock.set('3301', [2]);
	});

	it('leaves out what the order got today; without it, it comes again', async () => {
		const first = await extract(NUM, 'dpsPerIp');
		expect((await extract(NUM, 'dpsPerIp')).some((place) => first.includes(place))).toBe(true);

		const order = added({ period: 'H_2_4' });
		const mine = await extract({ ...NUM, dedup: '1' }, order);
		const rest = await extract({ ...NUM, dedup: '1' }, order);
		expect(rest).toHaveLength(50);
		expect(rest.filter((place) => mine.includes(place))).toEqual([]);
		expect(codeOf(await ask({ num: '1', dedup: '1' }, order))).toBe(3);
	});

	it('begins anew with the day in China', async () => {
		sandbox.clock.set(new Date('2026-05-05T15:30:00Z'));
		const order = added({ period: 'H_2_4', ipCount: 200 });
		const first = await extract({ num: '200', dedup: '1' }, order);
		sandbox.clock.set(new Date('2026-05-05T16:10:00Z'));
		const next = await extract({ num: '200', dedup: '1' }, order);
		expect(next.toSorted()).toEqual(first.toSorted());
	});

	it('dedup_count is how many are new today', async () => {
		const order = added({ period: 'H_2_4', ipCount: 100_000 });
		expect(await dataOf({ num: '200' }, order)).toMatchObject({ count: 200, dedup_count: 200 });
		expect(await dataOf({ num: '200' }, order)).toMatchObject({ count: 200, dedup_count: 0 });
	});
});

describe('what is left', () => {
	const balance = async (order: PrivateProxyOrder) => {
		const at = { sandbox, host: 'dpsUrl', path: '/api/getipbalance' } as const;
		return (await askAs(order.keys, at)).json.data;
	};

	it('of a pay-per-IP order: 2 when all is used up', async () => {
		const order = added({ payType: 'PRE_PAY_IP', ipCount: 1000, ipBalance: 5 });
		expect(await dataOf({ num: '3' }, order)).toEqual({
			count: 3,
			proxy_list: [1, 2, 3].map(() => expect.stringMatching(ADDRESS)),
			dedup_count: 3,
			order_left_count: 2,
		});
		expect(await balance(order)).toEqual({ balance: 2 });
		expect(await dataOf({ num: '3' }, order)).toMatchObject({ count: 2, order_left_count: 0 });
		expect(codeOf(await ask({ num: '1' }, order))).toBe(2);
		sandbox.clock.advance(24 * 3600_000);
		expect(codeOf(await ask({ num: '1' }, order))).toBe(2);
		expect(await balance(order)).toEqual({ balance: 0 });
	});

	it('of a prepaid concentrated order: 1 when that of today is used up', async () => {
		sandbox.clock.set(new Date('2026-05-05T15:59:00Z'));
		const order = added({ ipCount: 1000, ipBalance: 4 });
		expect(await dataOf({ num: '3' }, order)).toMatchObject({ count: 3, today_left_count: 1 });
		expect(await dataOf({ num: '3' }, order)).toMatchObject({ count: 1, today_left_count: 0 });
		expect(codeOf(await ask({ num: '1' }, order))).toBe(1);
		expect(await balance(order)).toEqual({ balance: 0 });
		sandbox.clock.set(new Date('2026-05-05T16:00:00Z'));
		expect(await balance(order)).toEqual({ balance: 1000 });
		expect(await dataOf({ num: '3' }, order)).toMatchObject({ today_left_count: 997 });
	});

	it('of a prepaid even order nobody tells: 1 when that of today is used up', async () => {
		sandbox.clock.set(new Date('2026-05-05T12:00:00Z'));
		const order = added({ fetchType: 1, period: 'M_3_5', ipCount: 2500 });
		expect(Object.keys(Object(await dataOf({ num: '2499' }, order)))).toEqual([
			'count',
			'proxy_list',
			'dedup_count',
		]);
		expect(await extract({ num: '2' }, order)).toHaveLength(1);
		expect(codeOf(await ask({ num: '1' }, order))).toBe(1);
		sandbox.clock.advance(24 * 3600_000);
		expect(await extract({ num: '2' }, order)).toHaveLength(2);
	});

	it('with the setting, more than is left is refused and takes nothing', async () => {
		sandbox.settings.moreThanLeft = 'refuse';
		const order = added({ payType: 'PRE_PAY_IP', ipBalance: 5 });
		expect(codeOf(await ask({ num: '6' }, order))).toBe(2);
		expect(await balance(order)).toEqual({ balance: 5 });
		expect(await extract({ num: '5' }, order)).toHaveLength(5);
	});

	it('calls at the same time never get more than there is', async () => {
		const order = added({ payType: 'PRE_PAY_IP', ipBalance: 25 });
		const replies = await Promise.all(Array.from({ length: 10 }, () => ask({ num: '5' }, order)));
		const refused = replies.filter(({ text }) => text.startsWith('ERROR(2)'));
		expect(refused).toHaveLength(5);
		expect(sandbox.extractions.total({ orderId: order.orderId })).toBe(25);
		expect(order.ipBalance).toBe(0);
	});

	it('is used up when the answer is lost, and not when the call never came to it', async () => {
		const order = added({ payType: 'PRE_PAY_IP', ipBalance: 100 });
		sandbox.faults.add({ kind: 'cut', when: 'before', times: 1 });
		await ask({ num: '5' }, order).catch(() => undefined);
		expect(order.ipBalance).toBe(100);
		sandbox.faults.add({ kind: 'cut', when: 'after', times: 1 }, { kind: 'halfBody', times: 1 });
		for (let calls = 0; calls < 2; calls += 1)
			await ask({ num: '5' }, order).catch(() => undefined);
		expect(order.ipBalance).toBe(90);
		const written = sandbox.extractions.entries({ path: PATH });
		expect(written.map(({ usedUp }) => usedUp)).toEqual([5, 5]);
	});

	it('grows with a renewal', async () => {
		const order = added({ payType: 'PRE_PAY_IP', ipBalance: 1 });
		await extract({ num: '1' }, order);
		accountOf(sandbox).balanceInFen = 1_000_000_00;
		const at = { sandbox, host: 'baseUrl', path: '/api/reneworder' } as const;
		await askAs(order.keys, at, { 'dps.ip_count': '1000' });
		expect(await dataOf({ num: '1' }, order)).toMatchObject({ order_left_count: 999 });
	});
});

describe('-6', () => {
	it('with the setting: a caller that is not on the whitelist of the order, if there is one', async () => {
		sandbox.settings.onlyWhitelistedCallers = true;
		const order = added({});
		expect(await extract({ num: '1' }, order)).toHaveLength(1);
		sandbox.whitelists.replaceNow(order, ['10.1.2.3']);
		expect(codeOf(await ask({ num: '1' }, order))).toBe(-6);
		sandbox.settings.clientAddress = '10.1.2.3';
		expect(await extract({ num: '1' }, order)).toHaveLength(1);
	});

	it('without it nobody looks', async () => {
		const order = added({});
		sandbox.whitelists.replaceNow(order, ['10.1.2.3']);
		expect(await extract({ num: '1' }, order)).toHaveLength(1);
	});
});

it('-2: an order that was just bought over the API, for as long as the setting says', async () => {
	sandbox.settings.newOrdersWaitSeconds = 60;
	accountOf(sandbox).balanceInFen = 1_000_000_00;
	const order = orderOf(sandbox, await create(sandbox, ORDERS.dpsPerIp));
	if (order.product !== 'DPS') throw new Error('It is another product');
	expect(codeOf(await ask({ num: '1' }, order))).toBe(-2);
	expect(order.ipBalance).toBe(1000);
	sandbox.clock.advance(60_000);
	expect(await dataOf({ num: '1' }, order)).toMatchObject({ order_left_count: 999 });
});

it('-120: also beyond a number of calls a minute, which is a setting', async () => {
	await sandbox.close();
	await start({ rateLimits: { scale: 0.01 } });
	sandbox.limits.settings.toleranceMs = 0;
	const measured = jest.spyOn(sandbox.limits, 'refusal');
	await ask({ num: '1' });
	expect(measured.mock.lastCall?.[1]).toEqual([
		{ intervalMs: 100, code: -120 },
		{ name: 'minute', intervalMs: 60_000, calls: 120, code: -120 },
	]);
	sandbox.settings.privateCallsPerMinute = 2;
	sandbox.limits.settings.scale = 1;
	await new Promise((resolve) => setTimeout(resolve, 110));
	await ask({ num: '1' });
	await new Promise((resolve) => setTimeout(resolve, 110));
	expect(codeOf(await ask({ num: '1' }))).toBe(-120);
});

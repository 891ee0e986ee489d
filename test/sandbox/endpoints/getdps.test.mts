import { chineseName } from '../../../sandbox/catalogue/chineseAreas.mts';
import type { PrivateProxyOrder } from '../../../sandbox/sandbox.mts';
import { codeOf } from '../extracting.mts';
import { keepsTheExtractionRules } from './extractionRules.mts';
import { accountOf, create, ORDERS, orderOf } from '../ordering.mts';
import {
	added,
	ADDRESS,
	ask,
	dataOf,
	extract,
	PATH,
	proxies,
	sandbox,
	start,
} from './extractingPrivate.mts';

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

import type { Parameters } from '../client.mts';
import { codeOf } from '../extracting.mts';
import { added, ask, dataOf, extract, proxies, sandbox } from './extractingPrivate.mts';

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

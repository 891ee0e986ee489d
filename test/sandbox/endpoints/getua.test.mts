import type { Sandbox } from '../../../sandbox/sandbox.mts';
import type { Parameters } from '../client.mts';
import { accountOf, ask, create, ORDERS, startShop } from '../ordering.mts';

const PATH = '/api/getua';

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startShop();
});

afterEach(() => sandbox.close());

const query = (parameters: Parameters, key: keyof Sandbox['keys'] = 'account') =>
	ask(sandbox, PATH, sandbox.keys[key], parameters);

async function userAgents(parameters: Parameters): Promise<string[]> {
	const { code, msg, data } = await query(parameters);
	expect({ code, msg }).toEqual({ code: 0, msg: '' });
	const { count, ua_list: list } = Object(data);
	if (!Array.isArray(list)) throw new TypeError('There is no list');
	expect(count).toBe(list.length);
	expect(new Set(list).size).toBe(list.length);
	return list;
}

/** Every one that fits. */
async function all(parameters: Parameters): Promise<string[]> {
	accountOf(sandbox).spentInFen = 1_000_000_00;
	return await userAgents({ num: '300', ...parameters });
}

describe('how many', () => {
	it('as many as were asked for, others each time', async () => {
		const [one, two] = [await userAgents({ num: '30' }), await userAgents({ num: '30' })];
		expect([one.length, two.length]).toEqual([30, 30]);
		expect(one).not.toEqual(two);
		for (const text of one) expect(text).toMatch(/^Mozilla\/5\.0 \(/);
	});

	it.each([
		[0, 3],
		[1_00, 3],
		[1_01, 30],
		[5_000_00, 30],
		[5_000_01, 100],
		[10_000_00, 100],
		[10_000_01, 300],
	])('after %i fen were spent, %i at a time', async (spentInFen, most) => {
		accountOf(sandbox).spentInFen = spentInFen;
		expect(await userAgents({ num: String(most) })).toHaveLength(most);
		expect(await userAgents({ num: String(most + 1) })).toHaveLength(most);
		expect(await userAgents({ num: '999999999' })).toHaveLength(most);

		sandbox.settings.tooManyUserAgents = 'refuse';
		expect(await userAgents({ num: String(most) })).toHaveLength(most);
		expect(await query({ num: String(most + 1) })).toMatchObject({ code: -2, data: '' });
	});

	it('an order gets what its account may have, and orders count as spent', async () => {
		const account = accountOf(sandbox);
		account.spentInFen = 0;
		const countFor = async (key: keyof Sandbox['keys']) =>
			Object(Object(await query({ num: '300' }, key)).data).count;
		expect(await countFor('dps')).toBe(3);
		await create(sandbox, ORDERS.ops);
		expect(account.spentInFen).toBe(sandbox.ledger.total());
		expect(await countFor('dps')).toBe(30);
	});

	it('nobody who has not paid may ask more than once a second', async () => {
		const measured = jest.spyOn(sandbox.limits, 'refusal');
		await query({ num: '1' });
		accountOf(sandbox).spentInFen = 1_00;
		await query({ num: '1' });
		expect(measured.mock.calls.map(([, rules]) => rules)).toEqual([
			[{ intervalMs: 200, code: -120 }],
			[{ intervalMs: 1000, code: -120 }],
		]);
	});
});

describe('which', () => {
	const MARKS = {
		dt: { pc: /Windows|Macintosh|X11/, mobile: /iPhone|Android/, pad: /iPad|Android/ },
		platform: {
			win: /Windows NT/,
			macos: /Macintosh/,
			linux: /X11/,
			ios: /iPhone|iPad/,
			android: /Android/,
		},
		browser: {
			chrome: /Chrome\/|CriOS\//,
			firefox: /Firefox\/|FxiOS\//,
			ie: /MSIE|Trident/,
			weixin: /MicroMessenger/,
		},
	};

	const EACH = Object.entries(MARKS).flatMap(([name, marks]) =>
		Object.entries(marks).map(([value, mark]) => [name, value, mark] as const),
	);

	it.each(EACH)('%s=%s', async (name, value, mark) => {
		const texts = await all({ [name]: value });
		expect(texts.length).toBeGreaterThan(5);
		for (const text of texts) expect(text).toMatch(mark);
	});

	it.each(['dt', 'platform', 'browser'])('%s=all is like none', async (name) => {
		for (const value of ['all', 'all,all']) {
			// One answer may lack the rarest by chance
			const answers = await Promise.all(Array.from({ length: 15 }, () => all({ [name]: value })));
			const texts = answers.flat().join('\n');
			for (const [mark, , form] of EACH) if (mark === name) expect(texts).toMatch(form);
		}
	});

	it('several of one sort, and several sorts together', async () => {
		const texts = await all({ platform: 'win,ios', browser: 'ie,weixin' });
		for (const text of texts) {
			expect(text).toMatch(/Windows NT|iPhone|iPad/);
			expect(text).toMatch(/MSIE|Trident|MicroMessenger/);
		}
		expect(texts.some((text) => /Trident/.test(text))).toBe(true);
		expect(texts.some((text) => /iPad.*MicroMessenger/.test(text))).toBe(true);
	});

	it('fewer where there are no more, and none where a browser does not exist', async () => {
		const texts = await all({ browser: 'ie' });
		expect(texts.length).toBeLessThan(30);
		expect(await all({ browser: 'ie', platform: 'macos' })).toEqual([]);
	});
});

import type { Sandbox } from '../../../sandbox/sandbox.mts';
import type { Parameters } from '../client.mts';
import { ask, field, startShop } from '../ordering.mts';

const PATH = '/api/querysfpsarea';

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startShop();
});

afterEach(() => sandbox.close());

const query = (parameters: Parameters, key: keyof Sandbox['keys'] = 'account') =>
	ask(sandbox, PATH, sandbox.keys[key], parameters);

async function countries(serie: string): Promise<string[]> {
	const { code, msg, data } = await query({ serie });
	expect({ code, msg }).toEqual({ code: 0, msg: '' });
	if (!Array.isArray(data)) throw new TypeError('The data is no list');
	for (const each of data) {
		expect(each).toEqual({
			code: expect.stringMatching(/^[A-Z]{2}$/),
			name: expect.stringMatching(/^\p{Script=Han}+$/u),
		});
	}
	return data.map((each) => field(each, 'code') + field(each, 'name'));
}

it('each series has its countries', async () => {
	const [retail, inPackages] = [await countries('1'), await countries('2')];
	for (const list of [retail, inPackages]) {
		expect(list.length).toBeGreaterThanOrEqual(40);
		expect(new Set(list.map((each) => each.slice(0, 2))).size).toBe(list.length);
		expect(list).toEqual(expect.arrayContaining(['US美国', 'JP日本', 'GB英国', 'PH菲律宾']));
	}
	expect(retail).not.toEqual(expect.arrayContaining(inPackages));
	expect(inPackages).not.toEqual(expect.arrayContaining(retail));
});

it('the codes are those of the names', async () => {
	const names = new Intl.DisplayNames(['zh-CN'], { type: 'region' });
	const inUse = new Map([
		['DO', '多米尼加'],
		['HK', '中国香港'],
		['MO', '中国澳门'],
		['TW', '中国台湾'],
		['AE', '阿联酋'],
	]);
	for (const serie of ['1', '2']) {
		for (const country of await countries(serie)) {
			const code = country.slice(0, 2);
			expect(country).toBe(code + (inUse.get(code) ?? names.of(code)));
		}
	}
});

it('with an order key the same, of either series', async () => {
	expect(await query({ serie: '2' }, 'sfps')).toEqual(await query({ serie: '2' }));
	expect(await query({ serie: '1' }, 'sfps')).toEqual(await query({ serie: '1' }));
});

it('a list can be changed, and each on its own', async () => {
	sandbox.overseasStock.retail.splice(0, Infinity, { code: 'US', name: '美国' });
	expect(await countries('1')).toEqual(['US美国']);
	sandbox.overseasStock.retail.length = 0;
	expect(await query({ serie: '1' })).toEqual({ code: 0, msg: '', data: [] });
	expect((await countries('2')).length).toBeGreaterThanOrEqual(40);
});

import { newDedicatedProxyOrder } from '../../../sandbox/sandbox.mts';
import type { Parameters } from '../client.mts';
import { accountOf, ask, without } from '../ordering.mts';
import { EXCLUSIVE, PATH, query, sandbox, SHARED } from './askingCities.mts';

async function codesOf(many: Parameters[]): Promise<number[]> {
	const codes: number[] = [];
	for (const parameters of many) codes.push((await query(parameters)).code);
	return codes;
}

describe('-1 and -2', () => {
	it('-1: what is required is missing', async () => {
		const names = Object.keys(SHARED);
		const each = names.map((name) => without(SHARED, name));
		expect(await codesOf([{}, ...each])).toEqual([-1, ...names.map(() => -1)]);
		const { msg, data } = await query(without(SHARED, 'model'));
		expect(msg).toContain('model');
		expect(data).toBe('');
	});

	it.each<Parameters>([
		{ serie: '0' },
		{ serie: '3' },
		{ serie: '' },
		{ serie: '01' },
		{ model: 'DYN' },
		{ model: 'STD' },
		{ model: 'sta' },
		{ model: '' },
		{ 'kps.max_bandwidth': '0' },
		{ 'kps.max_bandwidth': '3' },
		{ 'kps.max_bandwidth': '20' },
		{ 'kps.max_bandwidth': '' },
		{ city: '3' },
		{ city: '33010' },
		{ city: '330100' },
		{ city: '杭州' },
		{ city: '33,44' },
		{ city: ' 33' },
	])('-2: %j', async (parameters) => {
		expect(await query({ ...SHARED, ...parameters })).toMatchObject({ code: -2, data: '' });
	});

	it.each<Parameters>([
		{ ...EXCLUSIVE, model: 'STA' },
		{ ...EXCLUSIVE, 'kps.max_bandwidth': '1' },
		{ ...SHARED, max_bandwidth: '1' },
		{ ...SHARED, 'kps.serie': '1' },
		{ ...SHARED, 'kps.city': '3301' },
	])('-2, or ignored, without effect: %j', async (parameters) => {
		expect((await query(parameters)).code).toBe(-2);
		sandbox.settings.inapplicableParameters = 'ignore';
		expect((await query(parameters)).code).toBe(0);
	});
});

describe('-3: the order of the key', () => {
	it.each(['opsVip', 'dps', 'dpsPerIp', 'tps', 'fps', 'sfps'] as const)('%s', async (key) => {
		expect(await query(SHARED, key)).toMatchObject({ code: -3, data: '' });
		expect((await query({}, key)).code).toBe(-3);
	});

	it('is a shared dynamic one', async () => {
		const dynamic = newDedicatedProxyOrder('dynamic', accountOf(sandbox), new Date(), {
			model: 'DYN',
		});
		const { keys } = sandbox.store.addOrder(dynamic);
		for (const parameters of [SHARED, EXCLUSIVE]) {
			expect((await ask(sandbox, PATH, keys, parameters)).code).toBe(-3);
		}
	});

	it('may be of the other series', async () => {
		for (const key of ['kps', 'kpsExclusive'] as const) {
			for (const parameters of [SHARED, EXCLUSIVE]) {
				expect((await query(parameters, key)).code).toBe(0);
			}
		}
	});
});

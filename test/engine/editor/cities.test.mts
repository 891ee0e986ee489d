import type { IDataObject } from 'n8n-workflow';

import type { DedicatedCity } from '../../../sandbox/sandbox.mts';
import type { RunResult } from '../support/engine.mts';
import { startScriptedService } from '../support/scriptedService.mts';
import {
	ALL,
	bed,
	getMany,
	orderCredential,
	PATHS,
	records,
	type ResourceName,
	sent,
	USUAL_ORDER,
} from './getMany.mts';

/** Each has a name in English, which is proved with the table of names. */
function withoutEnglishNames(run: RunResult): IDataObject[] {
	return records(run).map(({ city, ...record }) => {
		expect(city).toMatch(/^\p{Lu}\p{L}/u);
		return record;
	});
}

/** The cities with shared IPs, from the sandbox's stock. */
function sharedCities(megabits: number, isWanted: (city: DedicatedCity) => boolean = () => true) {
	return bed()
		.sandbox.stock.filter(isWanted)
		.map(({ code, name, sharedMegabits }) => ({
			code,
			name,
			count: Math.floor(sharedMegabits / megabits),
		}))
		.filter(({ count }) => count > 0);
}

describe('City: Get Many', () => {
	it('asks as the editor has it at first, and gives what the service answers, in its order', async () => {
		const run = await getMany('city', ALL);
		expect(withoutEnglishNames(run)).toEqual(sharedCities(1));
		expect(run.items.length).toBeGreaterThan(100);
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual(
			run.items.map(() => ({ item: 0 })),
		);
		expect(sent('city')).toEqual([{ serie: '1', 'kps.max_bandwidth': '1', model: 'STA' }]);
	});

	it.each<[string, IDataObject[string], string]>([
		['picked', { __rl: true, mode: 'list', value: '3301' }, '3301'],
		['typed', { __rl: true, mode: 'code', value: ' 3301 ' }, '3301'],
		['from an expression beside the list', { __rl: true, mode: 'code', value: '={{ 33 }}' }, '33'],
		['given as a text', '3301', '3301'],
		['from an expression', '={{ 3300 + 1 }}', '3301'],
		['that of a province', { __rl: true, mode: 'list', value: '33' }, '33'],
		['that of a municipality', '11', '11'],
		['that of a name in English', 'Hangzhou', '3301'],
		['that of a name in Chinese', { __rl: true, mode: 'code', value: '杭州' }, '3301'],
	])('asks for one region, whose code is %s', async (_how, city, code) => {
		const run = await getMany('city', { city, ...ALL });
		const expected = sharedCities(1, (one) => one.code.startsWith(code));
		expect(expected.length).toBeGreaterThan(0);
		expect(withoutEnglishNames(run)).toEqual(expected);
		expect(sent('city')).toEqual([
			{ serie: '1', 'kps.max_bandwidth': '1', model: 'STA', city: code },
		]);
	});

	it('asks for each item by its own fields', async () => {
		const items = [
			{ serie: 1, city: '3301' },
			{ serie: 2, city: '11' },
			{ serie: 1, city: '71' },
		];
		const fields = { serie: '={{ $json.serie }}', kpsMaxBandwidth: 4, city: '={{ $json.city }}' };
		const run = await getMany('city', fields, { items });
		expect(records(run)).toEqual([
			{ code: '3301', name: '杭州市', count: 6, city: 'Hangzhou' },
			{ code: '11', name: '北京市', city: 'Beijing' },
		]);
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
		expect(run.hints).toEqual([
			expect.objectContaining({
				message: expect.stringMatching(/^Item 2: No city has these dedicated IPs/),
			}),
		]);
	});

	it('gives no items and a hint where the service has nothing', async () => {
		const run = await getMany('city', { city: '81' });
		expect(records(run)).toEqual([]);
		expect(run.hints).toEqual([
			{
				message:
					'No city has these dedicated IPs right now. Try another bandwidth, city, or series.',
				location: 'outputPane',
			},
		]);
	});

	it('gives no hint where there is something', async () => {
		expect((await getMany('city', { city: '11' })).hints).toEqual([]);
	});
});

describe('Area: Get Many', () => {
	it('asks for single IPs at first', async () => {
		await getMany('area');
		expect(sent('area')).toEqual([{ serie: '1' }]);
	});

	it('asks for each item by its own series', async () => {
		const items = [{ serie: 1 }, { serie: 2 }];
		const run = await getMany('area', { serie: '={{ $json.serie }}', limit: 1 }, { items });
		expect(records(run)).toHaveLength(2);
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
		expect(sent('area')).toEqual([{ serie: '1' }, { serie: '2' }]);
	});
});

describe('what the service may add some day', () => {
	it.each<[ResourceName, IDataObject, IDataObject]>([
		[
			'city',
			{ code: 3301, name: '杭州市', count: '12', more: { a: [1] }, error: 'x' },
			{
				code: 3301,
				name: '杭州市',
				count: '12',
				more: { a: [1] },
				service_error: 'x',
				city: 'Hangzhou',
			},
		],
		[
			'area',
			{ code: 'QX', more: null, error: 'x' },
			{ code: 'QX', more: null, service_error: 'x' },
		],
		[
			'privateProxyResource',
			{ area_code: '33', area_name: '', available: true, carrier_code: 9, error: 'x' },
			{ area_code: '33', area_name: '', available: true, carrier_code: 9, service_error: 'x' },
		],
	])('is handed on by %s, without a name that nobody knows', async (resource, record, expected) => {
		const service = await startScriptedService(() => ({
			body: JSON.stringify({ code: 0, msg: '', data: [record] }),
		}));
		const credentialId = orderCredential(USUAL_ORDER[resource], service.hosts);
		expect(records(await getMany(resource, {}, { credentialId }))).toEqual([expected]);
		expect(service.calls.map(({ path }) => path)).toEqual([PATHS[resource]]);
	});
});

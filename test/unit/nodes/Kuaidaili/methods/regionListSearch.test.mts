import { type IDataObject } from 'n8n-workflow';

import { listSearch, regionListSearch } from '../../../../../nodes/Kuaidaili/methods/listSearch.ts';
import type { UnknownRecord } from '../../../../../nodes/shared/guards.ts';
import { SECRET_KEY } from '../../../support/credential.mts';
import { CITIES, Editor, SHARED, success } from './editor.mts';

import '../../../../virtualTime.mts';

describe('a picker', () => {
	const { searchCities } = listSearch;

	it('asks once for what is typed letter by letter', async () => {
		const editor = new Editor(success(CITIES));
		for (const filter of [undefined, '', 'h', 'ha', 'han']) {
			await editor.open(searchCities, SHARED, filter);
		}
		expect(editor.requests).toHaveLength(1);
	});

	it('asks again for other values', async () => {
		const editor = new Editor(success(CITIES));
		await editor.open(searchCities, { serie: 2 });
		await editor.open(searchCities, SHARED);
		expect(editor.requests.map(({ qs }) => qs)).toEqual([
			{ serie: '2' },
			{ serie: '1', 'kps.max_bandwidth': '1', model: 'STA' },
		]);
	});

	const credential = Editor.credential();
	it.each<[string, IDataObject]>([
		['another key pair', { secretId: `${String(credential.secretId)}-other` }],
		['another key of the same name', { secretKey: 'another' }],
		['another host', { customHosts: true, baseUrl: 'https://dev.example.com' }],
	])('gives no answer of one credential to %s', async (_what, changes) => {
		const first = new Editor(success(CITIES), credential);
		const other = new Editor(success([CITIES[0]]), { ...credential, ...changes });
		expect(await first.list(searchCities, SHARED)).toHaveLength(5);
		expect(await other.list(searchCities, SHARED)).toHaveLength(2);
		expect(other.requests).toHaveLength(1);
	});

	it('asks again after a failure', async () => {
		const editor = new Editor((index) =>
			index === 0 ? new Error('cut off') : { code: 0, msg: '', data: CITIES },
		);
		await editor.failure(searchCities, SHARED);
		expect(await editor.list(searchCities, SHARED)).toHaveLength(5);
	});

	it('shows no key in an error', async () => {
		const editor = new Editor(() => new Error(`signed with ${SECRET_KEY}`));
		const error = await editor.failure(searchCities, SHARED);
		expect(error.message).toContain('got no response');
		expect(JSON.stringify(error) + error.message).not.toContain(SECRET_KEY);
	});

	it('changes nothing in the answer that it holds', async () => {
		const source = regionListSearch<UnknownRecord>({
			fetch: async () => await Promise.resolve([{ code: '3302' }, { code: '3301' }]),
			parameters: () => ({}),
			nothing: 'Nothing',
			toRegions: (records) =>
				records.map((record) => ({ code: String(record.code), chinese: '市' })),
		});
		const editor = new Editor(success([]));
		const sorted = [
			['Hangzhou 市 (3301)', '3301'],
			['Ningbo 市 (3302)', '3302'],
		];
		expect(await editor.list(source, {}, 'ningbo')).toEqual(sorted.slice(1));
		expect(await editor.list(source)).toEqual(sorted);
	});
});

describe('the cities of City: Get Many', () => {
	it('are in the order of their names, with their provinces', async () => {
		const editor = new Editor(success(CITIES));
		expect(await editor.list(listSearch.searchCities, SHARED)).toEqual([
			['Beijing 北京市 (11), 1,234 left', '11'],
			['Hangzhou 杭州市 (3301), 12 left', '3301'],
			['Ürümqi 乌鲁木齐市 (6501), 1 left', '6501'],
			['Xinjiang 新疆 (65), the whole province', '65'],
			['Zhejiang 浙江 (33), the whole province', '33'],
		]);
	});
});

describe('the cities of Order: Create', () => {
	const method = listSearch.searchCitiesForOrder;

	it.each<[string, IDataObject, object]>([
		[
			'shared static IPs',
			{ kpsSerie: 1, kpsModel: 'STA', kpsMaxBandwidth: 6 },
			{ serie: '1', 'kps.max_bandwidth': '6', model: 'STA' },
		],
		['exclusive IPs', { kpsSerie: 2, kpsModel: 'DYN', kpsMaxBandwidth: 6 }, { serie: '2' }],
	])('are asked for by the fields for %s', async (_which, fields, qs) => {
		const editor = new Editor(success(CITIES));
		const list = await editor.list(method, fields);
		expect(editor.requests.map((request) => request.qs)).toEqual([qs]);
		expect(list.map(([, value]) => value)).toEqual(['11', '3301', '6501']);
	});

	it.each<[string, IDataObject]>([
		['Series', { kpsSerie: '={{ $json.serie }}', kpsModel: 'STA', kpsMaxBandwidth: 1 }],
		['Model', { kpsSerie: 1, kpsModel: '={{ $json.model }}', kpsMaxBandwidth: 1 }],
		['Max Bandwidth', { kpsSerie: 1, kpsModel: 'STA', kpsMaxBandwidth: null }],
	])('explain that %s has no plain value, and ask nothing', async (label, fields) => {
		const editor = new Editor(success(CITIES));
		const error = await editor.failure(method, fields);
		expect(error.message).toMatch(
			new RegExp(
				`^'${label}' (?:is empty|can't be .*)\\. Allowed: .*'By Code' and enter the code\\.$`,
			),
		);
		expect(editor.requests).toEqual([]);
	});
});

describe('the areas of Private Proxy Resource: Get Many', () => {
	const record = (area_code: number, area_name: string, carrier_code: number) => ({
		area_code,
		area_name,
		carrier_code,
		carrier_name: '',
		available: carrier_code > 0,
	});

	it('are there once each, with what cannot be had', async () => {
		const editor = new Editor(
			success([
				record(3301, '杭州', 1),
				record(3301, '杭州', -1),
				record(33, '浙江', -1),
				record(11, '北京', 2),
				record(11, '北京', 3),
			]),
			Editor.credential({ keyType: 'order' }),
		);
		expect(await editor.list(listSearch.searchPrivateProxyAreas)).toEqual([
			['Beijing 北京 (11)', '11'],
			['Hangzhou 杭州 (3301)', '3301'],
			['Zhejiang 浙江 (33), not available now', '33'],
		]);
		expect(editor.requests.map(({ qs }) => qs)).toEqual([{}]);
	});

	it('cannot be had with the key pair of the account alone, and nothing is asked', async () => {
		const editor = new Editor(success([record(11, '北京', 2)]));
		const error = await editor.failure(listSearch.searchPrivateProxyAreas);
		expect(error.message).toContain("'Order' is empty");
		expect(error.message).toContain('Choose an order from the list, or enter its number');
		expect(editor.requests).toEqual([]);
	});
});

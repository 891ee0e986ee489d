import type { IDataObject } from 'n8n-workflow';

import type { OrderKind } from '../support/orderKeys.mts';
import {
	AREAS,
	asked,
	bed,
	CITIES,
	Editor,
	LIST_OF_CITIES,
	LIST_OF_RESOURCES,
	SHARED_ORDER,
} from './openedList.mts';

describe('the cities of an order', () => {
	it('are named in both languages, with what is left, in the order of their English names', async () => {
		const list = await Editor.ofAccount().list('kpsCity', SHARED_ORDER);
		expect(list).toContainEqual({ name: 'Hangzhou 杭州市 (3301), 12 left', value: '3301' });
		expect(list).toContainEqual({ name: 'Beijing 北京市 (11), 1,234 left', value: '11' });
		expect(list).toContainEqual({ name: 'Ürümqi 乌鲁木齐市 (6501), 2 left', value: '6501' });
		const names = list.map(({ name }) => name);
		expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b, 'en')));
		for (const name of names) expect(name).toMatch(/^[A-ZÜ].* \p{Script=Han}+ \(\d{2,4}\), /u);
		// Exactly those that have any
		const inStock = bed().sandbox.stock.filter(({ sharedMegabits }) => sharedMegabits > 0);
		expect(new Set(list.map(({ value }) => value))).toEqual(
			new Set(inStock.map(({ code }) => code)),
		);
	});

	it('follow series, model and bandwidth', async () => {
		const editor = Editor.ofAccount();
		const fast = { ...SHARED_ORDER, kpsMaxBandwidth: 4 };
		expect(await editor.list('kpsCity', fast, 'Zhejiang')).toEqual([
			{ name: 'Hangzhou 杭州市 (3301), 3 left', value: '3301' },
		]);
		const exclusive = { ...SHARED_ORDER, kpsSerie: 2 };
		expect(await editor.list('kpsCity', exclusive, 'Hangzhou')).toEqual([
			{ name: 'Hangzhou 杭州市 (3301)', value: '3301' },
		]);
		expect(await editor.values('kpsCity', exclusive, 'Ningbo')).toEqual([]);
		expect(asked(CITIES)).toEqual([
			{ serie: '1', 'kps.max_bandwidth': '4', model: 'STA' },
			{ serie: '2' },
		]);
	});

	it('take no notice of a city that is chosen already', async () => {
		const kpsCity = { __rl: true, mode: 'list', value: '3302' };
		const list = await Editor.ofAccount().values('kpsCity', { ...SHARED_ORDER, kpsCity }, 'Hang');
		expect(list).toEqual(['3301']);
	});

	it('of dynamic IPs have no list, which is explained, and nothing is asked', async () => {
		const fields = { ...SHARED_ORDER, kpsModel: 'DYN' };
		const { message } = await Editor.ofAccount().failure('kpsCity', fields);
		expect(message).toContain('Kuaidaili has no list of cities for shared dynamic IPs');
		expect(message).toContain("choose 'Name'");
		expect(asked(CITIES)).toEqual([]);
	});

	it.each<[string, IDataObject]>([
		['Series', { kpsSerie: '={{ $json.serie }}' }],
		['Model', { kpsModel: '={{ $json.model }}' }],
		['Max Bandwidth', { kpsMaxBandwidth: '={{ $json.bandwidth }}' }],
		// What the editor hands over when it cannot work an expression out
		['Max Bandwidth', { kpsMaxBandwidth: null }],
	])('explain that an expression in %s keeps them from loading', async (label, fields) => {
		const parameters = { ...SHARED_ORDER, ...fields };
		const { message } = await Editor.ofAccount().failure('kpsCity', parameters);
		expect(message).toMatch(new RegExp(`^'${label}' is .*, which cannot be used\\. Allowed: `));
		expect(message).toContain(
			"The list needs fixed values in the fields above it. If you use an expression there, choose 'By Code' and enter the code.",
		);
		expect(asked(CITIES)).toEqual([]);
	});
});

describe('the cities of City: Get Many', () => {
	it('come with their provinces, since the filter takes both', async () => {
		const list = await Editor.ofAccount().list('city', LIST_OF_CITIES, 'Zhejiang');
		expect(list).toEqual([
			{ name: 'Hangzhou 杭州市 (3301), 12 left', value: '3301' },
			{ name: 'Ningbo 宁波市 (3302), 3 left', value: '3302' },
			{ name: 'Zhejiang 浙江 (33), the whole province', value: '33' },
		]);
		expect(asked(CITIES)).toEqual([{ serie: '1', 'kps.max_bandwidth': '1', model: 'STA' }]);
	});

	it('name a municipality once', async () => {
		const list = await Editor.ofAccount().values('city', LIST_OF_CITIES, 'Beijing');
		expect(list).toEqual(['11']);
	});

	it('can be had with the key pair of a dedicated-proxy order as well', async () => {
		const editor = Editor.ofOrder('dedicated-proxy');
		expect(await editor.values('city', LIST_OF_CITIES, '3301')).toEqual(['3301']);
	});

	it.each<[string, IDataObject]>([
		['Series', { serie: '={{ $json.serie }}' }],
		['Max Bandwidth', { kpsMaxBandwidth: '={{ $json.bandwidth }}' }],
	])('explain that an expression in %s keeps them from loading', async (label, fields) => {
		const { message } = await Editor.ofAccount().failure('city', { ...LIST_OF_CITIES, ...fields });
		expect(message).toContain(`'${label}' is "={{ `);
		expect(message).toContain("choose 'By Code' and enter the code.");
		expect(asked(CITIES)).toEqual([]);
	});
});

describe('the areas of a private-proxy order', () => {
	it('are there once each, with what cannot be had now', async () => {
		const editor = Editor.ofOrder('private-proxy');
		const list = await editor.list('area', LIST_OF_RESOURCES);
		expect(list).toContainEqual({ name: 'Hangzhou 杭州 (3301)', value: '3301' });
		expect(list).toContainEqual({ name: 'Zhejiang 浙江 (33)', value: '33' });
		expect(list).toContainEqual({ name: 'Beijing 北京 (11)', value: '11' });
		expect(list).toContainEqual({ name: 'Ningbo 宁波 (3302), not available now', value: '3302' });
		const values = list.map(({ value }) => value);
		expect(new Set(values).size).toBe(values.length);
		expect(asked(AREAS)).toEqual([{}]);
	});

	it('are found by their province', async () => {
		const editor = Editor.ofOrder('private-proxy');
		const list = await editor.values('area', LIST_OF_RESOURCES, '浙江');
		expect(list).toHaveLength(12);
		expect(list).toEqual(expect.arrayContaining(['33', '3301', '3311']));
	});

	it('cannot be had with the key pair of the account alone, and nothing is asked', async () => {
		const { message } = await Editor.ofAccount().failure('area', LIST_OF_RESOURCES);
		expect(message).toContain('Choose an order from the list, or enter its number');
		expect(asked(AREAS)).toEqual([]);
	});

	it.each<OrderKind>(['tunnel-proxy', 'dedicated-proxy', 'open-proxy'])(
		'cannot be had with the key pair of a %s order',
		async (kind) => {
			const { message } = await Editor.ofOrder(kind).failure('area', LIST_OF_RESOURCES);
			expect(message).toMatch(/^This order is not a private proxy order\. Choose /);
			expect(message).toContain('(code -3)');
		},
	);
});

import assert from 'node:assert/strict';

import { COUNTRIES, areasOfCountry } from '../../sandbox/catalogue/countries.mts';
import { TUNNEL_PROVINCES } from '../../sandbox/catalogue/chineseAreas.mts';
import { ALL, byCode, LIST, MISSING } from './common.mts';
import type { ResourceRow } from './row.mts';
import type { World } from './world.mts';

const ENGLISH = new Intl.DisplayNames('en', { type: 'region' });

const OVERSEAS_STATIC = '/api/querysfpsarea';
const DYNAMIC_COUNTRIES = '/api/getfpscountrycode';
const DYNAMIC_AREAS = '/api/getfpsareacode';
const PROVINCES = '/api/gettpsprovcode';
const CITIES = '/api/gettpscitycode';
const CODE = '/api/getareacode';

const countries =
	(series: 'retail' | 'package') =>
	({ sandbox }: World) =>
		sandbox.overseasStock[series].map((area) => ({ ...area, country: ENGLISH.of(area.code) }));

export const area: ResourceRow = {
	resource: 'area',
	label: 'Area',
	opensWith: 'getAll',
	operations: [
		{
			operation: 'getCode',
			label: 'Get Code',
			action: 'Get area code',
			labels: ['Name', 'Options'],
			key: 'either',
			path: CODE,
			cases: [
				{
					what: 'of a city',
					order: 'dps',
					fields: { area: '广州市' },
					sent: { area: '广州市' },
					gives: () => [{ area_name: '广州市', area_code: '4401' }],
					answers: {
						[CODE]: { data: { area_name: '北京市', area_code: '11' }, shape: 'object' },
					},
				},
				{
					what: 'of a city by its English name',
					order: 'dps',
					fields: { area: 'Guangzhou' },
					sent: { area: '广州' },
					gives: () => [{ area_name: '广州市', area_code: '4401' }],
				},
				{
					what: 'of a place that nobody knows',
					order: 'tps',
					fields: { area: '无此地' },
					sent: { area: '无此地' },
					gives: () => [],
					prove: ({ hints }) => assert.match(hints[0], /^Kuaidaili knows no area by this name/),
				},
			],
		},
		{
			operation: 'getAll',
			label: 'Get Many',
			action: 'Get many areas',
			labels: ['Areas Of', 'Series', ...LIST, 'Options'],
			key: 'either',
			path: OVERSEAS_STATIC,
			everyChoiceOf: ['areasOf', 'serie'],
			cases: [
				{
					what: 'all countries of the series Retail',
					order: 'sfps',
					fields: { serie: 1, ...ALL },
					sent: { serie: '1' },
					gives: countries('retail'),
					answers: {
						[OVERSEAS_STATIC]: {
							data: [
								{ code: 'US', name: '美国' },
								{ code: 'JP', name: '日本' },
							],
							shape: 'list',
							added: ['country'],
						},
					},
				},
				{
					what: 'all countries of the series Package',
					order: 'sfpsPackage',
					fields: { areasOf: 'overseasStatic', serie: 2, ...ALL },
					sent: { serie: '2' },
					gives: countries('package'),
				},
				{
					what: 'the countries of overseas dynamic proxies',
					order: 'fps',
					path: DYNAMIC_COUNTRIES,
					fields: { areasOf: 'overseasDynamicCountries', ...ALL },
					gives: () => COUNTRIES.map((one) => ({ ...one, country: ENGLISH.of(one.code) })),
					answers: {
						[DYNAMIC_COUNTRIES]: {
							data: { US: '美国', CA: '加拿大' },
							shape: 'map',
							added: ['country'],
						},
					},
				},
				{
					what: 'the areas of a country',
					order: 'fps',
					path: DYNAMIC_AREAS,
					fields: { areasOf: 'overseasDynamicAreas', region: byCode('US'), ...ALL },
					sent: { region: 'US' },
					gives: () => areasOfCountry('US').map((name) => ({ name })),
					answers: {
						[DYNAMIC_AREAS]: { data: ['Arizona', 'North Carolina'], shape: 'texts' },
					},
				},
				{
					what: 'the provinces of Tunnel Pro',
					order: 'tpsPro',
					path: PROVINCES,
					fields: { areasOf: 'tunnelProProvinces', ...ALL },
					prove({ records }) {
						assert.deepEqual(records[0], { code: '11', name: '北京', province: 'Beijing' });
						assert.deepEqual(
							records.map(({ code, name }) => ({ code, name })),
							TUNNEL_PROVINCES,
						);
					},
					answers: {
						[PROVINCES]: {
							data: { 北京: '11', 天津: '12' },
							shape: 'map',
							added: ['province'],
						},
					},
				},
				{
					what: 'the cities of two provinces',
					order: 'tpsPro',
					path: CITIES,
					fields: { areasOf: 'tunnelProCities', prov: byCode('11, 33'), ...ALL },
					sent: { prov: '11,33' },
					prove({ records }) {
						assert.deepEqual(records[0], { code: '110100', name: '北京市', city: 'Beijing' });
						assert.deepEqual(records[1], { code: '330100', name: '杭州市', city: 'Hangzhou' });
						assert.equal(records.length, 12);
					},
					answers: {
						[CITIES]: { data: { 杭州市: '330100' }, shape: 'map', added: ['city'] },
					},
				},
			],
		},
	],
	endpoints: [
		{ path: CODE, codes: { [-1]: MISSING } },
		{ path: DYNAMIC_AREAS, title: 'Area: Get Many, of a country', codes: { [-1]: MISSING } },
		{ path: DYNAMIC_COUNTRIES, title: 'Area: Get Many, countries', codes: { [-1]: MISSING } },
		{
			path: OVERSEAS_STATIC,
			title: 'Area: Get Many, overseas static',
			codes: {
				[-1]: MISSING,
				[-2]: /did not accept the value of 'Series'.*report/i,
				[-3]: /not an overseas static residential order.*account's key pair, or .*overseas static residential order/,
			},
		},
		{ path: CITIES, title: 'Area: Get Many, cities', codes: { [-1]: MISSING } },
		{ path: PROVINCES, title: 'Area: Get Many, provinces', codes: { [-1]: MISSING } },
	],
};

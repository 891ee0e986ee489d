import { areaCode } from '../../../../../nodes/Kuaidaili/actions/area/getCode.operation.ts';
import {
	overseasDynamicAreas,
	overseasDynamicCountries,
	tunnelProCities,
	tunnelProProvinces,
} from '../../../../../nodes/shared/queries/places.ts';
import { englishRegionName } from '../../../../../nodes/shared/service/regionNames.ts';
import { InvalidResponseError } from '../../../../../nodes/shared/errors/callErrors.ts';
import { runQuery } from '../../../../../nodes/shared/transport/callService.ts';
import { fakeCaller, reply } from '../../../support/fakeCaller.mts';

function answering(data: unknown) {
	return fakeCaller(() => reply({ code: 0, msg: '', data }));
}

it('reads countries from a map of codes, and areas of Tunnel Pro from maps of names', async () => {
	const countries = await runQuery(
		answering({ US: '美国', CA: '加拿大' }),
		overseasDynamicCountries,
	);
	expect(countries).toEqual([
		{ code: 'US', name: '美国' },
		{ code: 'CA', name: '加拿大' },
	]);
	const province = [{ code: '11', name: '北京' }];
	expect(await runQuery(answering({ 北京: '11' }), tunnelProProvinces)).toEqual(province);
	expect(await runQuery(answering({ 北京: 11 }), tunnelProProvinces)).toEqual(province);
});

it('takes an empty list for an empty map', async () => {
	expect(await runQuery(answering([]), tunnelProCities, { prov: '99' })).toEqual([]);
	expect(await runQuery(answering({}), tunnelProCities, { prov: '99' })).toEqual([]);
});

it.each([['US'], { US: 1 }, { US: '' }, { '': '美国' }, '', null])(
	'takes %j for no map of countries',
	async (data) => {
		const answer = runQuery(answering(data), overseasDynamicCountries);
		await expect(answer).rejects.toThrow(InvalidResponseError);
	},
);

it.each([[''], { 0: 'Arizona' }, [['Arizona']], '', null])(
	'takes %j for no list of areas',
	async (data) => {
		const answer = runQuery(answering(data), overseasDynamicAreas, { region: 'US' });
		await expect(answer).rejects.toThrow(InvalidResponseError);
	},
);

describe('the code of a name', () => {
	const BEIJING = { area_name: '北京市', area_code: '11' };

	it.each([
		[{ are_name: '北京市', are_code: '11' }, BEIJING],
		[{ area_name: '北京市', area_code: '11' }, BEIJING],
		[{ area_name: '北京市', area_code: 11 }, BEIJING],
		[{ are_name: '', are_code: '' }, undefined],
		[{ area_name: '', area_code: '' }, undefined],
	])('%j is read as %j', async (data, area) => {
		expect(await runQuery(answering(data), areaCode, { area: '北京市' })).toEqual(area);
	});

	it.each([{}, { area_name: '北京市' }, { area_name: '', area_code: '11' }, [], '', null])(
		'%j is no answer',
		async (data) => {
			const answer = runQuery(answering(data), areaCode, { area: '北京市' });
			await expect(answer).rejects.toThrow(InvalidResponseError);
		},
	);
});

it.each([
	['33', 'Zhejiang'],
	['3301', 'Hangzhou'],
	['330100', 'Hangzhou'],
	['110100', 'Beijing'],
	['339900', undefined],
	['99', undefined],
	['constructor', undefined],
])('the English name of the region %s is %s', (code, name) => {
	expect(englishRegionName(code)).toBe(name);
});

import {
	overseasAreas,
	countryName,
} from '../../../../../nodes/Kuaidaili/availability/overseasAreas.ts';
import { InvalidResponseError } from '../../../../../nodes/shared/transport/callErrors.ts';
import { fakeCaller, reply } from '../../../support/fakeCaller.mts';
import { runQuery } from '../../../../../nodes/shared/transport/runQuery.ts';

function answering(data: unknown) {
	return fakeCaller(() => reply({ code: 0, msg: '', data }));
}

it('asks for the series and gives the records as they are', async () => {
	const data = [
		{ code: 'US', name: '美国' },
		{ code: 'JP', name: '日本', more: true },
	];
	const caller = answering(data);
	expect(await runQuery(caller, overseasAreas, { serie: '1' })).toEqual(data);
	expect(caller.requests).toEqual([
		expect.objectContaining({
			method: 'GET',
			url: 'https://dev.kdlapi.com/api/querysfpsarea',
			qs: { serie: '1' },
		}),
	]);
});

it('gives none where there are none', async () => {
	expect(await runQuery(answering([]), overseasAreas, { serie: '2' })).toEqual([]);
});

it.each(['', null, { US: '美国' }, ['US'], [{}], [{ code: '' }], [{ code: null, name: '美国' }]])(
	'takes %j for no answer',
	async (data) => {
		await expect(runQuery(answering(data), overseasAreas, { serie: '1' })).rejects.toThrow(
			InvalidResponseError,
		);
	},
);

describe('the English name of a country', () => {
	it.each([
		['US', 'United States'],
		['JP', 'Japan'],
		['PH', 'Philippines'],
		['GB', 'United Kingdom'],
		['us', 'United States'],
	])('%s is %s', (code, name) => {
		expect(countryName(code)).toBe(name);
	});

	it.each(['', 'U', 'USA', '1', '33', '3301', 'U1', '美国', 'QX', ' US', 'US\n', 'constructor'])(
		'is unknown for %j, which is no country',
		(code) => {
			expect(countryName(code)).toBeUndefined();
		},
	);
});

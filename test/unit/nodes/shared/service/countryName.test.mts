import { countryName } from '../../../../../nodes/shared/service/regionNames.ts';

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

import { carrierName, CARRIERS } from '../../../../../nodes/shared/service/products.ts';

/** As the service documents them: 联通, 电信, 移动. */
it.each([
	[1, 'China Unicom'],
	['1', 'China Unicom'],
	[2, 'China Telecom'],
	[3, 'China Mobile'],
])('the carrier %p is %s', (code, name) => {
	expect(carrierName(code)).toBe(name);
});

it.each([-1, 0, 4, '4', '01', '', null, undefined, NaN, {}])('there is no carrier %p', (code) => {
	expect(carrierName(code)).toBeUndefined();
});

it('are in the order of their names', () => {
	const names = CARRIERS.map(({ name }) => name);
	expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b, 'en')));
	expect(names).toHaveLength(3);
});

import { cityChoice } from '../../../../../../nodes/Kuaidaili/methods/listSearch/cityChoice.ts';

it.each([
	[12, ', 12 left'],
	[0, ', 0 left'],
	[1234, ', 1,234 left'],
])('tells that %d are left', (count, note) => {
	expect(cityChoice({ code: '3301', name: '杭州市', count })).toEqual({
		code: '3301',
		chinese: '杭州市',
		note,
	});
});

it('says nothing about what is left where the service does not', () => {
	const { note } = cityChoice({ code: '3301', name: '杭州市' });
	expect(note).toBeUndefined();
});

it('makes a text of a code that is a number', () => {
	expect(cityChoice({ code: 3301, name: '杭州市' }).code).toBe('3301');
});

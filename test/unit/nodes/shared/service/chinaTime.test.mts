import {
	parseServiceTime,
	toChinaIso,
	toChinaTime,
} from '../../../../../nodes/shared/service/chinaTime.ts';

const MOMENT = Date.UTC(2026, 5, 18, 4, 1, 43);

it.each([
	'2026-06-18 12:01:43',
	' 2026-06-18 12:01:43 ',
	'2026-06-18T12:01:43',
	'2026-06-18 12:01:43.5',
	'2026-06-18T04:01:43Z',
	'2026-06-18T04:01:43.000Z',
	'2026-06-18T12:01:43+08:00',
	'2026-06-17 23:01:43-05:00',
])('reads %p, without a zone as China time', (value) => {
	expect(Math.floor(Number(parseServiceTime(value)) / 1000)).toBe(MOMENT / 1000);
});

it.each([
	'',
	'2026-06-18',
	'06/18/2026 12:01:43',
	'18-06-2026 12:01:43',
	'2026-06/18 12:01:43',
	'2026-13-18 12:01:43',
	'2026-02-30 12:01:43',
	'2026-06-18 25:01:43',
	'2026-06-18 12:61',
	'0000-00-00 00:00:00',
	'0001-01-01 00:00:00',
	'1970-01-01 08:00:00',
	'never',
	'2026-06-18 12:01',
	'2026/06/18 12:01:43',
	'1781755303',
	1781755303,
	0,
	1,
	1781755303.5,
	178175530,
	null,
	undefined,
	true,
	{},
])('does not read %p', (value) => {
	expect(parseServiceTime(value)).toBeUndefined();
});

it('writes a moment as the member center does, and reads it again', () => {
	expect(toChinaTime(Date.UTC(2026, 0, 1, 0, 0, 0, 999))).toBe('2026-01-01 08:00:00');
	const moment = Date.UTC(2026, 11, 31, 20, 0, 0);
	expect(toChinaTime(moment)).toBe('2027-01-01 04:00:00');
	expect(toChinaIso(moment)).toBe('2027-01-01T04:00:00+08:00');
	for (const text of [toChinaTime(moment), toChinaIso(moment)]) {
		expect(parseServiceTime(text)).toBe(moment);
	}
});

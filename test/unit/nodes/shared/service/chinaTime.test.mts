import { fromChinaTime, toChinaTime } from '../../../../../nodes/shared/service/chinaTime.ts';

it('reads the time of the service as China time', () => {
	expect(fromChinaTime('2026-06-18 12:01:43')).toBe('2026-06-18T12:01:43+08:00');
	expect(Date.parse(fromChinaTime('2026-06-18 12:01:43') ?? '')).toBe(
		Date.UTC(2026, 5, 18, 4, 1, 43),
	);
});

it.each([
	'',
	' 2026-06-18 12:01:43',
	'2026-06-18',
	'2026-06-18T12:01:43',
	'2026-06-18 12:01:43.5',
	'2026-06-18 12:01',
	'2026-6-18 12:01:43',
	'2026-13-18 12:01:43',
	'2026-06-18 25:01:43',
	'0000-00-00 00:00:00',
	1781755303,
	null,
	undefined,
	{},
])('does not read %p', (value) => {
	expect(fromChinaTime(value)).toBeUndefined();
});

it('writes a moment as the member center does, and reads it again', () => {
	expect(toChinaTime(Date.UTC(2026, 0, 1, 0, 0, 0, 999))).toBe('2026-01-01 08:00:00');
	const moment = Date.UTC(2026, 11, 31, 20, 0, 0);
	expect(toChinaTime(moment)).toBe('2027-01-01 04:00:00');
	expect(Date.parse(fromChinaTime(toChinaTime(moment)) ?? '')).toBe(moment);
});

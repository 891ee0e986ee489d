import { localTimeIn } from '../../../../../nodes/shared/service/chinaTime.ts';

const MOMENT = Date.parse('2026-06-18T04:01:43Z');

describe('a moment is told', () => {
	it.each([
		['Asia/Shanghai', '2026-06-18 12:01:43 (China time)'],
		['Asia/Singapore', '2026-06-18 12:01:43 (China time)'],
		['Europe/Berlin', '2026-06-18 06:01:43 (Europe/Berlin; 2026-06-18 12:01:43 in China)'],
		['America/New_York', '2026-06-18 00:01:43 (America/New_York; 2026-06-18 12:01:43 in China)'],
		[
			'America/Los_Angeles',
			'2026-06-17 21:01:43 (America/Los_Angeles; 2026-06-18 12:01:43 in China)',
		],
	])('by the clock of the workflow and the one of the member center: %s', (timeZone, text) => {
		expect(localTimeIn(timeZone)(MOMENT)).toBe(text);
	});

	it.each(['', 'DEFAULT', 'Mars/Olympus'])('in China time without a known zone: %j', (timeZone) => {
		expect(localTimeIn(timeZone)(MOMENT)).toBe('2026-06-18 12:01:43 (China time)');
	});

	it('with the summer time of its day', () => {
		expect(localTimeIn('Europe/Berlin')(Date.parse('2026-12-18T04:01:43Z'))).toContain(
			'2026-12-18 05:01:43 (Europe/Berlin',
		);
	});
});

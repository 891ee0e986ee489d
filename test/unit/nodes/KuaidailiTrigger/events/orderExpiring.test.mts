import {
	remind,
	type Reminders,
} from '../../../../../nodes/KuaidailiTrigger/events/orderExpiring.ts';
import { DAY, HOUR } from '../../../../durations.mts';

const NOW = Date.parse('2026-06-18T04:00:00Z');
const ORDER = {
	orderid: '965102959536478',
	status: 'VALID',
	pay_type: 'PRE_PAY',
	expire_time: '2026-06-20 12:00:00',
};

function reminders(now: number): Reminders {
	return { windowMs: 3 * DAY, remindEvery: 24, now, polledAt: now - HOUR };
}

describe('after the clock of this machine was set back', () => {
	const { state } = remind([ORDER], undefined, reminders(NOW));

	it.each([
		[23, 0],
		[24, 1],
	])('an order that was emitted %d hours later is emitted %d times', (hours, times) => {
		const now = NOW - hours * HOUR;
		expect(remind([ORDER], state, reminders(now)).orders).toHaveLength(times);
	});
});

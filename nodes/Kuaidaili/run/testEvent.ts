import { isOneOf, ownValue } from '../../shared/guards';

/** The trigger's: other data may have fields of these names. */
const TRIGGER_EVENT_NAMES = [
	'accountBalanceBelow',
	'ipBalanceBelow',
	'orderExpired',
	'orderExpiring',
	'trafficBelow',
];

/** The reason why an operation did nothing for an item of a test event. */
export const TEST_EVENT_REASONS = {
	changed: testEventReason('changed', 'A real event changes it.'),
	created: testEventReason('bought', 'A real event places the order.'),
	renewed: testEventReason('bought', 'A real event renews the order.'),
} as const;

function testEventReason(done: string, otherwise: string): string {
	return `This is a test event of Kuaidaili Trigger, so nothing was ${done}. ${otherwise}`;
}

/** Whether an item comes from a test of the trigger, by the mark that it has. */
export function isTestEvent(json: unknown): boolean {
	return ownValue(json, 'test') === true && isOneOf(ownValue(json, 'event'), TRIGGER_EVENT_NAMES);
}

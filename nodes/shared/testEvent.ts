import type { IDataObject } from 'n8n-workflow';

import { isOneOf, ownValue } from './guards';

const TEST = 'test';

/** Marks what the trigger shows when it is tested, for workflows and for whoever reads its text. */
export function asTestEvent({ text, ...record }: IDataObject): IDataObject {
	const said = typeof text === 'string' ? text : '';
	return { text: `Test event: ${said}`, ...record, [TEST]: true };
}

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
	return ownValue(json, TEST) === true && isOneOf(ownValue(json, 'event'), TRIGGER_EVENT_NAMES);
}

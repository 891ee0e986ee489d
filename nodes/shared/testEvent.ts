import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isList, isOneOf, isRecord, ownValue, propertyOf } from './guards';

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

function isTestEvent(json: unknown): boolean {
	return ownValue(json, TEST) === true && isOneOf(ownValue(json, 'event'), TRIGGER_EVENT_NAMES);
}

/** The type of the trigger, whatever n8n puts before its name. */
const TRIGGER_TYPE = /(^|\.)kuaidailiTrigger$/;

/**
 * Whether an item comes from a test of the trigger, straight or through nodes that change or drop its mark,
 * such as Edit Fields or an agent: then the trigger's own output in this execution has it.
 *
 * @param isTool whether an agent calls the node, which has no input then that n8n tells
 */
export function comesFromTestEvent(
	context: IExecuteFunctions,
	json: unknown,
	isTool: boolean,
): boolean {
	if (isTestEvent(json)) return true;
	// An active trigger never gives test events; an execution that is retried may have been a test
	if (!['manual', 'retry'].includes(context.getMode())) return false;
	const nodes = isTool
		? propertyOf(propertyOf(context, 'workflow'), 'nodes')
		: context.getParentNodes(context.getNode().name);
	return Object.values(isRecord(nodes) || isList(nodes) ? nodes : {}).some(
		(node) =>
			TRIGGER_TYPE.test(String(ownValue(node, 'type'))) &&
			hasGivenTestEvent(context, String(ownValue(node, 'name'))),
	);
}

function hasGivenTestEvent(context: IExecuteFunctions, trigger: string): boolean {
	const output = `$(${JSON.stringify(trigger)}).all().map((item) => item.json)`;
	try {
		const given: unknown = context.evaluateExpression(`{{ ${output} }}`, 0);
		return isList(given) && given.some(isTestEvent);
	} catch {
		// Of several triggers, this one did not start the execution
		return false;
	}
}

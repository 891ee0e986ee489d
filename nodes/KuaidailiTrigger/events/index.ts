import type { INodeProperties } from 'n8n-workflow';

import { InvalidFieldError, shownWith } from '../../shared/fields/field';
import { accountBalanceBelow, ipBalanceBelow, trafficBelow } from './balancesBelow';
import type { TriggerEvent } from './event';
import { orderExpired, orderExpiring } from './orderExpiry';

const TRIGGER_EVENTS: readonly TriggerEvent[] = [
	accountBalanceBelow,
	ipBalanceBelow,
	orderExpired,
	orderExpiring,
	trafficBelow,
];

const EVENT_LABEL = 'Event';

export function findEvent(value: unknown): TriggerEvent {
	const event = TRIGGER_EVENTS.find(({ option }) => option.value === value);
	if (event !== undefined) return event;
	const names = TRIGGER_EVENTS.map(({ option }) => option.value).join(', ');
	throw new InvalidFieldError(EVENT_LABEL, value, `Allowed: ${names}.`);
}

const labels = Object.fromEntries(TRIGGER_EVENTS.map(({ option }) => [option.value, option.name]));

/** Stands under the trigger on the canvas: the event, as the editor names it. */
export const triggerSubtitle = `={{ (${JSON.stringify(labels)})[$parameter["event"]] }}`;

export const triggerProperties: INodeProperties[] = [
	{
		displayName: EVENT_LABEL,
		name: 'event',
		type: 'options',
		noDataExpression: true,
		options: TRIGGER_EVENTS.map(({ option }) => option),
		default: 'orderExpiring',
		description: 'What starts the workflow',
	},
	...TRIGGER_EVENTS.flatMap(({ option, properties }) =>
		shownWith({ event: [option.value] }, properties),
	),
];

import { serviceField, InvalidFieldError, type ValueKind } from '../../../shared/fields/field';
import { orderTraffic } from '../../../shared/orders/queries';
import { GET_FPS_FLOW } from '../../../shared/service/endpoints/order';
import { toRecord, propertyOf } from '../../../shared/guards';
import { callOperation, fetching } from '../../run/operation';
import { simpleText } from '../../../shared/fields/kinds';
import { isDay } from '../../../shared/service/chinaTime';

/** A day and a time, as the editor's calendar and most expressions give it; the time means nothing here. */
const DAY_AND_TIME = /^(\d{4}-\d{2}-\d{2})[T ]\d.*$/;

/** The text of a moment of Luxon, such as `{{ $today }}`, in its own time zone; any other value as it is. */
function luxonAsText(value: unknown): unknown {
	const toIso = propertyOf(value, 'toISO');
	return typeof toIso === 'function' ? Reflect.apply(toIso, value, []) : value;
}

/** A day as the service writes it; of a day and a time, the day. */
const calendarDate: ValueKind = {
	property: { type: 'dateTime', default: '', typeOptions: { dateOnly: true } },
	allowed: 'a day such as 2026-03-31',
	toText(value) {
		return simpleText(luxonAsText(value))?.replace(DAY_AND_TIME, '$1');
	},
	accepts: isDay,
};

const startField = serviceField({
	serviceName: 'start_time',
	displayName: 'From',
	description:
		'The first day to count used traffic from. Leave empty to count from the beginning. The remaining traffic stays the same.',
	kind: calendarDate,
});

const endField = serviceField({
	serviceName: 'end_time',
	displayName: 'To',
	description:
		'The last day to count used traffic. Leave empty to count until now. The remaining traffic stays the same.',
	kind: calendarDate,
});

export const orderGetTraffic = callOperation({
	option: {
		name: 'Get Traffic',
		value: 'getTraffic',
		action: 'Get order traffic',
		description: 'Get the used and remaining traffic of an overseas dynamic proxy order, in MB',
	},
	orders: { products: ['FPS'] },
	fields: [startField, endField],
	work: fetching(GET_FPS_FLOW, async (ask, parameters) => {
		const { start_time: start, end_time: end } = parameters;
		if (start !== undefined && end !== undefined && end < start) {
			const allowed = `Allowed: ${start}, which is 'From', or a later day.`;
			throw new InvalidFieldError(endField.displayName, end, allowed);
		}
		return await ask(orderTraffic, parameters);
	}),
	toResult: (traffic, { orderRecord }) => ({ records: [{ ...orderRecord, ...toRecord(traffic) }] }),
});

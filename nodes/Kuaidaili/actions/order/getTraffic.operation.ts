import { serviceField } from '../../../shared/fields/field';
import { InvalidFieldError } from '../../../shared/fields/invalidFieldError';
import { orderTraffic } from '../../../shared/orders/orderTraffic';
import { GET_FPS_FLOW } from '../../../shared/service/endpoints/order';
import { toRecord } from '../../../shared/toRecord';
import { calendarDate } from '../../parameters/calendarDate';
import { callOperation } from '../callOperation';

const startField = serviceField({
	serviceName: 'start_time',
	displayName: 'From',
	description:
		'The first day for the used traffic. Leave empty for no limit. The remaining traffic does not depend on it.',
	kind: calendarDate,
});

const endField = serviceField({
	serviceName: 'end_time',
	displayName: 'To',
	description:
		'The last day for the used traffic. Leave empty for no limit. The remaining traffic does not depend on it.',
	kind: calendarDate,
});

export const getTrafficOperation = callOperation({
	option: {
		name: 'Get Traffic',
		value: 'getTraffic',
		action: 'Get traffic',
		description: 'Get the used and remaining traffic of an overseas dynamic proxy order, in MB',
	},
	orders: { products: ['FPS'] },
	endpoint: GET_FPS_FLOW,
	fields: [startField, endField],
	async fetch(run, parameters, { check }) {
		const { start_time: start, end_time: end } = parameters;
		if (check && start !== undefined && end !== undefined && end < start) {
			const allowed = `Allowed: ${start}, which is 'From', or a later day.`;
			throw new InvalidFieldError(endField.displayName, end, allowed);
		}
		return await run(orderTraffic, parameters);
	},
	toResult: (traffic, { order }) => ({ records: [{ ...order, ...toRecord(traffic) }] }),
});

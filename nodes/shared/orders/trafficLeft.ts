import { ownValue } from '../guards';
import type { Query } from '../service/query';
import { InvalidResponseError } from '../transport/callErrors';
import { excerptOfData } from '../transport/cleanText';
import { orderTraffic } from './orderTraffic';

/** How much traffic is left of an overseas dynamic order that is billed by traffic, in MB. */
export const trafficLeft: Query<number> = {
	endpoint: orderTraffic.endpoint,
	parse(answer, secrets) {
		const left = ownValue(orderTraffic.parse(answer, secrets), 'flow_left');
		if (typeof left === 'number') return left;
		// Orders that are billed by the month have no such figure
		const reason = 'does not say how much traffic is left';
		throw new InvalidResponseError(reason, excerptOfData(answer.data, secrets));
	},
};

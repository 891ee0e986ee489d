import { isRecord, ownValue, type UnknownRecord } from '../guards';
import { GET_FPS_FLOW, GET_IP_BALANCE } from '../service/endpoints/order';
import { dataQuery, type Query } from '../service/query';
import { InvalidResponseError } from '../errors/callErrors';
import { excerptOfData } from '../errors/cleanText';

function isAmount(value: unknown): value is number {
	return typeof value === 'number' && Number.isFinite(value);
}

/** How many IPs a private proxy order has left: of all that were bought, or for today. */
export const ipBalance = dataQuery(GET_IP_BALANCE, 'IP balance', (data) => {
	const balance = ownValue(data, 'balance');
	return isAmount(balance) ? balance : undefined;
});

/** The amounts of a traffic answer, in MB. Orders by the month have no total and none that is left. */
const OPTIONAL_AMOUNTS = ['flow_total', 'flow_left'] as const;

function isAbsent(value: unknown): boolean {
	return value === undefined || value === null;
}

function isTraffic(data: unknown): data is UnknownRecord {
	if (!isRecord(data) || !isAmount(ownValue(data, 'flow_use'))) return false;
	return OPTIONAL_AMOUNTS.map((name) => ownValue(data, name)).every(
		(amount) => isAbsent(amount) || isAmount(amount),
	);
}

/**
 * Traffic of an overseas dynamic order. Takes `start_time` and `end_time`, where wanted: days
 * (`YYYY-MM-DD`) of the used traffic, which then comes by day as well.
 */
export const orderTraffic = dataQuery(GET_FPS_FLOW, 'traffic amounts', (data) =>
	isTraffic(data) ? data : undefined,
);

/** Such as that of an overseas order by the month. */
export class NoTrafficLeftError extends InvalidResponseError {}

/** How much traffic is left of an overseas dynamic order that is billed by traffic, in MB. */
export const trafficLeft: Query<number> = {
	endpoint: GET_FPS_FLOW,
	parse(answer, secrets) {
		const left = ownValue(orderTraffic.parse(answer, secrets), 'flow_left');
		if (typeof left === 'number') return left;
		const reason = 'does not say how much traffic this order has left';
		const error = new NoTrafficLeftError(reason, excerptOfData(answer.data, secrets));
		error.note =
			"Only overseas dynamic orders that are billed by traffic have traffic left; those billed by the month don't. Choose another order in 'Order'.";
		throw error;
	},
};

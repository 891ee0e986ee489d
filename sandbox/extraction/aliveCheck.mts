import type { Order } from '../accounts/order.mts';
import { success, OwnCodes } from '../answers/answer.mts';
import type { HostName } from '../http/call.mts';
import { orderEndpoint, type Endpoint, type Service, type Use } from '../endpoints/endpoint.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { OwnParameters } from '../orders/ownParameters.mts';

// None is documented; these are those of getipbalance, which is asked at the same place.
const CODES = new OwnCodes({
	[-1]: '缺少参数',
	[-2]: '订单类型错误',
});

interface AliveCheckSettings {
	path: string;
	host: HostName;
	/** Orders of another kind get -2. */
	isFor: (order: Order) => boolean;
	/** What the service says of a `host:port`, or of whatever else was sent in its place. */
	stateOf: (place: string, use: { order: Order; service: Service }) => boolean | number;
}

/** An endpoint that says of each of the addresses that are sent how it is. */
export function aliveCheck({ path, host, isFor, stateOf }: AliveCheckSettings): Endpoint {
	return orderEndpoint({
		path,
		hosts: [host],
		rules: () => [perSecond(10)],
		message: (code) => CODES.message(code),
		answer: ({ call, order, service }: Use & { order: Order }) => {
			if (!isFor(order)) throw CODES.refusal(-2);
			const refusal = (name: string) => CODES.refusal(-1, name);
			const own = new OwnParameters(call.parameters, { missing: refusal, wrong: refusal });
			const text = own.text('proxy');
			if (text === '') throw refusal('proxy');
			if (service.settings.inapplicableParameters === 'refuse') own.nothingElse();
			// As they were sent: of `1.2.3.4:80,600` the second part is a key as well.
			const states = text.split(',').map((place) => [place, stateOf(place, { order, service })]);
			return success(Object.fromEntries(states), 'success');
		},
	});
}

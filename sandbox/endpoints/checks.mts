import type { Order, OverseasProxyOrder } from '../accounts/order.mts';
import { OwnCodes, success } from '../answers/answer.mts';
import { isAlive, secondsLeft } from '../extraction/orderProxies.mts';
import { leftOf } from '../extraction/supplies.mts';
import type { HostName } from '../http/call.mts';
import { OwnParameters } from '../orders/ownParameters.mts';
import { type Endpoint, orderEndpoint, type Service, type Use, requested } from './endpoint.mts';

// None is documented; these are those of getipbalance, which is asked at the same place.
const CHECK_CODES = new OwnCodes({
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
function aliveCheck({ path, host, isFor, stateOf }: AliveCheckSettings): Endpoint {
	return orderEndpoint({
		path,
		hosts: [host],
		callsPerSecond: 10,
		codes: CHECK_CODES,
		answer: (use: Use & { order: Order }) => {
			if (!isFor(use.order)) throw CHECK_CODES.refusal(-2);
			const text = requested(use, CHECK_CODES, { missing: -1, wrong: -1 }, (own) =>
				own.matching('proxy', /./su),
			);
			// As they were sent: of `1.2.3.4:80,600` the second part is a key as well.
			const states = text.split(',').map((place) => [place, stateOf(place, use)]);
			return success(Object.fromEntries(states), 'success');
		},
	});
}

/** It is sold by the minute: M_7 and not M_5_10. */
function isProfessional(order: Order): boolean {
	return order.product === 'DPS' && order.payType === 'PRE_PAY_IP' && /^M_\d+$/.test(order.period);
}

// The service's results are up to a minute old; these are of now. An address that the order never had
// is as good as one that has expired.
export const checkDpsValid = aliveCheck({
	path: '/api/checkdpsvalid',
	host: 'dps',
	isFor: (order) => order.product === 'DPS' && !isProfessional(order),
	stateOf: (place, { order, service: { clock, products } }) => {
		const proxy = products.proxies.find(place);
		return proxy?.order === order && isAlive(proxy, clock.now());
	},
});

// Its pace is not documented either: it is that of the same check of private proxies.
export const checkOpsValid = aliveCheck({
	path: '/api/checkopsvalid',
	host: 'base',
	isFor: (order) => order.product === 'OPS',
	stateOf: (place, { service: { supply } }) => supply.find(place)?.works ?? false,
});

export const getDpsValidTime = aliveCheck({
	path: '/api/getdpsvalidtime',
	host: 'dps',
	isFor: (order) => order.product === 'DPS' && order.payType !== 'PRE_PAY_IP',
	// It tells the time alone: a broken proxy has its time as well.
	stateOf: (place, { order, service: { clock, products } }) => {
		const proxy = products.proxies.find(place);
		return proxy?.order === order ? (secondsLeft(proxy, clock.now()) ?? 0) : 0;
	},
});

const BALANCE_CODES = new OwnCodes({
	// It is documented, but there is no parameter that could be missing. A fault can bring it about.
	[-1]: '缺少参数',
	[-2]: '订单类型错误',
});

export const getIpBalance = orderEndpoint({
	path: '/api/getipbalance',
	hosts: ['dps'],
	callsPerSecond: 10,
	codes: BALANCE_CODES,
	answer: ({ order }) => {
		if (order.product !== 'DPS' || order.ipBalance === undefined) throw BALANCE_CODES.refusal(-2);
		return success({ balance: leftOf(order) }, 'success');
	},
});

// None is documented; these are those of getipbalance, and -3 for a wrong value as in extractions.
const FLOW_CODES = new OwnCodes({
	[-1]: '缺少参数',
	[-2]: '订单类型错误',
	[-3]: '参数错误',
});

const MB_PER_GB = 1024;

const DATE = /^\d{4}-\d\d-\d\d$/;

interface Period {
	start: string | undefined;
	end: string | undefined;
}

function readPeriod(own: OwnParameters): Period {
	const [start, end] = ['start_time', 'end_time'].map((name) => {
		const text = own.optionalText(name);
		if (text === undefined || text === '') return undefined;
		if (!DATE.test(text) || Number.isNaN(Date.parse(text))) throw FLOW_CODES.refusal(-3, name);
		return text;
	});
	return { start, end };
}

function sum(amounts: readonly number[]): number {
	return amounts.reduce((total, each) => total + each, 0);
}

/** Dates choose what was used; what is left is of the whole order. */
function flowOf({ flowInGb, flowUsedInMb }: OverseasProxyOrder, { start, end }: Period) {
	const days = Object.entries(flowUsedInMb).filter(
		([day]) => (start ?? day) <= day && day <= (end ?? day),
	);
	const used = sum(days.map(([, amount]) => amount));
	const total = flowInGb === undefined ? undefined : flowInGb * MB_PER_GB;
	return {
		...(total === undefined ? {} : { flow_total: total }),
		flow_use: used,
		...(total === undefined ? {} : { flow_left: total - sum(Object.values(flowUsedInMb)) }),
		// The form of its values is not documented: numbers of MB.
		...(start === undefined && end === undefined
			? {}
			: { flow_daily_usage: Object.fromEntries(days.toSorted()) }),
	};
}

// The example shows the base host; the list of endpoints has one for overseas proxies.
export const getFpsFlow = orderEndpoint({
	path: '/api/getfpsflow',
	hosts: ['fps'],
	callsPerSecond: 1,
	codes: FLOW_CODES,
	answer: (use) => {
		const { order } = use;
		if (order.product !== 'FPS') throw FLOW_CODES.refusal(-2);
		return success(
			flowOf(order, requested(use, FLOW_CODES, { missing: -1, wrong: -3 }, readPeriod)),
		);
	},
});

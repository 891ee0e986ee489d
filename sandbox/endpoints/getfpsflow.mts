import type { OverseasProxyOrder } from '../accounts/order.mts';
import { success, OwnCodes } from '../answers/answer.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { OwnParameters } from '../orders/ownParameters.mts';
import { orderEndpoint } from './endpoint.mts';

// None is documented; these are those of getipbalance, and -3 for a wrong value as in extractions.
const CODES = new OwnCodes({
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
		if (!DATE.test(text) || Number.isNaN(Date.parse(text))) throw CODES.refusal(-3, name);
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
	rules: () => [perSecond(1)],
	message: (code) => CODES.message(code),
	answer: ({ call, order, service }) => {
		if (order.product !== 'FPS') throw CODES.refusal(-2);
		const own = new OwnParameters(call.parameters, {
			missing: (name) => CODES.refusal(-1, name),
			wrong: (name) => CODES.refusal(-3, name),
		});
		const period = readPeriod(own);
		if (service.settings.inapplicableParameters === 'refuse') own.nothingElse();
		return success(flowOf(order, period));
	},
});

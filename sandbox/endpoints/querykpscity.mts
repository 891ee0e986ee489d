import type { Caller } from '../accounts/store.mts';
import { success } from '../answers/answer.mts';
import { perSecond } from '../limits/rateLimits.mts';
import {
	AVAILABILITY_CODES,
	availabilityParameters,
	type OwnParameters,
} from '../orders/ownParameters.mts';
import { citiesWith, sharedCount } from '../orders/stock.mts';
import { DEDICATED_BANDWIDTHS, REGION_CODE } from '../orders/ranges.mts';
import { anyKeyEndpoint, type Service } from './endpoint.mts';

// "Wrong order type" can only be about the order whose key is used. The query is documented as not
// for shared dynamic orders, so theirs are wrong beside those of other products.
function checkOrderType(caller: Caller): void {
	if (caller.kind === 'account') return;
	const { order } = caller;
	if (order.product !== 'KPS' || order.model === 'DYN') throw AVAILABILITY_CODES.refusal(-3);
}

function readQuery(own: OwnParameters) {
	const isShared = own.choice('serie', [1, 2]) === 1;
	const maxBandwidth = isShared ? own.choice('kps.max_bandwidth', DEDICATED_BANDWIDTHS) : undefined;
	if (isShared) own.choice('model', ['STA']);
	return { region: own.matching('city', REGION_CODE, ''), maxBandwidth };
}

function available({ region, maxBandwidth }: ReturnType<typeof readQuery>, { stock }: Service) {
	if (maxBandwidth === undefined) {
		const cities = citiesWith(stock, region, { series: 'exclusive' });
		return cities.map(({ code, name }) => ({ code, name }));
	}
	const cities = citiesWith(stock, region, { series: 'shared', maxBandwidth });
	return cities.map((city) => ({
		code: city.code,
		name: city.name,
		count: sharedCount(city, maxBandwidth),
	}));
}

export const queryKpsCity = anyKeyEndpoint({
	path: '/api/querykpscity',
	hosts: ['base'],
	rule: perSecond(1),
	message: (code) => AVAILABILITY_CODES.message(code),
	answer: ({ call, caller, service }) => {
		checkOrderType(caller);
		const own = availabilityParameters(call.parameters);
		const query = readQuery(own);
		if (service.settings.inapplicableParameters === 'refuse') own.nothingElse();

		const cities = available(query, service);
		return success(cities, cities.length === 0 ? 'no available kps found' : '');
	},
});

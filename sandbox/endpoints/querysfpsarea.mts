import type { Caller } from '../accounts/store.mts';
import { success } from '../answers/answer.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { AVAILABILITY_CODES, availabilityParameters } from '../orders/ownParameters.mts';
import { anyKeyEndpoint } from './endpoint.mts';

// As with querykpscity: it can only be about the order whose key is used.
function checkOrderType(caller: Caller): void {
	if (caller.kind === 'order' && caller.order.product !== 'SFPS') {
		throw AVAILABILITY_CODES.refusal(-3);
	}
}

export const querySfpsArea = anyKeyEndpoint({
	path: '/api/querysfpsarea',
	hosts: ['base'],
	rule: perSecond(1),
	message: (code) => AVAILABILITY_CODES.message(code),
	answer: ({ call, caller, service }) => {
		checkOrderType(caller);
		const own = availabilityParameters(call.parameters);
		const series = own.choice('serie', [1, 2]) === 1 ? 'retail' : 'package';
		if (service.settings.inapplicableParameters === 'refuse') own.nothingElse();
		// Without any it is an empty list; nothing is documented about the message then.
		return success(service.overseasStock[series]);
	},
});

import { success } from '../answers/answer.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { orderEndpoint } from './endpoint.mts';
import { proTunnelOrder, TUNNEL_CODES } from './tunnelCodes.mts';

const LONGEST_SID = 6;

export const tpsProCurrentIp = orderEndpoint({
	path: '/api/tpsprocurrentip',
	hosts: ['tps'],
	rules: () => [perSecond(1)],
	message: (code) => TUNNEL_CODES.message(code),
	answer: ({ call, order, service }) => {
		const proOrder = proTunnelOrder(order);
		const sid = call.parameters.get('sid') ?? '';
		if (sid.length > LONGEST_SID) throw TUNNEL_CODES.refusal(-2, 'sid');
		const addresses = [...service.tunnels.pro(proOrder).currentAddresses()];
		// What is said of a session that is not in use is not documented: here it is not in the answer.
		const wanted = sid === '' ? addresses : addresses.filter(([each]) => each === sid);
		return success(Object.fromEntries(wanted));
	},
});

import { success } from '../answers/answer.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { orderEndpoint } from './endpoint.mts';
import { normalTunnelOrder, TUNNEL_CODES } from './tunnelCodes.mts';

const SHORTEST_PERIOD = 30;

export const tpsCurrentIp = orderEndpoint({
	path: '/api/tpscurrentip',
	hosts: ['tps'],
	rules: () => [perSecond(1)],
	message: (code) => TUNNEL_CODES.message(code),
	answer: ({ order, service }) => {
		const tunnelOrder = normalTunnelOrder(order, SHORTEST_PERIOD);
		const addresses = service.tunnels.normal(tunnelOrder).currentAddresses();
		// Nothing was asked through the tunnel yet: the official tests accept an empty string.
		const [first = ''] = addresses;
		const isMultiChannel = tunnelOrder.channels > 1;
		return success({
			current_ip: first,
			...(isMultiChannel ? { current_ip_list: addresses } : {}),
		});
	},
});

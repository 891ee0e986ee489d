import { success } from '../answers/answer.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { orderEndpoint } from './endpoint.mts';
import { normalTunnelOrder, TUNNEL_CODES } from './tunnelCodes.mts';

const SHORTEST_PERIOD = 60;

export const changeTpsIp = orderEndpoint({
	path: '/api/changetpsip',
	hosts: ['tps'],
	rules: () => [perSecond(1)],
	message: (code) => TUNNEL_CODES.message(code),
	answer: ({ call, order, service }) => {
		const tunnelOrder = normalTunnelOrder(order, SHORTEST_PERIOD);
		const tunnel = service.tunnels.normal(tunnelOrder);
		const text = call.parameters.get('changeip') ?? '';
		const replaced = text === '' ? [] : text.split(',');
		const current = tunnel.currentAddresses();
		const unknown = replaced.find((address) => !current.includes(address));
		if (unknown !== undefined) throw TUNNEL_CODES.refusal(-2, unknown);
		if (!tunnel.mayChange()) throw TUNNEL_CODES.refusal(-5);

		tunnel.change(replaced);
		// Whether the list has all channels or only the changed ones is not documented.
		const addresses = tunnel.currentAddresses();
		const isMultiChannel = tunnelOrder.channels > 1;
		return success({
			new_ip: addresses[0],
			...(isMultiChannel ? { new_ip_list: addresses } : {}),
		});
	},
});

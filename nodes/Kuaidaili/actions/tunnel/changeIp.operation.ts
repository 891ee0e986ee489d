import { serviceField } from '../../../shared/fields/field';
import { ipv4Addresses } from '../../../shared/fields/ipv4';
import { CHANGE_TPS_IP } from '../../../shared/service/endpoints/tunnel';
import { toRecord } from '../../../shared/toRecord';
import { callOperation } from '../callOperation';
import { changeIp } from './changeIp';
import { fetchTunnelOrder, refuseUnchangeable } from './tunnelOrder';

const changeipField = serviceField({
	serviceName: 'changeip',
	displayName: 'IPs to Change',
	description:
		'For tunnels with several channels: the current IPs to change, separated by commas. Leave empty for all channels.',
	placeholder: 'e.g. 123.35.67.46',
	kind: ipv4Addresses,
});

export const changeIpOperation = callOperation({
	option: {
		name: 'Change IP',
		value: 'changeIp',
		action: 'Change tunnel IP',
		description:
			'Switch a tunnel to another IP address right away. Kuaidaili allows two changes within the time that the tunnel keeps an IP.',
	},
	orders: { products: ['TPS'] },
	endpoint: CHANGE_TPS_IP,
	fields: [changeipField],
	async fetch(run, parameters, item) {
		const order = await fetchTunnelOrder(run);
		if (item.check) refuseUnchangeable(order);
		return { changed: await changeIp(run, parameters, order, item), order };
	},
	toResult: ({ changed, order: { periodMs } }, { order }) => ({
		records: [{ ...order, ...toRecord(changed) }],
		hint:
			periodMs === undefined
				? 'Kuaidaili does not say how long this tunnel keeps an IP. It allows two changes within that time.'
				: undefined,
	}),
});

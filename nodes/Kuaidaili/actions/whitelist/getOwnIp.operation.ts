import { callOperation } from '../callOperation';
import { isIpv4 } from '../../../shared/fields/valueKinds';
import { ownValue } from '../../../shared/guards';
import { GET_MY_IP } from '../../../shared/service/endpoints/order';
import { dataQuery } from '../../../shared/queries/query';

/** The public address from which this n8n calls the service. */
export const ownIp = dataQuery(GET_MY_IP, 'IPv4 address', (data) => {
	const ip = ownValue(data, 'ip');
	return typeof ip === 'string' && isIpv4(ip) ? ip : undefined;
});

export const whitelistGetOwnIp = callOperation({
	option: {
		name: 'Get Own IP',
		value: 'getOwnIp',
		action: 'Get public IP of n8n',
		description: 'Get the public IP address of the machine that runs n8n, as Kuaidaili sees it',
	},
	query: ownIp,
	toResult: (ip) => ({ records: [{ ip }] }),
});

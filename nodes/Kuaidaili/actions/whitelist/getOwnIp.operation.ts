import { callOperation } from '../callOperation';
import { ownIp } from '../../../shared/queries/whitelist';

export const whitelistGetOwnIp = callOperation({
	option: {
		name: 'Get Own IP',
		value: 'getOwnIp',
		action: 'Get own IP',
		description: 'Get the public IP address of the machine that runs n8n, as Kuaidaili sees it',
	},
	query: ownIp,
	toResult: (ip) => ({ records: [{ ip }] }),
});

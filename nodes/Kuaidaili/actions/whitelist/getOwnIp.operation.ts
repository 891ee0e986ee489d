import { callOperation } from '../callOperation';
import { isIpv4 } from '../../../shared/fields/valueKinds';
import { ownValue } from '../../../shared/guards';
import { GET_MY_IP } from '../../../shared/service/endpoints/order';
import { dataQuery, type RunQuery } from '../../../shared/queries/query';
import type { Item } from '../../operation';

/** The public address from which this n8n calls the service. */
const ownIp = dataQuery(GET_MY_IP, 'IPv4 address', (data) => {
	const ip = ownValue(data, 'ip');
	return typeof ip === 'string' && isIpv4(ip) ? ip : undefined;
});

const askedInRun = new WeakMap<object, Promise<string>>();

/** Asked for once per run: whoever calls this endpoint again and again is shut out by the service's gateway. */
export async function fetchOwnIp(run: RunQuery, { runKey }: Item): Promise<string> {
	const asked = askedInRun.get(runKey) ?? run(ownIp);
	askedInRun.set(runKey, asked);
	return await asked.catch((error: unknown): never => {
		askedInRun.delete(runKey);
		throw error;
	});
}

export const whitelistGetOwnIp = callOperation({
	option: {
		name: 'Get Own IP',
		value: 'getOwnIp',
		action: 'Get public IP of n8n',
		description: 'Get the public IP address of the machine that runs n8n, as Kuaidaili sees it',
	},
	endpoint: GET_MY_IP,
	fetch: async (run, _parameters, { item }) => await fetchOwnIp(run, item),
	toResult: (ip) => ({ records: [{ ip }] }),
});

import { callOperation, fetching } from '../../run/operation';
import { GET_MY_IP } from '../../../shared/service/endpoints/order';
import type { Item } from '../../run/item';
import { ownValue } from '../../../shared/guards';
import { dataQuery } from '../../../shared/api/call';
import { isIpv4 } from '../../../shared/fields/kinds';

/** The public address from which this n8n calls the service. */
export const ownIp = dataQuery(GET_MY_IP, 'IPv4 address', (data) => {
	const ip = ownValue(data, 'ip');
	return typeof ip === 'string' && isIpv4(ip) ? ip : undefined;
});

const addressOfRun = new WeakMap<object, Promise<string>>();

/**
 * The public IP of this machine, asked for once per run: whoever calls this endpoint again and again is shut out by
 * the service's gateway.
 */
export async function fetchOwnIp({ ask, context }: Item): Promise<string> {
	const address = addressOfRun.get(context) ?? ask(ownIp);
	addressOfRun.set(context, address);
	return await address.catch((error: unknown): never => {
		addressOfRun.delete(context);
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
	work: fetching(GET_MY_IP, async (_ask, _parameters, { item }) => await fetchOwnIp(item)),
	toResult: (ip) => ({ records: [{ ip }] }),
});

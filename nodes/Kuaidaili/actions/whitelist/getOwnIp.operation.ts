import type { RunQuery } from '../../../shared/api/query';
import { ownIp } from '../../../shared/orders/whitelist';
import { callOperation, fetching } from '../../run/callOperation';
import { GET_MY_IP } from '../../../shared/service/endpoints/order';
import type { Item } from '../../run/item';

const askedInRun = new WeakMap<object, Promise<string>>();

/**
 * The public IP of this machine, asked for once per run: whoever calls this endpoint again and again is shut out by
 * the service's gateway.
 */
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
	work: fetching(GET_MY_IP, async (run, _parameters, { item }) => await fetchOwnIp(run, item)),
	toResult: (ip) => ({ records: [{ ip }] }),
});

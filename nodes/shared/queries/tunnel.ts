import { isList, isRecord, ownValue, type UnknownRecord } from '../guards';
import type { Endpoint } from '../service/endpoint';
import { CHANGE_TPS_IP } from '../service/endpoints/tunnel';
import { dataQuery, type Query } from '../service/query';

/** Where requests come from; the rest is as the service sends it. Empty before the first request. */
export type CurrentIp = UnknownRecord & { readonly current_ip: string };

function isCurrentIp(data: UnknownRecord): data is CurrentIp {
	return typeof ownValue(data, 'current_ip') === 'string';
}

/** One for each session in use, or undefined where the data are something else. */
function ipsOfSessions(data: UnknownRecord): CurrentIp[] | undefined {
	const sessions: CurrentIp[] = [];
	for (const [sid, ip] of Object.entries(data)) {
		if (typeof ip !== 'string') return undefined;
		sessions.push({ sid, current_ip: ip });
	}
	return sessions;
}

/**
 * Both kinds of tunnels show either form of the answer in the service's documentation, so what came
 * decides: one address, or one for each session.
 */
export function currentIps(endpoint: Endpoint): Query<CurrentIp[]> {
	return dataQuery(endpoint, 'IP address', (data) => {
		// An empty map may be written as an empty list
		if (isList(data) && data.length === 0) return [];
		if (!isRecord(data)) return undefined;
		return isCurrentIp(data) ? [data] : ipsOfSessions(data);
	});
}

/** The new address in `new_ip`; the rest is as the service sends it. */
export const newIp = dataQuery(CHANGE_TPS_IP, 'new IP address', (data) =>
	isRecord(data) && typeof ownValue(data, 'new_ip') === 'string' ? data : undefined,
);

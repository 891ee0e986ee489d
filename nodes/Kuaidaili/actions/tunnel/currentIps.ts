import { isList, isRecord, ownValue, type UnknownRecord } from '../../../shared/guards';
import type { Endpoint } from '../../../shared/service/endpoint';
import type { Query } from '../../../shared/service/query';
import { InvalidResponseError } from '../../../shared/errors/callErrors';
import { excerptOfData } from '../../../shared/errors/cleanText';

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
	return {
		endpoint,
		parse({ data }, secrets) {
			// An empty map may be written as an empty list
			if (isList(data) && data.length === 0) return [];
			const ips = isRecord(data) ? (isCurrentIp(data) ? [data] : ipsOfSessions(data)) : undefined;
			if (ips !== undefined) return ips;
			throw new InvalidResponseError('contains no IP address', excerptOfData(data, secrets));
		},
	};
}

import { isRecord } from '../harness/outsideData.mts';
import { HOSTS, type HostName, type ServiceHosts } from '../nodes/shared/service/hosts.ts';

const LOOPBACK = /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/;

/**
 * Hosts of a stand-in, for tests, as JSON by the names of the credential's fields.
 *
 * @throws Error for what is not on this machine: a key pair goes to the service and to nobody else
 */
export function loopbackHosts(json: string): ServiceHosts {
	const given: unknown = JSON.parse(json);
	const names = Object.keys(HOSTS) as HostName[];
	const hosts = names.map((name) => {
		const text = isRecord(given) ? given[name] : undefined;
		const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
		if (url === undefined || !LOOPBACK.test(url.hostname)) {
			throw new Error(`The test host ${name} is not on this machine.`);
		}
		return [name, url.origin] as const;
	});
	return Object.fromEntries(hosts) as Record<HostName, string>;
}

import type { KuaidailiCredential } from '../credential/kuaidailiCredential';
import type { EndpointName } from '../service/endpoints';

/** The line in which calls with one key to one endpoint wait for their turn. */
export function laneOf({ secretId }: KuaidailiCredential, endpoint: EndpointName): string {
	return `${secretId} ${endpoint}`;
}

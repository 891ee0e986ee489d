import type { KuaidailiCredential } from '../credential/kuaidailiCredential';
import type { EndpointName } from '../service/endpoints';

/** The service limits calls with one key pair to one endpoint. */
export function rateLimitKey({ secretId }: KuaidailiCredential, endpoint: EndpointName): string {
	return `${secretId} ${endpoint}`;
}

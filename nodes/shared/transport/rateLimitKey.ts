import type { KuaidailiCredential } from '../credential/kuaidailiCredential';
import type { Endpoint } from '../service/endpoint';

/** The service limits calls with one key pair to one endpoint. */
export function rateLimitKey({ secretId }: KuaidailiCredential, { host, path }: Endpoint): string {
	return `${secretId} ${host}${path}`;
}

import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/**
 * Signed by itself, for localhost and 127.0.0.1, from 2020 to 2120. A client trusts it with `ca`, n8n
 * with NODE_EXTRA_CA_CERTS. Everybody can read its key, so it protects nothing.
 */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBdjCCAR2gAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABOnCIRWiiFBOZT25
0Q9AiTurMKnN7bqOFwYDyBTAOrCAL6AUUhjZBf+SUFtFb8ZQMxnaLsQwYln8j+vl
ePLEsayjXjBcMBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAPBgNVHRMBAf8E
BTADAQH/MA4GA1UdDwEB/wQEAwIChDAdBgNVHQ4EFgQUCU6l0QyVg7OQ/IEXkwVh
3hGWgQMwCgYIKoZIzj0EAwIDRwAwRAIgMmdi/0vlVePlZvu/X4tBrZpI/ykGsoVz
l1bhUgjf194CIGkffg+RVk0ZEs5GZJSexhH+wllGG5Ia7ot6PjHKZeHK
-----END CERTIFICATE-----
`;

const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgdFvoBJGsVFKlYANa
sVidIa3lFPaHX1q00qDQfZbNRuqhRANCAATpwiEVoohQTmU9udEPQIk7qzCpze26
jhcGA8gUwDqwgC+gFFIY2QX/klBbRW/GUDMZ2i7EMGJZ/I/r5XjyxLGs
-----END PRIVATE KEY-----
`;

export interface HttpsTarget {
	/** `https://127.0.0.1:PORT` */
	url: string;
	/** How many requests it has answered. */
	requests: number;
	close(): Promise<void>;
}

/**
 * A page over https that tells every visitor where they seem to come from, whatever its path:
 * `{"address": …, "port": …}`, like the page `/ip` of the sandbox over http.
 */
export async function startHttpsTarget(): Promise<HttpsTarget> {
	const server = createServer({ cert: CERTIFICATE, key: KEY }, ({ socket }, response) => {
		target.requests += 1;
		response.setHeader('content-type', 'application/json');
		response.end(JSON.stringify({ address: socket.remoteAddress, port: socket.remotePort }));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const target = {
		url: `https://127.0.0.1:${portOf(server.address())}`,
		requests: 0,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
	return target;
}

function portOf(address: string | AddressInfo | null): number {
	if (typeof address !== 'object' || address === null) throw new Error('It does not listen');
	return address.port;
}

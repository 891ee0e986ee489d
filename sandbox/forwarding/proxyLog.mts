import type { ProxyDeath } from './proxyFaults.mts';

/** What came to a proxy, and what became of it. */
export interface ProxiedRequest {
	/** By the clock of the sandbox. */
	time: Date;
	/** `address:port` */
	proxy: string;
	method: string;
	/** `host:port` */
	target: string;
	clientAddress: string;
	/** As it was sent. */
	username: string | undefined;
	/** Undefined at an open proxy, and where the client is unknown. */
	orderId: string | undefined;
	/** The status with which the proxy refused; undefined when it passed the request on. */
	refusedWith: number | undefined;
	/** How the proxy died on it. */
	died: ProxyDeath | undefined;
	/** The address that the target saw; undefined when it saw nothing. */
	exit: string | undefined;
}

/** Every request to the proxies. */
export class ProxyLog {
	private readonly logged: ProxiedRequest[] = [];

	add(request: ProxiedRequest): void {
		this.logged.push(request);
	}

	/** Oldest first. */
	entries(): readonly ProxiedRequest[] {
		return [...this.logged];
	}
}

import { request, type IncomingMessage } from 'node:http';
import { connect as connectTls } from 'node:tls';

export interface ProxyAddress {
	readonly host: string;
	readonly port: number;
	readonly login?: { readonly username: string; readonly password: string };
}

/** How far a page came through a proxy. Nothing of the page is kept. */
export type PageResult =
	| { readonly kind: 'opened'; readonly status: number }
	/** By the status of its answer to CONNECT. */
	| { readonly kind: 'proxyRefused'; readonly status: number }
	/** A code of Node.js, or "time-out". */
	| { readonly kind: 'failed'; readonly reason: string };

const TIME_OUT_MS = 20_000;

/** Opens a page through a proxy, once, and reads no more than its status. */
export async function openThrough(proxy: ProxyAddress, page: URL): Promise<PageResult> {
	try {
		return page.protocol === 'https:' ? await overTls(proxy, page) : await inPlain(proxy, page);
	} catch (error) {
		const code = error instanceof Error && 'code' in error ? error.code : undefined;
		const isCode = typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code);
		const isTimeOut = error instanceof Error && error.message === 'time-out';
		return { kind: 'failed', reason: isTimeOut ? 'time-out' : isCode ? code : 'no answer' };
	}
}

function proxyHeaders({ login }: ProxyAddress): Record<string, string> {
	if (login === undefined) return {};
	const text = Buffer.from(`${login.username}:${login.password}`).toString('base64');
	return { 'Proxy-Authorization': `Basic ${text}` };
}

async function inPlain(proxy: ProxyAddress, page: URL): Promise<PageResult> {
	const { host, port } = proxy;
	return await new Promise((resolve, reject) => {
		const headers = { Host: page.host, ...proxyHeaders(proxy) };
		const sent = request({
			host,
			port,
			path: page.href,
			headers,
			timeout: TIME_OUT_MS,
			agent: false,
		});
		sent.once('response', ({ statusCode = 0 }: IncomingMessage) => {
			resolve({ kind: 'opened', status: statusCode });
			sent.destroy();
		});
		sent.once('timeout', () => sent.destroy(new Error('time-out')));
		sent.once('error', reject);
		sent.end();
	});
}

async function overTls(proxy: ProxyAddress, page: URL): Promise<PageResult> {
	const { host, port } = proxy;
	const target = `${page.hostname}:${page.port || '443'}`;
	return await new Promise((resolve, reject) => {
		const headers = { Host: target, ...proxyHeaders(proxy) };
		const method = 'CONNECT';
		const sent = request({
			host,
			port,
			method,
			path: target,
			headers,
			timeout: TIME_OUT_MS,
			agent: false,
		});
		const timer = setTimeout(() => sent.destroy(new Error('time-out')), TIME_OUT_MS);
		const end = (result: PageResult) => {
			clearTimeout(timer);
			resolve(result);
		};
		sent.once('error', (error) => {
			clearTimeout(timer);
			reject(error);
		});
		sent.once('connect', ({ statusCode = 0 }, socket) => {
			if (statusCode !== 200) {
				socket.destroy();
				end({ kind: 'proxyRefused', status: statusCode });
				return;
			}
			const secure = connectTls({ socket, servername: page.hostname }, () => {
				secure.write(
					`GET ${page.pathname}${page.search} HTTP/1.1\r\nHost: ${page.host}\r\nConnection: close\r\n\r\n`,
				);
			});
			secure.once('data', (chunk: Buffer) => {
				const status = /^HTTP\/1\.[01] (\d{3})/.exec(chunk.toString('latin1'))?.[1];
				secure.destroy();
				end(
					status === undefined
						? { kind: 'failed', reason: 'no HTTP answer' }
						: { kind: 'opened', status: Number(status) },
				);
			});
			secure.once('error', reject);
		});
		// Without CONNECT in its answer, as from something that is no proxy
		sent.once('response', ({ statusCode = 0 }) => {
			end({ kind: 'proxyRefused', status: statusCode });
			sent.destroy();
		});
		sent.end();
	});
}

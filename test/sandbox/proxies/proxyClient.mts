import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { connect as secure } from 'node:tls';
import { CERTIFICATE } from '../../../harness/httpsTarget.mts';

export interface ProxyAddress {
	host: string;
	port: number;
}

export interface Opening {
	/** `user:password`; sent with the first request, as n8n does. */
	login?: string;
	/** To the proxy. */
	headers?: Record<string, string>;
	/** Only for http pages: the connection stays for the next one. */
	agent?: Agent;
	/** Where the client itself calls from. */
	localAddress?: string;
}

export interface Opened {
	status: number | undefined;
	headers: IncomingMessage['headers'];
	body: string;
}

/** Opens a page through a proxy: an http one in absolute form, an https one in a tunnel. */
export async function open(
	{ host, port }: ProxyAddress,
	url: string,
	{ login, headers = {}, agent, localAddress }: Opening = {},
): Promise<Opened> {
	const toProxy = {
		...{ host, port, agent: agent ?? false },
		...(localAddress ? { localAddress } : {}),
		headers: {
			...(login === undefined
				? {}
				: { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` }),
			...headers,
		},
	};
	const { protocol, host: target } = new URL(url);
	return protocol === 'https:'
		? await openSecure(toProxy, target, url)
		: await new Promise((resolve, reject) => {
				const page = { ...toProxy, path: url, headers: { ...toProxy.headers, host: target } };
				httpRequest(page, (response) => resolve(read(response, response)))
					.on('error', reject)
					.end();
			});
}

/** The address that the page saw. */
export async function exitOf(
	proxy: ProxyAddress,
	url: string,
	opening: Opening = {},
): Promise<string> {
	const { status, body } = await open(proxy, url, opening);
	if (status !== 200) throw new Error(`${status} ${body}`);
	return String(JSON.parse(body).address);
}

function openSecure(toProxy: object, target: string, url: string): Promise<Opened> {
	return new Promise((resolve, reject) => {
		const asking = httpRequest({ ...toProxy, method: 'CONNECT', path: target });
		asking.on('error', reject);
		asking.on('connect', (response, socket, head) => {
			socket.on('error', reject);
			if (response.statusCode !== 200) {
				if (head.length > 0) socket.unshift(head);
				return resolve(read(response, socket));
			}
			const tunnel = secure({ socket, ca: CERTIFICATE, servername: 'localhost' });
			tunnel.on('error', reject);
			httpsRequest(url, { createConnection: () => tunnel }, (page) => {
				resolve(read(page, page).finally(() => tunnel.destroy()));
			})
				.on('error', reject)
				.end();
		});
		asking.end();
	});
}

async function read({ statusCode, headers }: IncomingMessage, stream: Readable): Promise<Opened> {
	let body = '';
	for await (const chunk of stream.setEncoding('utf8')) body += chunk;
	return { status: statusCode, headers, body };
}

import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { connect as secure } from 'node:tls';
import { CERTIFICATE } from '../../../sandbox/pages/certificate.mts';

export interface ProxyAddress {
	host: string;
	port: number;
}

export interface Opening {
	/** `user:password`; sent with the first request, as n8n does. */
	login?: string;
	/** To the proxy. */
	headers?: Record<string, string>;
	/** To the page. */
	pageHeaders?: Record<string, string>;
	/** As the body of a POST. */
	form?: Record<string, string>;
	/** Only for http pages: the connection stays for the next one. */
	agent?: Agent;
	/** Where the client itself calls from. */
	localAddress?: string;
}

export interface Opened {
	status: number | undefined;
	headers: IncomingMessage['headers'];
	body: string;
	bytes: Buffer;
}

/** Opens a page through a proxy: an http one in absolute form, an https one in a tunnel. */
export async function open(
	{ host, port }: ProxyAddress,
	url: string,
	{ login, headers = {}, pageHeaders = {}, form, agent, localAddress }: Opening = {},
): Promise<Opened> {
	const sent = form && new URLSearchParams(form).toString();
	const toPage = {
		method: sent === undefined ? 'GET' : 'POST',
		headers: {
			...(sent !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
			...pageHeaders,
		},
	};
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
		? await openSecure(toProxy, { url, ...toPage }, sent)
		: await new Promise((resolve, reject) => {
				const merged = { ...toProxy.headers, ...toPage.headers, host: target };
				const page = { ...toProxy, method: toPage.method, path: url, headers: merged };
				httpRequest(page, (response) => resolve(read(response, response)))
					.on('error', reject)
					.end(sent);
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

interface ToPage {
	url: string;
	method: string;
	headers: Record<string, string>;
}

function openSecure(
	toProxy: object,
	{ url, ...toPage }: ToPage,
	sent: string | undefined,
): Promise<Opened> {
	const { host: path, hostname } = new URL(url);
	return new Promise((resolve, reject) => {
		const asking = httpRequest({ ...toProxy, method: 'CONNECT', path });
		asking.on('error', reject);
		asking.on('connect', (response, socket, head) => {
			socket.on('error', reject);
			if (response.statusCode !== 200) {
				if (head.length > 0) socket.unshift(head);
				return resolve(read(response, socket));
			}
			const servername = hostname.endsWith('localhost') ? hostname : 'localhost';
			const tunnel = secure({ socket, ca: CERTIFICATE, servername });
			tunnel.on('error', reject);
			httpsRequest(url, { ...toPage, createConnection: () => tunnel }, (page) => {
				resolve(read(page, page).finally(() => tunnel.destroy()));
			})
				.on('error', reject)
				.end(sent);
		});
		asking.end();
	});
}

async function read({ statusCode, headers }: IncomingMessage, stream: Readable): Promise<Opened> {
	const chunks: Buffer[] = [];
	for await (const chunk of stream) chunks.push(chunk);
	const bytes = Buffer.concat(chunks);
	return { status: statusCode, headers, bytes, body: bytes.toString() };
}

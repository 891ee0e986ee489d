import { request as httpRequest, type IncomingMessage } from 'node:http';
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
	{ login }: Opening = {},
): Promise<Opened> {
	const headers =
		login === undefined
			? {}
			: { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
	const toProxy = { host, port, agent: false, headers };
	const { protocol, host: target } = new URL(url);
	if (protocol === 'https:') return await openSecure(toProxy, url);
	return await new Promise((resolve, reject) => {
		const page = { ...toProxy, path: url, headers: { ...headers, host: target } };
		httpRequest(page, (response) => resolve(read(response, response)))
			.on('error', reject)
			.end();
	});
}

function openSecure(toProxy: object, url: string): Promise<Opened> {
	const { host: path } = new URL(url);
	return new Promise((resolve, reject) => {
		const asking = httpRequest({ ...toProxy, method: 'CONNECT', path });
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
	const chunks: Buffer[] = [];
	for await (const chunk of stream) chunks.push(chunk);
	return { status: statusCode, headers, body: Buffer.concat(chunks).toString() };
}

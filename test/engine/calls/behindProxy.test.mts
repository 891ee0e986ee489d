import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { IDataObject } from 'n8n-workflow';

import { uniqueName } from '../../uniqueName.mts';
import { Engine } from '../support/engine.mts';
import { NEW_TUNNEL } from '../support/newTunnel.mts';

/*
 * HTTPS_PROXY of the machine that n8n runs on, on the way to the real hosts of the service: the first
 * thing that a request does is to ask the proxy for a connection, and no further does any get here.
 */

const engine = new Engine();
const { HTTPS_PROXY: usual } = process.env;
afterEach(() => {
	if (usual === undefined) delete process.env.HTTPS_PROXY;
	else process.env.HTTPS_PROXY = usual;
});

const EXTRACTION = {
	resource: 'proxy',
	operation: 'extract',
	product: 'OPS',
	plan: 'svip',
	num: 1,
};

async function runBehind(proxy: string, parameters: IDataObject, keyType = 'order') {
	process.env.HTTPS_PROXY = `http://${proxy}`;
	const keys = { secretId: uniqueName('id'), secretKey: uniqueName('key') };
	const credentialId = engine.addCredential({
		...keys,
		keyType,
		signType: 'hmacsha1',
		customHosts: false,
	});
	const { error } = await engine.run({ credentialId, parameters });
	if (error === undefined) throw new Error('The node succeeded');
	return error;
}

/** @param answer what to do with a connection that asked for a host */
async function withProxy<T>(
	answer: (connection: Socket) => void,
	work: (proxy: string, hosts: readonly string[]) => Promise<T>,
): Promise<T> {
	const hosts: string[] = [];
	const server = createServer((connection) => {
		connection.on('error', () => undefined);
		connection.once('data', (bytes) => {
			hosts.push(bytes.toString().split(' ', 2)[1]);
			answer(connection);
		});
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	try {
		return await work(addressOf(server.address()), hosts);
	} finally {
		server.close();
	}
}

function addressOf(address: AddressInfo | string | null): string {
	if (address === null || typeof address === 'string') throw new Error('It does not listen');
	return `127.0.0.1:${address.port}`;
}

describe('behind HTTPS_PROXY', () => {
	it('a proxy that does not listen is named, and not the service', async () => {
		const closed = await withProxy(
			() => undefined,
			async (proxy) => proxy,
		);
		const { message, description } = await runBehind(closed, EXTRACTION);
		expect(message).toContain(`The proxy that this n8n uses, ${closed}, refused the connection`);
		expect(description).toMatch(/The request to svip\.kdlapi\.com was not sent\. .*HTTPS_PROXY/);
	});

	it('a read is sent again where the proxy closes before it is connected', async () => {
		await withProxy(
			(connection) => connection.end(),
			async (proxy, hosts) => {
				const { message, description } = await runBehind(proxy, EXTRACTION);
				expect(message).toContain(
					'The proxy that this n8n uses closed the connection before it was connected to svip.kdlapi.com',
				);
				expect(description).toContain('HTTPS_PROXY');
				expect(hosts).toEqual(Array.from({ length: 3 }, () => 'svip.kdlapi.com:443'));
			},
		);
	});

	it('a purchase that the proxy never let out was certainly not made', async () => {
		await withProxy(
			(connection) => connection.end(),
			async (proxy, hosts) => {
				const { message, description } = await runBehind(proxy, NEW_TUNNEL, 'account');
				expect(message).toContain(
					'closed the connection before it was connected to dev.kdlapi.com',
				);
				expect(description).toContain('nothing was bought for this item');
				expect(new Set(hosts)).toEqual(new Set(['dev.kdlapi.com:443']));
			},
		);
	});

	it('a proxy that asks for a login is named', async () => {
		const refusal = 'HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n';
		await withProxy(
			(connection) => connection.end(refusal),
			async (proxy) => {
				const { message, description } = await runBehind(proxy, EXTRACTION);
				expect(message).toContain(
					'The proxy that this n8n uses asks for a login (HTTP status 407)',
				);
				expect(description).toContain('HTTPS_PROXY');
			},
		);
	});
});

import dns from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import type { Fault } from '../../../sandbox/sandbox.mts';
import { uniqueKeys } from '../../uniqueName.mts';
import { API } from '../support/api.mts';
import { NEW_TUNNEL } from '../support/customer.mts';
import type { RunResult } from '../support/engine.mts';
import {
	type ScriptedAnswer,
	type ScriptedCall,
	startScriptedService,
} from '../support/scriptedService.mts';
import { addresses, list } from '../support/scriptedShop.mts';
import type { Extraction } from '../support/testBed.mts';
import { useWorkbench } from '../support/workbench.mts';

const { bed } = useWorkbench();

async function withFault(fault: Fault, extraction: Extraction = {}): Promise<RunResult> {
	bed().sandbox.faults.add(fault);
	return await bed().extract({ num: 5, ...extraction });
}

function expectFailure(result: RunResult, message: RegExp, description = /./): void {
	expect(result.status).toBe('error');
	expect(result.items).toEqual([]);
	expect(result.error?.name).toBe('NodeApiError');
	expect(result.error?.message).toMatch(message);
	expect(result.error?.message).not.toContain('[item');
	expect(result.error?.description).toMatch(description);
}

describe('a service that takes too long', () => {
	const options = { timeout: 1 };
	const timeout = /^127\.0\.0\.1:\d+ did not answer within 1 second$/;

	it('is given up after the time-out', async () => {
		const result = await withFault({ kind: 'hang' }, { options });
		expectFailure(result, timeout, /'API Timeout \(Seconds\)' where 'Options' have it/);
		expect(bed().extractions).toHaveLength(1);
	});
});

describe('a connection that breaks', () => {
	const broken = /^The connection to 127\.0\.0\.1:\d+ was lost before the whole response arrived$/;

	it.each<[name: string, fault: Fault]>([
		['before the work', { kind: 'cut', when: 'before' }],
		['in the middle of the answer', { kind: 'halfBody', promise: 'full' }],
	])('%s is told as that', async (_name, fault) => {
		expectFailure(await withFault(fault), broken, /try again/i);
		// Nothing is changed by asking, so it asks twice more
		expect(bed().extractions).toHaveLength(3);
	});
});

describe('something between n8n and the service', () => {
	it('that is down is told with its status', async () => {
		const result = await withFault({ kind: 'status', status: 504, body: 'upstream\r\nis down' });
		expectFailure(
			result,
			/^Kuaidaili is unavailable right now \(HTTP status 504\)$/,
			/^Try again in a few minutes[^:]*$/,
		);
		expect(result.error).toMatchObject({ httpCode: '504' });
		expect(bed().extractions).toHaveLength(3);
	});

	it.each([401, 404])('that answers %i points to the hosts', async (status) => {
		const result = await withFault({ kind: 'status', status });
		expectFailure(result, RegExp(`HTTP status ${status}`), /hosts in the credential/);
		expect(bed().extractions).toHaveLength(1);
	});

	it.each([301, 308])('that redirects by %i is not followed', async (status) => {
		const target = await startScriptedService(() => list(addresses(0, 5)));
		const location = `${target.hosts.baseUrl}/api/getproxy?num=5`;
		const result = await withFault({ kind: 'status', status, location });
		expectFailure(
			result,
			RegExp(`HTTP status ${status}\\), and this node does not follow redirects`),
		);
		expect(target.calls).toEqual([]);
		expect(bed().extractions).toHaveLength(1);
	});

	it.each([302, 307])(
		'that redirects a request for a token by %i gets no Secret Key to another host',
		async (status) => {
			const target = await startScriptedService(() => list([]));
			const location = `${target.hosts.authUrl}${API.get_secret_token}`;
			const fault = { kind: 'status', status, location, path: API.get_secret_token } as const;
			const result = await withFault(fault, { credential: { signType: 'token' } });
			expectFailure(
				result,
				RegExp(`HTTP status ${status}\\), and this node does not follow redirects`),
			);
			expect(target.calls).toEqual([]);
			expect(bed().sandbox.log.count(API.get_secret_token)).toBe(1);
		},
	);
});

describe('a service that cannot be reached', () => {
	it('because nobody listens is told', async () => {
		const credential = { svipUrl: 'http://localhost:1' };
		const result = await bed().extract({ credential });
		expectFailure(result, /^localhost:1 refused the connection$/, /hosts in the credential/);
	});

	it('because its name is not known is told', async () => {
		// Some resolvers have an address for every name
		const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
		const lookup = jest.spyOn(dns, 'lookup').mockImplementation(((...given: unknown[]) => {
			const done = given.at(-1);
			if (typeof done === 'function') done(unknown);
		}) as typeof dns.lookup);
		const credential = { svipUrl: 'https://does-not-exist.invalid' };
		const result = await bed().extract({ credential });
		expect(lookup).toHaveBeenCalled();
		lookup.mockRestore();
		expectFailure(result, /^The host does-not-exist\.invalid was not found$/, /DNS/);
	});

	it('because it speaks no TLS is told', async () => {
		const credential = { svipUrl: bed().sandbox.hosts.svipUrl.replace('http:', 'https:') };
		const result = await bed().extract({ credential });
		expectFailure(result, /^Could not establish a secure connection to 127\.0\.0\.1:\d+$/);
		expect(bed().extractions).toEqual([]);
	});
});

/** The same against a server that answers what the test says. */
async function answered(
	answer: (call: ScriptedCall) => ScriptedAnswer,
	extraction: Extraction = {},
): Promise<RunResult & { calls: readonly ScriptedCall[] }> {
	const service = await startScriptedService(answer);
	const credential = { ...service.hosts, ...extraction.credential };
	const result = await bed().extract({ num: 5, ...extraction, credential });
	return { ...result, calls: service.calls };
}

describe('an answer that is none', () => {
	it.each<[name: string, body: string, message: RegExp]>([
		['nothing', '', /is empty/],
		['a word', 'OK', /not a proxy address/],
		['cut JSON', '{"code":0,"data":{"proxy_list":["1.2.3.4:80"', /not valid JSON/],
		['JSON without a list', '{"code":0,"msg":"","data":{}}', /contains no list/],
		['cut XML', '<result><code>0</code><data><proxy_list><proxy>1.2.3.4:80', /not valid XML/],
		['a page', '<html><body>502</body></html>', /is a web page/],
		['bytes', '\u0000\u0001\ufffd', /not a proxy address/],
	])('%s is an error and no empty list', async (_name, body, message) => {
		const result = await withFault({ kind: 'raw', body });
		expectFailure(result, RegExp(`^Kuaidaili's response .*${message.source}`));
		expect(result.error?.description).not.toContain('The response began with');
		// What was cut on its way is asked for twice more
		const isBroken = /is empty|not valid/.test(message.source);
		expect(bed().extractions).toHaveLength(isBroken ? 3 : 1);
	});

	it('is none when JSON comes where a list was expected, and the other way round', async () => {
		const json = await withFault({ kind: 'raw', body: '1.2.3.4:80\r\n1.2.3.5:81\r\n' });
		expect(json.items.map((item) => item.json.address)).toEqual(['1.2.3.4:80', '1.2.3.5:81']);
		bed().sandbox.faults.clear();
		const { body } = list(['1.2.3.6:82']);
		const text = await withFault(
			{ kind: 'raw', body: String(body) },
			{ options: { format: 'text' } },
		);
		expect(text.items.map((item) => item.json.address)).toEqual(['1.2.3.6:82']);
	});
});

describe('an answer in another dress', () => {
	it('is read when it is compressed', async () => {
		const { body } = list(addresses(0, 5));
		const { items, calls, error } = await answered(() => ({
			headers: { 'content-encoding': 'gzip' },
			body: gzipSync(body),
		}));
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.address)).toEqual(addresses(0, 5));
		expect(calls[0].headers['accept-encoding']).toContain('gzip');
	});
});

describe('a credential', () => {
	it.each<[problem: string, changes: ICredentialDataDecryptedObject, description: string]>([
		['an empty Secret ID', { secretId: '  ' }, "'Secret ID' in the credential is empty."],
		[
			'an unknown Sign Type',
			{ signType: 'simple' },
			"'Sign Type' in the credential must be one of: hmacsha1, token.",
		],
		[
			'an unknown Key Type',
			{ keyType: 'team' },
			"'Key Type' in the credential must be one of: account, order.",
		],
		[
			'plain http to another machine',
			{ dpsUrl: 'http://dps.kdlapi.com' },
			"'Private Proxy URL' in the credential cannot be used: it must begin with https://",
		],
	])('with %s is refused before anything is sent', async (_problem, credential, description) => {
		const { error, status } = await bed().extract({ credential });
		expect(status).toBe('error');
		expect(error?.message).toBe('The credential cannot be used');
		expect(error?.description).toContain(description);
		expect(bed().extractions).toEqual([]);
	});
});

/** An operation whose answer holds no login, so that errors may quote it. */
const OWN_IP = { resource: 'whitelist', operation: 'getOwnIp' };

it('an answer that repeats the address does not bring the signature into the error', async () => {
	const service = await startScriptedService(({ url }) => ({ status: 502, body: `for ${url}` }));
	const credentialId = bed().addCredential(bed().newOrder().keys, service.hosts);
	const { error } = await bed().engine.run({ credentialId, parameters: OWN_IP });
	const { signature } = service.calls[0].parameters;
	expect(error?.description).toContain('for /api/getmyip');
	expect(error?.description).not.toContain(signature);
	expect(error?.description).not.toContain(encodeURIComponent(signature));
});

it('a key with a quote is hidden in data that is shown', async () => {
	const secretKey = 'quo"ted\\key';
	const service = await startScriptedService(() => ({
		body: JSON.stringify({ code: 0, data: { secretKey } }),
	}));
	const credentialId = bed().addCredential(bed().newOrder().keys, { ...service.hosts, secretKey });
	const { error } = await bed().engine.run({ credentialId, parameters: OWN_IP });
	expect(error?.description).toContain('[hidden]');
	expect(error?.description).not.toContain('ted');
});

/*
 * HTTPS_PROXY of the machine that n8n runs on, on the way to the real hosts of the service: the first
 * thing that a request does is to ask the proxy for a connection, and no further does any get here.
 */

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
	const credentialId = bed().engine.addCredential({
		...uniqueKeys(),
		keyType,
		signType: 'hmacsha1',
		customHosts: false,
	});
	const { error } = await bed().engine.run({ credentialId, parameters });
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
	it('a proxy that does not listen may be the reason', async () => {
		const closed = await withProxy(
			() => undefined,
			async (proxy) => proxy,
		);
		const { message, description } = await runBehind(closed, EXTRACTION);
		expect(message).toContain('svip.kdlapi.com refused the connection');
		expect(description).toContain('HTTPS_PROXY');
	});

	it('a read is sent again where the proxy closes before it is connected', async () => {
		await withProxy(
			(connection) => connection.end(),
			async (proxy, hosts) => {
				const { message, description } = await runBehind(proxy, EXTRACTION);
				expect(message).toContain('No connection to svip.kdlapi.com could be made');
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
				expect(message).toContain('No connection to dev.kdlapi.com could be made');
				expect(description).toContain('nothing was bought for this item');
				expect(new Set(hosts)).toEqual(new Set(['dev.kdlapi.com:443']));
			},
		);
	});
});

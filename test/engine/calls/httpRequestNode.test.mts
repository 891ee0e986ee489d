import { createServer, type IncomingMessage } from 'node:http';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { credentialData } from '../../../harness/credentials.mts';
import { uniqueKeys } from '../../uniqueName.mts';
import { listenAsService } from '../support/listenAsService.mts';
import { useTestBed } from '../support/testBed.mts';

/*
 * Requests that n8n signs with the credential, but that the node doesn't send: those of the HTTP Request
 * node, which go through n8n's older helper, and those of other nodes, which go through the newer one.
 */
const bed = useTestBed();

const EXPIRY = '/api/getorderexpiretime';
const REDIRECTS = [301, 302, 303, 307, 308] as const;
const METHODS = ['GET', 'POST'] as const;
const SIGN_TYPES = ['hmacsha1', 'token'] as const;

interface Sent {
	readonly method: (typeof METHODS)[number];
	readonly url: string;
	readonly fields?: IDataObject;
}

type Send = (context: IExecuteFunctions, request: Sent) => Promise<unknown>;

const HELPERS: Readonly<Record<string, Send>> = {
	'the HTTP Request node': async (context, { method, url, fields }) =>
		await context.helpers.requestWithAuthentication.call(
			context,
			'kuaidailiApi',
			{
				method,
				uri: url,
				form: fields,
				// As version 4.2 of the node asks when nothing is set in its options
				gzip: true,
				rejectUnauthorized: true,
				followRedirect: true,
				followAllRedirects: true,
				maxRedirects: undefined,
				sendCredentialsOnCrossOriginRedirect: true,
				resolveWithFullResponse: true,
				json: false,
				encoding: null,
			},
			undefined,
			0,
		),
	'another node': async (context, { method, url, fields }) =>
		await context.helpers.httpRequestWithAuthentication.call(context, 'kuaidailiApi', {
			method,
			url,
			body: fields,
			headers: fields && { 'content-type': 'application/x-www-form-urlencoded' },
			maxRedirects: 5,
			sendCredentialsOnCrossOriginRedirect: true,
			returnFullResponse: true,
		}),
};

/** What came back, or the error. */
async function send(credentialId: string, helper: string, request: Sent): Promise<unknown> {
	let result: unknown;
	await bed().engine.run({
		credentialId,
		parameters: {},
		async agent(context) {
			result = await HELPERS[helper](context, request).catch((error: unknown) => error);
		},
	});
	return result;
}

async function textOf(request: IncomingMessage): Promise<string> {
	let text = '';
	for await (const part of request) text += String(part);
	return `${request.url} ${text}`;
}

/** A server that notes what comes to it. */
async function startServer(status = 200, location?: string) {
	const received: string[] = [];
	const server = createServer((request, response) => {
		void textOf(request).then((text) => {
			received.push(text);
			response.writeHead(status, location === undefined ? {} : { location }).end('{"code":0}');
		});
	});
	return { received, ...(await listenAsService(server)) };
}

describe.each(Object.keys(HELPERS))('a request of %s', (helper) => {
	it.each(REDIRECTS.flatMap((status) => METHODS.map((method) => [status, method] as const)))(
		'does not follow a %d after %s to another host',
		async (status, method) => {
			const foreign = await startServer();
			const service = await startServer(status, `${foreign.hosts.baseUrl}/collect`);
			const data = credentialData(service.hosts, uniqueKeys(), 'order');
			const result = await send(bed().engine.addCredential(data), helper, {
				method,
				url: `${service.hosts.baseUrl}${EXPIRY}`,
				...(method === 'POST' && { fields: { num: '1' } }),
			});
			expect(service.received).toEqual([expect.stringContaining('signature=')]);
			expect(foreign.received).toEqual([]);
			expect(result).toBeInstanceOf(Error);
		},
	);

	it.each(METHODS)('that fails after %s leaves no signature in what n8n saves', async (method) => {
		const service = await startServer(500);
		const keys = uniqueKeys();
		const data = credentialData(service.hosts, keys, 'order');
		const error = await send(bed().engine.addCredential(data), helper, {
			method,
			url: `${service.hosts.baseUrl}${EXPIRY}`,
			...(method === 'POST' && { fields: { num: '1' } }),
		});
		expect(error).toBeInstanceOf(Error);
		const sent = new URLSearchParams(service.received[0].replace(/^.*?[? ]/, '').trim());
		expect(sent.get('signature')).toMatch(/=$/);
		const saved = JSON.stringify(error);
		for (const text of ['signature', sent.get('signature') ?? '', keys.secretKey]) {
			expect(saved).not.toContain(text);
			expect(saved).not.toContain(encodeURIComponent(text));
		}
	});

	it('gets no signature for a server on this machine that the credential does not name', async () => {
		const local = await startServer();
		const { secretId, secretKey } = uniqueKeys();
		for (const signType of SIGN_TYPES) {
			const data = { keyType: 'order', secretId, secretKey, signType };
			const result = await send(bed().engine.addCredential(data), helper, {
				method: 'GET',
				url: `${local.hosts.baseUrl}/webhook/echo`,
			});
			expect(String(result)).toContain(`is not sent to ${local.hosts.baseUrl}`);
		}
		expect(local.received).toEqual([]);
	});

	it('succeeds with sign type Token after the service forgot the token', async () => {
		const { keys } = bed().newOrder();
		const credentialId = bed().addCredential(keys, { signType: 'token' });
		expect((await bed().extract({ credentialId })).error).toBeUndefined();
		bed().sandbox.tokens.expireAll(keys.secretId);
		await send(credentialId, helper, {
			method: 'GET',
			url: `${bed().sandbox.hosts.baseUrl}${EXPIRY}`,
		});
		expect(bed().sandbox.log.last(EXPIRY)).toMatchObject({
			code: 0,
			parameters: { sign_type: 'hmacsha1' },
		});
	});

	it('sends a parameter once that is in the query and in the body', async () => {
		const { keys } = bed().newOrder();
		const credentialId = bed().addCredential(keys);
		const url = `${bed().sandbox.hosts.baseUrl}${EXPIRY}?format=json`;
		await send(credentialId, helper, { method: 'POST', url, fields: { format: 'json' } });
		expect(bed().sandbox.log.last(EXPIRY)).toMatchObject({ code: 0, method: 'POST' });

		const calls = bed().sandbox.log.count(EXPIRY);
		const result = await send(credentialId, helper, {
			method: 'POST',
			url,
			fields: { format: 'text' },
		});
		expect(String(result)).toContain("'format' has one value in the query and another one");
		expect(bed().sandbox.log.count(EXPIRY)).toBe(calls);
	});
});

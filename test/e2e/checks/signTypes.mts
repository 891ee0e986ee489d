import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { ORDER_KEY, ORDER_TOKEN, useCredential } from '../../../harness/credentials.mts';
import { at, readString } from '../../../harness/outsideData.mts';
import { itemsOf } from '../../../harness/realN8n/index.mts';
import { runTrial, type NewNode } from '../../../harness/realN8n/workflows.mts';
import type { E2eSession } from '../session.mts';

const SIGN_TYPES = [
	{ signType: 'hmacsha1', credential: ORDER_KEY },
	{ signType: 'token', credential: ORDER_TOKEN },
];

export const EXPIRY_PATH = '/api/getorderexpiretime';

export function httpRequest(
	baseUrl: string,
	credentials: NewNode['credentials'],
	parameters: NewNode['parameters'] = {},
): NewNode {
	return {
		name: 'HTTP Request',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: {
			url: `${baseUrl}${EXPIRY_PATH}`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'kuaidailiApi',
			options: {},
			...parameters,
		},
		credentials,
	};
}

const FORM = {
	method: 'POST',
	sendBody: true,
	contentType: 'form-urlencoded',
	bodyParameters: { parameters: [{ name: 'num', value: '1' }] },
};

/** A server that is none of the service's. */
async function startForeignServer() {
	let requests = 0;
	const server = createServer((_request, response) => {
		requests += 1;
		response.end('{}');
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		requests: () => requests,
		close: () => server.close(),
	};
}

/** The node and n8n's HTTP Request node, with both ways to prove who asks; the latter always signs. */
export const signTypes: CheckGroup<E2eSession> = {
	name: 'Sign types',
	async run({ n8n, sandbox: { faults, hosts, log } }, check) {
		for (const { signType, credential } of SIGN_TYPES) {
			const credentials = useCredential(credential);
			await check(`HTTP Request calls Kuaidaili with the credential (${signType})`, async () => {
				const run = await runTrial(n8n, httpRequest(hosts.baseUrl, credentials));
				const answer = at(itemsOf(run, 'HTTP Request'), 0, 'json');
				expectEqual(at(answer, 'code'), 0, 'the code of Kuaidaili');
				const expires = readString(answer, 'data', 'expire_time');
				expect(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(expires), `'expire_time' is '${expires}'`);
				const request = log.last(EXPIRY_PATH);
				expectEqual(request?.parameters.sign_type, 'hmacsha1', "the parameter 'sign_type'");
			});
		}
		await check('HTTP Request gives another server neither signature nor token', async () => {
			const foreign = await startForeignServer();
			try {
				faults.add({
					kind: 'status',
					status: 307,
					location: foreign.url,
					path: EXPIRY_PATH,
					times: 1,
				});
				for (const url of [hosts.baseUrl, foreign.url]) {
					const node = httpRequest(url, useCredential(ORDER_KEY), FORM);
					expectEqual((await runTrial(n8n, node)).status, 'error', `what ${url} led to`);
				}
				expectEqual(foreign.requests(), 0, 'the number of requests to the other server');
			} finally {
				foreign.close();
			}
		});
	},
};

import type { CheckGroup } from '../../../harness/checks/checkGroup.mts';
import { expect, expectEqual } from '../../../harness/checks/expectations.mts';
import { ORDER_KEY, ORDER_TOKEN, useCredential } from '../../../harness/credentials.mts';
import { at, readString } from '../../../harness/outsideData.mts';
import { itemsOf } from '../../../harness/realN8n/index.mts';
import { runTrial } from '../../../harness/realN8n/trialWorkflow.mts';
import type { E2eSession } from '../session.mts';

const SIGN_TYPES = [
	{ signType: 'hmacsha1', credential: ORDER_KEY },
	{ signType: 'token', credential: ORDER_TOKEN },
];

const TOKEN_PATH = '/api/get_secret_token';

/** The node and n8n's HTTP Request node, with both ways to prove who asks. */
export const signTypes: CheckGroup<E2eSession> = {
	name: 'Sign types',
	async run({ n8n, sandbox: { hosts, log } }, check) {
		const before = log.count(TOKEN_PATH);
		for (const { signType, credential } of SIGN_TYPES) {
			const credentials = useCredential(credential);
			await check(`HTTP Request calls the service with the credential (${signType})`, async () => {
				const run = await runTrial(n8n, {
					name: 'HTTP Request',
					type: 'n8n-nodes-base.httpRequest',
					typeVersion: 4.2,
					parameters: {
						url: `${hosts.baseUrl}/api/getorderexpiretime`,
						authentication: 'predefinedCredentialType',
						nodeCredentialType: 'kuaidailiApi',
						options: {},
					},
					credentials,
				});
				const answer = at(itemsOf(run, 'HTTP Request'), 0, 'json');
				expectEqual(at(answer, 'code'), 0, 'the code of the service');
				const expires = readString(answer, 'data', 'expire_time');
				expect(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(expires), `'expire_time' is '${expires}'`);
				const request = log.last('/api/getorderexpiretime');
				expectEqual(request?.parameters.sign_type, signType, "the parameter 'sign_type'");
			});
			await check(`The node extracts proxies (${signType})`, async () => {
				const run = await runTrial(n8n, {
					name: 'Kuaidaili',
					type: 'n8n-nodes-kuaidaili.kuaidaili',
					typeVersion: 1,
					parameters: { resource: 'proxy', operation: 'extract', plan: 'vip', num: 3 },
					credentials,
				});
				expectEqual(itemsOf(run, 'Kuaidaili').length, 3, 'the number of proxies');
				const request = log.last('/api/getproxy');
				expectEqual(request?.parameters.sign_type, signType, "the parameter 'sign_type'");
			});
		}
		await check('Both nodes together fetched one token', () => {
			expectEqual(log.count(TOKEN_PATH) - before, 1, 'the number of fetched tokens');
		});
	},
};

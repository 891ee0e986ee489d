import { ORDER_KEY, useCredential } from '../../harness/credentials.mts';
import { at, readString } from '../../harness/outsideData.mts';
import { itemsOf } from '../../harness/realN8n/index.mts';
import type { CheckGroup } from '../../harness/checks/checkGroup.mts';
import { expect, expectEqual } from '../../harness/checks/expectations.mts';
import { runTrial } from '../../harness/realN8n/trialWorkflow.mts';
import type { Session } from '../session.mts';

/** For the endpoints of the service that the node does not cover. */
export const httpRequestCredential: CheckGroup<Session> = {
	name: 'HTTP Request with the credential',
	async run(session, check) {
		const { sandbox } = session;
		await check('HTTP Request calls the service with the credential', async () => {
			const run = await runTrial(session.n8n, {
				name: 'HTTP Request',
				type: 'n8n-nodes-base.httpRequest',
				typeVersion: 4.2,
				parameters: {
					url: `${sandbox.hosts.baseUrl}/api/getorderexpiretime`,
					authentication: 'predefinedCredentialType',
					nodeCredentialType: 'kuaidailiApi',
					options: {},
				},
				credentials: useCredential(ORDER_KEY),
			});
			const answer = at(itemsOf(run, 'HTTP Request'), 0, 'json');
			expectEqual(at(answer, 'code'), 0, 'the code of the service');
			const expires = readString(answer, 'data', 'expire_time');
			expect(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(expires), `'expire_time' is '${expires}'`);
		});
	},
};

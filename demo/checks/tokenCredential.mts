import { ORDER_TOKEN, useCredential } from '../../harness/credentials.mts';
import { itemsOf } from '../../harness/realN8n/index.mts';
import type { CheckGroup } from '../../harness/checks/checkGroup.mts';
import { expectEqual } from '../../harness/checks/expectations.mts';
import { expectProxyItem } from './proxyItems.mts';
import { runTrial } from '../../harness/realN8n/trialWorkflow.mts';
import type { Session } from '../session.mts';

const COUNT = 5;

export const tokenCredential: CheckGroup<Session> = {
	name: 'Credential in token mode',
	async run(session, check) {
		const extract = async () =>
			await runTrial(session.n8n, {
				name: 'Kuaidaili',
				type: 'n8n-nodes-kuaidaili.kuaidaili',
				typeVersion: 1,
				parameters: { resource: 'proxy', operation: 'extract', plan: 'vip', num: COUNT },
				credentials: useCredential(ORDER_TOKEN),
			});

		await check(`Extract gives ${COUNT} items with a credential in token mode`, async () => {
			const items = itemsOf(await extract(), 'Kuaidaili');
			expectEqual(items.length, COUNT, 'the number of items');
			items.forEach(expectProxyItem);
			const request = session.sandbox.log.last('/api/getproxy');
			expectEqual(request?.parameters.sign_type, 'token', 'the sign_type of the request');
		});
		await check('A second run uses the same token instead of fetching another', async () => {
			const fetched = session.sandbox.log.count('/api/get_secret_token');
			itemsOf(await extract(), 'Kuaidaili');
			expectEqual(
				session.sandbox.log.count('/api/get_secret_token'),
				fetched,
				'the number of fetched tokens',
			);
		});
	},
};

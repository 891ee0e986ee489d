import { ACCOUNT_KEY, ORDER_KEY, ORDER_TOKEN } from '../../harness/credentials.mts';
import { at, excerpt } from '../../harness/outsideData.mts';
import { EXAMPLES, readExample } from '../examples.mts';
import { type CheckGroup, expect } from '../../harness/checks/checks.mts';
import type { Session } from '../session.mts';

/** What a new user finds in n8n. */
export const importedWorkflows: CheckGroup<Session> = {
	name: 'Imported workflows',
	async run({ n8n }, check) {
		await check('The owner sees the imported credentials and workflows', async () => {
			const credentials = await n8n.listCredentialNames();
			for (const { name } of [ORDER_KEY, ACCOUNT_KEY, ORDER_TOKEN]) {
				expectIncludes(credentials, name, 'credentials');
			}
			const workflows = await n8n.listWorkflowNames();
			for (const example of EXAMPLES) {
				expectIncludes(workflows, at(await readExample(example), 'name'), 'workflows');
			}
		});
	},
};

function expectIncludes(list: readonly unknown[], wanted: unknown, what: string): void {
	expect(list.includes(wanted), `${excerpt(wanted)} is not among the ${what}`);
}

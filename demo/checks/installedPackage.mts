import { ACCOUNT_KEY, ORDER_KEY, ORDER_TOKEN } from '../../harness/credentials.mts';
import { at, excerpt } from '../../harness/outsideData.mts';
import { EXAMPLES, readExample } from '../examples.mts';
import type { CheckGroup } from '../../harness/checks/checkGroup.mts';
import { expect } from '../../harness/checks/expectations.mts';
import type { Session } from '../session.mts';

/** What the editor offers after the package was installed. */
export const installedPackage: CheckGroup<Session> = {
	name: 'Installed package',
	async run({ n8n }, check) {
		await check('n8n offers the node, also in its variant as a tool, and the trigger', async () => {
			const names = (await n8n.nodeTypes()).map((type) => at(type, 'name'));
			for (const name of ['kuaidaili', 'kuaidailiTool', 'kuaidailiTrigger']) {
				expectIncludes(names, `n8n-nodes-kuaidaili.${name}`, 'node types');
			}
		});
		await check('n8n offers the credential, also in the HTTP Request node', async () => {
			const type = (await n8n.credentialTypes()).find(
				(each) => at(each, 'name') === 'kuaidailiApi',
			);
			expect(type !== undefined, 'the credential type kuaidailiApi is missing');
			// This field decides whether the HTTP Request node lists a credential type.
			expect(at(type, 'authenticate') !== undefined, "the type is served without 'authenticate'");
		});
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

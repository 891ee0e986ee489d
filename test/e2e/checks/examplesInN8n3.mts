import { type CheckGroup, expect } from '../../../harness/checks/checks.mts';
import { EXAMPLES, readExample, withCredential } from '../../../demo/examples.mts';
import { credentialOf } from '../keys.mts';
import type { E2eSession } from '../session.mts';

/** n8n 2.36 and later report what workflows lose in n8n 3. */
export const examplesInN8n3: CheckGroup<E2eSession> = {
	name: 'Examples in n8n 3',
	async run({ n8n }, check) {
		if (!(await n8n.reportsBreakingChanges('v3'))) return;
		const before = await n8n.breakingChanges('v3');
		for (const name of EXAMPLES) {
			await n8n.createWorkflow(withCredential(await readExample(name), credentialOf('account')));
		}
		await check("n8n's own report finds nothing in the examples that n8n 3 removes", async () => {
			const after = await n8n.breakingChanges('v3');
			const found = [...after].filter(([title, count]) => count > (before.get(title) ?? 0));
			expect(found.length === 0, found.map(([title]) => title).join('; '));
		});
	},
};

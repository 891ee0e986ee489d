import { isDeepStrictEqual } from 'node:util';
import { type CheckGroup, expect } from '../../../harness/checks/checks.mts';
import { savedSchemas } from '../../operations/outputSchemas.mts';
import type { E2eSession } from '../session.mts';

/** What the editor asks n8n for, to show the fields of an operation that has not run. */
export const outputSchemas: CheckGroup<E2eSession> = {
	name: 'Output schemas',
	async run({ n8n }, check) {
		await check('n8n serves the output schema of every operation', async () => {
			const schemas = await savedSchemas();
			expect(schemas.size > 0, 'there are none');
			for (const [name, text] of schemas) {
				const path = `schemas/n8n-nodes-kuaidaili.kuaidaili/1.0.0/${name}`;
				const { contentType, content } = await n8n.file(path);
				expect(contentType.startsWith('application/json'), `${name} is served as ${contentType}`);
				expect(isDeepStrictEqual(JSON.parse(content), JSON.parse(text)), `${name} differs`);
			}
		});
	},
};

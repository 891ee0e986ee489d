// Before n8n's engine is loaded
import '../engine/support/environment.mts';
import { OPERATIONS } from './index.mts';
import { outputSchemas, savedSchemas } from './outputSchemas.mts';

describe('the output schemas that n8n shows before an operation has run', () => {
	it('are there for each operation, and as "npm run docs" writes them', async () => {
		const saved = await savedSchemas();
		expect(Object.fromEntries(saved)).toEqual(Object.fromEntries(await outputSchemas()));
		const names = OPERATIONS.map(({ resource, operation }) => `${resource}/${operation}.json`);
		expect([...saved.keys()].sort()).toEqual(names.sort());
	});
});

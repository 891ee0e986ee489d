// Before n8n's engine is loaded
import '../engine/support/environment.mts';
import { outputSchemas, savedSchemas } from './outputSchemas.mts';

describe('the output schemas that n8n shows before an operation has run', () => {
	it('are as "npm run docs" writes them', async () => {
		const saved = await savedSchemas();
		expect(saved.size).toBeGreaterThan(20);
		expect(Object.fromEntries(saved)).toEqual(Object.fromEntries(await outputSchemas()));
	});
});

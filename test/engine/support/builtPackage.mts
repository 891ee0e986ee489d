import { loadBuiltPackage, type BuiltPackage } from '../../../harness/engine/builtPackage.mts';

export const builtPackage = loadBuiltPackage();

/** Loaded anew, with nothing in memory: what a second process of n8n, such as a queue worker, has. */
export function loadForAnotherProcess(): BuiltPackage {
	const workflow: unknown = require('n8n-workflow');
	let loaded = builtPackage;
	jest.isolateModules(() => {
		// In a process there is one copy only, for n8n itself and for the package
		jest.doMock('n8n-workflow', () => workflow);
		loaded = loadBuiltPackage();
		jest.dontMock('n8n-workflow');
	});
	return loaded;
}

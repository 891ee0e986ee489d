import type * as credentialModule from '../../credentials/KuaidailiApi.credentials.ts';
import type * as nodeModule from '../../nodes/Kuaidaili/Kuaidaili.node.ts';
import type * as triggerModule from '../../nodes/KuaidailiTrigger/KuaidailiTrigger.node.ts';

/*
 * The built files, as they are published: what a test of the engine proves must hold for those. They
 * carry no types, so the types come from their sources.
 */
export type BuiltPackage = Pick<typeof credentialModule, 'KuaidailiApi'> &
	Pick<typeof nodeModule, 'Kuaidaili'> &
	Pick<typeof triggerModule, 'KuaidailiTrigger'>;

function load(): BuiltPackage {
	const credential: typeof credentialModule = require('../../dist/credentials/KuaidailiApi.credentials.js');
	const node: typeof nodeModule = require('../../dist/nodes/Kuaidaili/Kuaidaili.node.js');
	const trigger: typeof triggerModule = require('../../dist/nodes/KuaidailiTrigger/KuaidailiTrigger.node.js');
	return {
		KuaidailiApi: credential.KuaidailiApi,
		Kuaidaili: node.Kuaidaili,
		KuaidailiTrigger: trigger.KuaidailiTrigger,
	};
}

export const builtPackage = load();

/** Loaded anew, with nothing in memory: what a second process of n8n, such as a queue worker, has. */
export function loadForAnotherProcess(): BuiltPackage {
	const workflow: unknown = require('n8n-workflow');
	let loaded = builtPackage;
	jest.isolateModules(() => {
		// In a process there is one copy only, for n8n itself and for the package
		jest.doMock('n8n-workflow', () => workflow);
		loaded = load();
		jest.dontMock('n8n-workflow');
	});
	return loaded;
}

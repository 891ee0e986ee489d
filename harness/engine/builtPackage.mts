import { createRequire } from 'node:module';

import type * as credentialModule from '../../credentials/KuaidailiApi.credentials.ts';
import type * as nodeModule from '../../nodes/Kuaidaili/Kuaidaili.node.ts';
import type * as triggerModule from '../../nodes/KuaidailiTrigger/KuaidailiTrigger.node.ts';

/*
 * The built files, as they are published: what is proved or measured must hold for those. They carry
 * no types, so the types come from their sources.
 */
export type BuiltPackage = Pick<typeof credentialModule, 'KuaidailiApi'> &
	Pick<typeof nodeModule, 'Kuaidaili'> &
	Pick<typeof triggerModule, 'KuaidailiTrigger'>;

const require = createRequire(import.meta.url);

export function loadBuiltPackage(): BuiltPackage {
	const credential: typeof credentialModule = require('../../dist/credentials/KuaidailiApi.credentials.js');
	const node: typeof nodeModule = require('../../dist/nodes/Kuaidaili/Kuaidaili.node.js');
	const trigger: typeof triggerModule = require('../../dist/nodes/KuaidailiTrigger/KuaidailiTrigger.node.js');
	return {
		KuaidailiApi: credential.KuaidailiApi,
		Kuaidaili: node.Kuaidaili,
		KuaidailiTrigger: trigger.KuaidailiTrigger,
	};
}

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
const DIST = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'dist');

/** @param load what loads a file; `require` by itself */
export function loadBuiltPackage(
	load: (file: string) => ReturnType<typeof require> = require,
): BuiltPackage {
	const credential: typeof credentialModule = load(
		join(DIST, 'credentials/KuaidailiApi.credentials.js'),
	);
	const node: typeof nodeModule = load(join(DIST, 'nodes/Kuaidaili/Kuaidaili.node.js'));
	const trigger: typeof triggerModule = load(
		join(DIST, 'nodes/KuaidailiTrigger/KuaidailiTrigger.node.js'),
	);
	return {
		KuaidailiApi: credential.KuaidailiApi,
		Kuaidaili: node.Kuaidaili,
		KuaidailiTrigger: trigger.KuaidailiTrigger,
	};
}

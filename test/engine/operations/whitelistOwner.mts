import type { IDataObject } from 'n8n-workflow';

import { World } from '../../operations/world.mts';
import type { RunSettings } from '../support/engine.mts';
import type { TestBed } from '../support/testBed.mts';

export const [OFFICE, HOME, SERVER] = ['123.35.67.46', '223.57.8.100', '58.251.132.181'];

export type WhitelistRun = Partial<Omit<RunSettings, 'parameters'>>;

/** Somebody with a private proxy order and its key pair in a credential. */
export function whitelistOwner(bed: TestBed) {
	const world = new World(bed.sandbox, 'order', 'dps');
	const credentialId = bed.addCredential(world.keys);
	return {
		order: world.theOrder,
		listed: () => [...bed.sandbox.whitelists.of(world.theOrder)].sort(),
		run: async (operation: string, fields: IDataObject, settings: WhitelistRun = {}) => {
			const startedAt = performance.now();
			const result = await bed.engine.run({
				credentialId,
				...settings,
				parameters: { resource: 'whitelist', operation, ...fields },
			});
			return { ...result, tookMs: performance.now() - startedAt };
		},
	};
}

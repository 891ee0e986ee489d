import type { IDataObject } from 'n8n-workflow';

import { World, type OrderKind } from '../../operations/world.mts';
import type { RunSettings } from './engine.mts';
import { extractParameters } from './inOptions.mts';
import type { TestBed } from './testBed.mts';

/** Somebody with an order of that kind and a credential with its key pair. */
export function productOwner(bed: TestBed, kind: OrderKind) {
	const world = new World(bed.sandbox, 'order', kind);
	const credentialId = bed.addCredential(world.keys);
	/** Runs "Proxy: Extract". */
	const run = async (fields: IDataObject, settings: Partial<RunSettings> = {}) =>
		await bed.engine.run({
			...settings,
			credentialId,
			parameters: {
				...{ resource: 'proxy', operation: 'extract', product: 'OPS' },
				...extractParameters(fields),
			},
		});
	/** How many proxies the order has handed out. */
	const used = () => bed.sandbox.extractions.total({ orderId: world.theOrder.orderId });
	const paths = () => world.requests.map(({ path }) => path);
	return { world, run, used, paths, order: world.theOrder };
}

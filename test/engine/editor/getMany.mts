import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import type { RunResult, RunSettings } from '../support/engine.mts';
import { orderKeys, type OrderKind } from '../support/orderKeys.mts';
import { ownParameters } from '../support/ownParameters.mts';
import { useTestBed } from '../support/testBed.mts';

export const bed = useTestBed();

export const PATHS = {
	city: '/api/querykpscity',
	area: '/api/querysfpsarea',
	privateProxyResource: '/api/dpsresources',
} as const;
export type ResourceName = keyof typeof PATHS;

export const USUAL_ORDER: Readonly<Record<ResourceName, OrderKind>> = {
	city: 'dedicated-proxy',
	area: 'overseas static',
	privateProxyResource: 'private-proxy',
};

export function orderCredential(kind: OrderKind, changes?: ICredentialDataDecryptedObject): string {
	return bed().addCredential(orderKeys(bed(), kind), changes);
}

/** Runs "Get Many", with an order of the fitting kind unless a credential is given. */
export async function getMany(
	resource: ResourceName,
	fields: IDataObject = {},
	settings: Partial<RunSettings> = {},
): Promise<RunResult> {
	return await bed().engine.run({
		credentialId: settings.credentialId ?? orderCredential(USUAL_ORDER[resource]),
		...settings,
		parameters: { resource, operation: 'getAll', ...fields },
	});
}

export const ALL = { returnAll: true };

/** What arrived at the service. */
export function sent(resource: ResourceName) {
	return bed().sandbox.log.entries(PATHS[resource]).map(ownParameters);
}

export function records({ error, items }: RunResult): IDataObject[] {
	expect(error).toBeUndefined();
	return items.map(({ json }) => json);
}

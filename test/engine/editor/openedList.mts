import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import { orderKeys, type OrderKind } from '../support/orderKeys.mts';
import { ownParameters } from '../support/ownParameters.mts';
import { useTestBed } from '../support/testBed.mts';

export const CITIES = '/api/querykpscity';
export const AREAS = '/api/dpsresources';

export const bed = useTestBed();

export const LIST_OF_CITIES = { resource: 'city', operation: 'getAll' };
const ORDER = { resource: 'order', operation: 'create', product: 'KPS', payType: 'PRE_PAY' };
export const SHARED_ORDER = { ...ORDER, kpsSerie: 1, kpsModel: 'STA', kpsMaxBandwidth: 1 };
export const LIST_OF_RESOURCES = { resource: 'privateProxyResource', operation: 'getAll' };

/** Somebody with keys of their own who fills in the node in the editor. */
export class Editor {
	constructor(readonly credentialId: string) {}

	static ofAccount(changes?: ICredentialDataDecryptedObject): Editor {
		const { keys } = bed().newAccount();
		return new Editor(bed().addCredential(keys, { keyType: 'account', ...changes }));
	}

	static ofOrder(kind: OrderKind, changes?: ICredentialDataDecryptedObject): Editor {
		return new Editor(bed().addCredential(orderKeys(bed(), kind), changes));
	}

	/** With a key pair that the list can be had with. */
	static for(path: string, changes?: ICredentialDataDecryptedObject): Editor {
		return path === AREAS ? Editor.ofOrder('private-proxy', changes) : Editor.ofAccount(changes);
	}

	private async open(field: string, parameters: IDataObject, filter?: string) {
		const { credentialId } = this;
		return await bed().engine.searchList({ field, parameters, credentialId, filter });
	}

	/** Labels and values, as they are shown. */
	async list(field: string, parameters: IDataObject, filter?: string) {
		const { results, paginationToken } = await this.open(field, parameters, filter);
		expect(paginationToken).toBeUndefined();
		return results.map(({ name, value }) => ({ name, value }));
	}

	async values(field: string, parameters: IDataObject, filter?: string) {
		return (await this.list(field, parameters, filter)).map(({ value }) => value);
	}

	async failure(field: string, parameters: IDataObject): Promise<Error> {
		const outcome: unknown = await this.open(field, parameters).catch((error: unknown) => error);
		if (outcome instanceof Error) return outcome;
		throw new Error(`It did not fail: ${JSON.stringify(outcome)}`);
	}
}

/** What arrived at the service. */
export function asked(path: string) {
	return bed().sandbox.log.entries(path).map(ownParameters);
}

beforeAll(() => {
	const { stock, privateStock } = bed().sandbox;
	for (const city of stock) {
		if (city.code.startsWith('33')) city.sharedMegabits = 0;
		if (city.code === '3301') Object.assign(city, { sharedMegabits: 12, hasExclusive: true });
		if (city.code === '3302') Object.assign(city, { sharedMegabits: 3, hasExclusive: false });
		if (city.code === '6101') city.sharedMegabits = 9;
		if (city.code === '6501') city.sharedMegabits = 2;
		if (city.code === '11') city.sharedMegabits = 1234;
	}
	for (const code of privateStock.keys()) {
		if (code.startsWith('33')) privateStock.set(code, []);
	}
	privateStock.set('3301', [1, 2]).set('11', [2]);
});

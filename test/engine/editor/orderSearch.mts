import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import { ORDER_LIST, Owner } from '../support/owner.mts';
import { ownParameters } from '../support/ownParameters.mts';
import { useTestBed } from '../support/testBed.mts';

export const bed = useTestBed();

const FIELD = 'orderid';
/** It can use every order. */
const ANY_ORDER = { resource: 'order', operation: 'get' };

export function owner(changes?: ICredentialDataDecryptedObject): Owner {
	return new Owner(bed(), {}, changes);
}

export async function open(
	{ credentialId }: Pick<Owner, 'credentialId'>,
	filter?: string,
	parameters: IDataObject = ANY_ORDER,
) {
	const list = await bed().engine.searchList({ field: FIELD, parameters, credentialId, filter });
	expect(list.paginationToken).toBeUndefined();
	return list.results.map(({ name, value }) => ({ name, value }));
}

export async function values(...search: Parameters<typeof open>) {
	return (await open(...search)).map(({ value }) => value);
}

export async function failure(...search: Parameters<typeof open>): Promise<Error> {
	const outcome: unknown = await open(...search).catch((error: unknown) => error);
	if (outcome instanceof Error) return outcome;
	throw new Error(`It did not fail: ${JSON.stringify(outcome)}`);
}

/** What arrived at the service. */
export function asked() {
	return bed().sandbox.log.entries(ORDER_LIST).map(ownParameters);
}

/** One order of each sort that the names differ by. */
export function withOrders(changes?: ICredentialDataDecryptedObject) {
	const me = owner(changes);
	const orders = {
		metered: me.meteredTunnel(),
		tunnel: me.tunnel({ expiresAt: new Date('2031-06-18T04:01:43Z') }),
		perIp: me.privateProxy({ payType: 'PRE_PAY_IP', expiresAt: new Date('2031-05-31T16:00:00Z') }),
		open: me.openProxy({ expiresAt: new Date('2032-01-01T00:00:00Z') }),
	};
	const id = (name: keyof typeof orders) => orders[name].orderId;
	return { me, orders, id };
}

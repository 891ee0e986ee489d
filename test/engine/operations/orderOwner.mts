import type { IDataObject } from 'n8n-workflow';

import type { Account, Fault, Order } from '../../../sandbox/sandbox.mts';
import { Owner } from '../support/owner.mts';
import { ownParameters } from '../support/ownParameters.mts';
import { useTestBed } from '../support/testBed.mts';

export const LIST = { resource: 'order', operation: 'getAll' };

// Its clock is moved here, and calls are signed by the clock of the machine
export const bed = useTestBed({ timestampToleranceSeconds: 10 * 365 * 24 * 3600 });

export function owner(settings: Partial<Account> = {}): Owner {
	return new Owner(bed(), settings);
}

/** What arrived at the service. */
export function sent(path: string) {
	return bed().sandbox.log.entries(path).map(ownParameters);
}

export function numbers(list: readonly IDataObject[]) {
	return list.map(({ orderid }) => orderid);
}

export function idsOf(orders: readonly Order[]): string[] {
	return orders.map(({ orderId }) => orderId);
}

/** A service that answers the call with this `data`. */
export function answering(path: string, data: unknown): Fault {
	return { kind: 'raw', path, body: JSON.stringify({ code: 0, msg: '', data }) };
}

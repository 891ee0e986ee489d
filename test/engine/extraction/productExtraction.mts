import type { OrderKind } from '../../operations/world.mts';
import { productOwner } from '../support/productOwner.mts';
import { useTestBed } from '../support/testBed.mts';

export const bed = useTestBed();

export const GET_DPS = '/api/getdps';

export const owner = (kind: OrderKind) => productOwner(bed(), kind);

export function loginOf({ order }: ReturnType<typeof owner>) {
	if (!('login' in order)) throw new Error('The order has no login');
	return order.login;
}

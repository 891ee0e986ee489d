import {
	newDedicatedProxyOrder,
	newOpenProxyOrder,
	newOverseasStaticProxyOrder,
	newPrivateProxyOrder,
	newTunnelProxyOrder,
	type Account,
	type KeyPair,
	type Order,
} from '../../../sandbox/sandbox.mts';
import { uniqueName, type TestBed } from './testBed.mts';

export type OrderKind =
	| 'open-proxy'
	| 'private-proxy'
	| 'dedicated-proxy'
	| 'exclusive dedicated-proxy'
	| 'dynamic dedicated-proxy'
	| 'tunnel-proxy'
	| 'overseas static';

type Make = (name: string, account: Account, now: Date) => Order;

const MAKE: Readonly<Record<OrderKind, Make>> = {
	'open-proxy': (...common) => newOpenProxyOrder(...common, { plan: 'VIP' }),
	'private-proxy': newPrivateProxyOrder,
	'dedicated-proxy': newDedicatedProxyOrder,
	'exclusive dedicated-proxy': (...common) =>
		newDedicatedProxyOrder(...common, { series: 'exclusive' }),
	'dynamic dedicated-proxy': (...common) => newDedicatedProxyOrder(...common, { model: 'DYN' }),
	'tunnel-proxy': newTunnelProxyOrder,
	'overseas static': newOverseasStaticProxyOrder,
};

/** Keys of their own for each test, so that none waits for the pace of another. */
export function orderKeys(bed: TestBed, kind: OrderKind): KeyPair {
	const { store, clock } = bed.sandbox;
	return store.addOrder(MAKE[kind](uniqueName('order'), bed.newAccount(), clock.now())).keys;
}

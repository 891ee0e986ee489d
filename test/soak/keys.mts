import {
	newOpenProxyOrder,
	newPrivateProxyOrder,
	type KeyPair,
	type Order,
	type Sandbox,
} from '../../sandbox/sandbox.mts';

/** Much shorter than the hour of the real service, so that a token ends while others wait for it. */
export const TOKEN_LIFE_S = 30;

const A_LOT_IN_FEN = 100_000_000_00;
const A_LOT_OF_IPS = 1_000_000;

/** Of the proxies of all orders: so short that many come and go. */
const PERIOD = 'M_1_5';

/** Paid per IP, so that the service counts each one. */
const perIp = { payType: 'PRE_PAY_IP', period: PERIOD, ipCount: A_LOT_OF_IPS } as const;

/** The orders of the lanes; those whose proxies are counted have one of their own. */
export const ORDER_NAMES = ['openSvip', 'dpsReused', 'dpsPages', 'dpsCrawled'] as const;

export type OrderName = (typeof ORDER_NAMES)[number];

/** Whose key pair a node works with. */
export type KeyName = OrderName | 'account';

/** The account of the sandbox, which pays for all. */
export interface SoakKeys {
	readonly account: KeyPair;
	readonly orders: Readonly<Record<OrderName, Order>>;
}

export function addSoakKeys({ keys, store, clock }: Sandbox): SoakKeys {
	const account = store.account(keys.account.secretId);
	account.balanceInFen = A_LOT_IN_FEN;
	const now = clock.now();
	const orders: Record<OrderName, Order> = {
		openSvip: newOpenProxyOrder('soak-open-svip', account, now, { plan: 'SVIP' }),
		dpsReused: newPrivateProxyOrder('soak-dps-reused', account, now, perIp),
		dpsPages: newPrivateProxyOrder('soak-dps-pages', account, now, perIp),
		dpsCrawled: newPrivateProxyOrder('soak-dps-crawled', account, now, perIp),
	};
	for (const order of Object.values(orders)) store.addOrder(order);
	return { account: account.keys, orders };
}

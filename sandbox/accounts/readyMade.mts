import { newAccount, type KeyPair } from './account.mts';
import {
	newDedicatedProxyOrder,
	newOpenProxyOrder,
	newOverseasProxyOrder,
	newOverseasStaticProxyOrder,
	newPrivateProxyOrder,
	newTunnelProxyOrder,
} from './newOrder.mts';
import type { Store } from './store.mts';

type OpenProxySettings = Parameters<typeof newOpenProxyOrder>[3];

const DAY_MS = 24 * 60 * 60 * 1000;

export type ReadyMadeKeys = Record<
	| 'account'
	| 'opsRegular'
	| 'opsVip'
	| 'opsSvip'
	| 'dps'
	| 'dpsPerIp'
	| 'kps'
	| 'kpsExclusive'
	| 'tps'
	| 'tpsPayAsUsed'
	| 'fps'
	| 'sfps'
	| 'opsExpired',
	KeyPair
>;

/** What is in the sandbox from the start, always with the same keys. */
export function addReadyMade(store: Store, now: Date): ReadyMadeKeys {
	const account = store.addAccount(newAccount('sandbox-account', { balanceInFen: 1000_00 }));
	const openProxyOrder = (name: string, settings: OpenProxySettings) =>
		store.addOrder(newOpenProxyOrder(`sandbox-order-${name}`, account, now, settings)).keys;
	const yesterday = new Date(now.getTime() - DAY_MS);

	return {
		account: account.keys,
		opsRegular: openProxyOrder('regular', { plan: 'regular' }),
		opsVip: openProxyOrder('vip', { plan: 'VIP' }),
		opsSvip: openProxyOrder('svip', { plan: 'SVIP' }),
		dps: store.addOrder(newPrivateProxyOrder('sandbox-order-dps', account, now)).keys,
		dpsPerIp: store.addOrder(
			newPrivateProxyOrder('sandbox-order-dps-per-ip', account, now, { payType: 'PRE_PAY_IP' }),
		).keys,
		kps: store.addOrder(newDedicatedProxyOrder('sandbox-order-kps', account, now)).keys,
		kpsExclusive: store.addOrder(
			newDedicatedProxyOrder('sandbox-order-kps-exclusive', account, now, { series: 'exclusive' }),
		).keys,
		tps: store.addOrder(newTunnelProxyOrder('sandbox-order-tps', account, now)).keys,
		tpsPayAsUsed: store.addOrder(
			newTunnelProxyOrder('sandbox-order-tps-pay-as-used', account, now, { payType: 'POST_PAY' }),
		).keys,
		fps: store.addOrder(newOverseasProxyOrder('sandbox-order-fps', account, now)).keys,
		sfps: store.addOrder(newOverseasStaticProxyOrder('sandbox-order-sfps', account, now)).keys,
		opsExpired: openProxyOrder('expired', { plan: 'VIP', expiresAt: yesterday }),
	};
}

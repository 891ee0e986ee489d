import { newAccount, type Account, type KeyPair } from './account.mts';
import {
	newDedicatedProxyOrder,
	newOpenProxyOrder,
	newOverseasProxyOrder,
	newOverseasStaticProxyOrder,
	newPrivateProxyOrder,
	newTopUp,
	newTunnelProProxyOrder,
	newTunnelProxyOrder,
} from './newOrder.mts';
import type { Order } from './order.mts';
import type { Store } from './store.mts';

const DAY_MS = 24 * 60 * 60 * 1000;

export type ReadyMadeKeys = ReturnType<typeof addReadyMade>;

/** What is in the sandbox from the start, always with the same keys. */
export function addReadyMade(store: Store, now: Date) {
	const account = store.addAccount(
		newAccount('sandbox-account', { balanceInFen: 1000_00, spentInFen: 100_00 }),
	);
	const yesterday = new Date(now.getTime() - DAY_MS);

	/** They are not new any more, so that a setting about new orders leaves them alone. */
	const add = <Settings,>(
		newOrder: (name: string, account: Account, now: Date, settings: Settings) => Order,
		name: string,
		settings: NoInfer<Settings>,
	): KeyPair => {
		const order = newOrder(`sandbox-order-${name}`, account, now, settings);
		order.createdAt = yesterday;
		return store.addOrder(order).keys;
	};

	return {
		account: account.keys,
		opsRegular: add(newOpenProxyOrder, 'regular', { plan: 'regular' }),
		opsVip: add(newOpenProxyOrder, 'vip', { plan: 'VIP' }),
		opsSvip: add(newOpenProxyOrder, 'svip', { plan: 'SVIP' }),
		dps: add(newPrivateProxyOrder, 'dps', {}),
		dpsEven: add(newPrivateProxyOrder, 'dps-even', {
			fetchType: 1,
			period: 'M_3_5',
			ipCount: 2500,
		}),
		dpsPerIp: add(newPrivateProxyOrder, 'dps-per-ip', { payType: 'PRE_PAY_IP' }),
		dpsProfessional: add(newPrivateProxyOrder, 'dps-professional', {
			payType: 'PRE_PAY_IP',
			period: 'M_7',
		}),
		kps: add(newDedicatedProxyOrder, 'kps', {}),
		kpsSeveral: add(newDedicatedProxyOrder, 'kps-several', { ipCount: 5 }),
		kpsDynamic: add(newDedicatedProxyOrder, 'kps-dynamic', { model: 'DYN', ipCount: 2 }),
		kpsExclusive: add(newDedicatedProxyOrder, 'kps-exclusive', { series: 'exclusive' }),
		tps: add(newTunnelProxyOrder, 'tps', {}),
		tpsPayAsUsed: add(newTunnelProxyOrder, 'tps-pay-as-used', { payType: 'POST_PAY' }),
		tpsMinute: add(newTunnelProxyOrder, 'tps-minute', { period: 60 }),
		tpsHour: add(newTunnelProxyOrder, 'tps-hour', { period: 3600 }),
		tpsChannels: add(newTunnelProxyOrder, 'tps-channels', { period: 60, channels: 4 }),
		tpsPro: add(newTunnelProProxyOrder, 'tps-pro', {}),
		fps: add(newOverseasProxyOrder, 'fps', {}),
		fpsMonthly: add(newOverseasProxyOrder, 'fps-monthly', { flowInGb: undefined }),
		sfps: add(newOverseasStaticProxyOrder, 'sfps', {}),
		sfpsPackage: add(newOverseasStaticProxyOrder, 'sfps-package', { series: 'package' }),
		topUp: add(newTopUp, 'top-up', {}),
		opsExpired: add(newOpenProxyOrder, 'expired', { plan: 'VIP', expiresAt: yesterday }),
	};
}

import type { Settings } from '../settings.mts';
import type { Account } from './account.mts';
import type {
	DedicatedProxyOrder,
	OpenProxyOrder,
	Order,
	OverseasProxyOrder,
	OverseasStaticProxyOrder,
	PrivateProxyOrder,
	TopUpOrder,
	TunnelProProxyOrder,
	TunnelProxyOrder,
} from './order.mts';
import type { Store } from './store.mts';

const DAY_MS = 24 * 60 * 60 * 1000;

// A number of its own for every order of a process.
let ordersSoFar = 0;

/**
 * Digits as the service uses them. Those with 16 are odd and beyond 2^53, so that no floating-point
 * number is equal to them.
 */
export function newOrderNumber(form: Settings['orderNumbers'] = '15 digits'): string {
	ordersSoFar += 1;
	const [first, step] =
		form === '15 digits' ? [900_000_000_000_000n, 1n] : [9_900_000_000_000_001n, 2n];
	return String(first + step * BigInt(ordersSoFar));
}

/** A paid order in force for 30 days. Its keys are made of the name and read as what they are: made up. */
function common(name: string, account: Account, now: Date, orderId = newOrderNumber()) {
	return {
		orderId,
		keys: { secretId: `${name}-id`, secretKey: `${name}-key` },
		account,
		payType: 'PRE_PAY' as const,
		status: 'VALID' as const,
		createdAt: now,
		expiresAt: new Date(now.getTime() + 30 * DAY_MS),
		autoRenewal: { enabled: false, unit: 'MONTH' as const },
	};
}

/** The same of an order whose proxies ask for a login. */
function commonWithLogin(name: string, account: Account, now: Date, orderId?: string) {
	return {
		...common(name, account, now, orderId),
		login: { username: `${name}-proxy-username`, password: `${name}-proxy-password` },
	};
}

export function newOpenProxyOrder(
	name: string,
	account: Account,
	now: Date,
	settings: Partial<OpenProxyOrder> & Pick<OpenProxyOrder, 'plan'>,
): OpenProxyOrder {
	return {
		...common(name, account, now, settings.orderId),
		product: 'OPS',
		...settings,
	};
}

export function newPrivateProxyOrder(
	name: string,
	account: Account,
	now: Date,
	settings: Partial<PrivateProxyOrder> = {},
): PrivateProxyOrder {
	const { ipCount = 1000 } = settings;
	const fetchType = settings.payType === 'PRE_PAY_IP' ? undefined : (settings.fetchType ?? 2);
	return {
		...commonWithLogin(name, account, now, settings.orderId),
		product: 'DPS',
		fetchType,
		period: 'M_1_5',
		ipCount,
		ipBalance: fetchType === 1 ? undefined : ipCount,
		extractedToday: 0,
		whiteipCount: 50,
		...settings,
	};
}

// The ids of all machines of a process differ.
let machinesSoFar = 49_993;

function newMachineId(): string {
	machinesSoFar += 1;
	return `lrps-${machinesSoFar}`;
}

export function newDedicatedProxyOrder(
	name: string,
	account: Account,
	now: Date,
	settings: Partial<DedicatedProxyOrder> = {},
): DedicatedProxyOrder {
	const { series = 'shared', ipCount = 1 } = settings;
	return {
		...commonWithLogin(name, account, now, settings.orderId),
		product: 'KPS',
		series,
		model: series === 'shared' ? 'STA' : undefined,
		city: '3301',
		maxBandwidth: 1,
		ipCount,
		machineIds: Array.from({ length: ipCount }, newMachineId),
		whiteipCount: 50,
		...settings,
	};
}

/** Where a tunnel is entered that leads nowhere. */
export const NOWHERE = 'tunnel.sandbox.invalid';

export function newTunnelProxyOrder(
	name: string,
	account: Account,
	now: Date,
	settings: Partial<TunnelProxyOrder> = {},
): TunnelProxyOrder {
	const order: TunnelProxyOrder = {
		...commonWithLogin(name, account, now, settings.orderId),
		product: 'TPS',
		period: 0,
		maxRps: 5,
		maxBandwidth: 5,
		entrance: { host: NOWHERE, httpPort: '15818', socksPort: '' },
		channels: 1,
		...settings,
	};
	return order.payType === 'POST_PAY' ? { ...order, expiresAt: undefined } : order;
}

export function newTunnelProProxyOrder(
	name: string,
	account: Account,
	now: Date,
	settings: Partial<TunnelProProxyOrder> = {},
): TunnelProProxyOrder {
	return {
		...commonWithLogin(name, account, now, settings.orderId),
		product: 'TPS_PRO',
		maxRps: 5,
		maxBandwidth: 5,
		// One port for both protocols.
		entrance: { host: NOWHERE, httpPort: '15818', socksPort: '15818' },
		...settings,
	};
}

/** Paid by traffic unless `flowInGb` is undefined. */
export function newOverseasProxyOrder(
	name: string,
	account: Account,
	now: Date,
	settings: Partial<OverseasProxyOrder> = {},
): OverseasProxyOrder {
	return {
		...commonWithLogin(name, account, now, settings.orderId),
		product: 'FPS',
		flowInGb: 1,
		flowUsedInMb: {},
		transferArea: 'US',
		entrance: { host: NOWHERE, httpPort: '18866', socksPort: '18867' },
		...settings,
	};
}

const OVERSEAS_AREAS = ['US', 'JP', 'GB'];

export function newOverseasStaticProxyOrder(
	name: string,
	account: Account,
	now: Date,
	settings: Partial<OverseasStaticProxyOrder> = {},
): OverseasStaticProxyOrder {
	const { series = 'retail' } = settings;
	return {
		...commonWithLogin(name, account, now, settings.orderId),
		product: 'SFPS',
		series,
		proxies: OVERSEAS_AREAS.map((area, index) => ({
			area,
			login:
				series === 'retail'
					? { username: `${name}-username-${index}`, password: `${name}-password-${index}` }
					: undefined,
		})),
		...settings,
	};
}

export function newTopUp(
	name: string,
	account: Account,
	now: Date,
	settings: Partial<TopUpOrder> = {},
): TopUpOrder {
	return {
		...common(name, account, now, settings.orderId),
		product: 'TOP_UP',
		expiresAt: undefined,
		...settings,
	};
}

export const ORDER_SORTS = [
	'ops',
	'dpsEven',
	'dpsConcentrated',
	'dpsPerIp',
	'kpsShared',
	'kpsExclusive',
	'tps',
	'tpsPayAsUsed',
	'fps',
	'sfps',
] as const;

export type OrderSort = (typeof ORDER_SORTS)[number];

export interface ManyOrders {
	count: number;
	/** When the first one expires, in days from now: 1 by default. Below 0 it is over already. */
	fromDay?: number;
	/** When the last one expires; 60 by default. The others are spread evenly in between. */
	toDay?: number;
	/** Come in turn; all by default. Only the pay-as-used ones do not expire. */
	sorts?: readonly OrderSort[];
}

/** For lists that are long. The orders are in force unless their time is over, and nobody pays for them. */
export function addManyOrders(
	store: Store,
	account: Account,
	now: Date,
	{ count, fromDay = 1, toDay = 60, sorts = ORDER_SORTS }: ManyOrders,
): Order[] {
	return Array.from({ length: count }, (_, index) => {
		const sort = sorts[index % sorts.length];
		if (sort === undefined) throw new RangeError('At least one sort of order is needed');
		const days = fromDay + ((toDay - fromDay) * index) / Math.max(1, count - 1);
		const expiresAt = new Date(now.getTime() + days * DAY_MS);
		return store.addOrder(newOrderOf(sort, account, now, expiresAt));
	});
}

function newOrderOf(sort: OrderSort, account: Account, now: Date, expiresAt: Date): Order {
	const orderId = newOrderNumber();
	const name = `sandbox-order-${orderId}`;
	const common = { orderId, expiresAt, createdAt: new Date(now.getTime() - DAY_MS) };
	switch (sort) {
		case 'ops':
			return newOpenProxyOrder(name, account, now, { ...common, plan: 'VIP' });
		case 'dpsEven':
			return newPrivateProxyOrder(name, account, now, {
				...common,
				fetchType: 1,
				period: 'M_3_5',
				ipCount: 2500,
			});
		case 'dpsConcentrated':
			return newPrivateProxyOrder(name, account, now, common);
		case 'dpsPerIp':
			return newPrivateProxyOrder(name, account, now, { ...common, payType: 'PRE_PAY_IP' });
		case 'kpsShared':
			return newDedicatedProxyOrder(name, account, now, common);
		case 'kpsExclusive':
			return newDedicatedProxyOrder(name, account, now, { ...common, series: 'exclusive' });
		case 'tps':
			return newTunnelProxyOrder(name, account, now, common);
		case 'tpsPayAsUsed':
			return newTunnelProxyOrder(name, account, now, { ...common, payType: 'POST_PAY' });
		case 'fps':
			return newOverseasProxyOrder(name, account, now, common);
		case 'sfps':
			return newOverseasStaticProxyOrder(name, account, now, common);
	}
}

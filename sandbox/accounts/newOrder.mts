import type { Settings } from '../settings.mts';
import type { Account } from './account.mts';
import type {
	DedicatedProxyOrder,
	OpenProxyOrder,
	OverseasProxyOrder,
	OverseasStaticProxyOrder,
	PrivateProxyOrder,
	TunnelProxyOrder,
} from './order.mts';

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
		expiresAt: new Date(now.getTime() + 30 * DAY_MS),
		autoRenewal: { enabled: false, unit: 'MONTH' as const },
		notify: true,
		renewal: 'possible' as const,
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
		ipsPerMinute: undefined,
		codeWhenExpired: 2,
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
		...common(name, account, now, settings.orderId),
		product: 'DPS',
		fetchType,
		period: 'M_1_5',
		ipCount,
		ipBalance: fetchType === 1 ? undefined : ipCount,
		whiteipCount: 50,
		...settings,
	};
}

export function newDedicatedProxyOrder(
	name: string,
	account: Account,
	now: Date,
	settings: Partial<DedicatedProxyOrder> = {},
): DedicatedProxyOrder {
	const series = settings.series ?? 'shared';
	return {
		...common(name, account, now, settings.orderId),
		product: 'KPS',
		series,
		model: series === 'shared' ? 'STA' : undefined,
		city: '3301',
		maxBandwidth: 1,
		ipCount: 1,
		whiteipCount: 50,
		...settings,
	};
}

export function newTunnelProxyOrder(
	name: string,
	account: Account,
	now: Date,
	settings: Partial<TunnelProxyOrder> = {},
): TunnelProxyOrder {
	const order: TunnelProxyOrder = {
		...common(name, account, now, settings.orderId),
		product: 'TPS',
		period: 0,
		maxRps: 5,
		maxBandwidth: 5,
		entrance: {
			host: 'tunnel.sandbox.invalid',
			httpPort: '15818',
			socksPort: '',
			username: `${name}-tunnel-username`,
			password: `${name}-tunnel-password`,
		},
		...settings,
	};
	return order.payType === 'POST_PAY' ? { ...order, expiresAt: undefined } : order;
}

export function newOverseasProxyOrder(
	name: string,
	account: Account,
	now: Date,
	settings: Partial<OverseasProxyOrder> = {},
): OverseasProxyOrder {
	return {
		...common(name, account, now, settings.orderId),
		product: 'FPS',
		flowInGb: 1,
		...settings,
	};
}

export function newOverseasStaticProxyOrder(
	name: string,
	account: Account,
	now: Date,
	settings: Partial<OverseasStaticProxyOrder> = {},
): OverseasStaticProxyOrder {
	return {
		...common(name, account, now, settings.orderId),
		product: 'SFPS',
		series: 'retail',
		// It does not renew itself, and how it is renewed by hand is not documented.
		renewal: 'wrong type',
		...settings,
	};
}

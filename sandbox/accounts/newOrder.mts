import type { Account } from './account.mts';
import type {
	DedicatedProxyOrder,
	OpenProxyOrder,
	PrivateProxyOrder,
	TunnelProxyOrder,
} from './order.mts';

const DAY_MS = 24 * 60 * 60 * 1000;

// 15 digits as the service uses them. A number of its own for every order of a process.
let lastOrderNumber = 900_000_000_000_000;

/** A paid order in force for 30 days. Its keys are made of the name and read as what they are: made up. */
function common(name: string, account: Account, now: Date) {
	lastOrderNumber += 1;
	return {
		orderId: String(lastOrderNumber),
		keys: { secretId: `${name}-id`, secretKey: `${name}-key` },
		account,
		payType: 'PRE_PAY' as const,
		status: 'VALID' as const,
		expiresAt: new Date(now.getTime() + 30 * DAY_MS),
	};
}

export function newOpenProxyOrder(
	name: string,
	account: Account,
	now: Date,
	settings: Partial<OpenProxyOrder> & Pick<OpenProxyOrder, 'plan'>,
): OpenProxyOrder {
	return {
		...common(name, account, now),
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
	return { ...common(name, account, now), product: 'DPS', ...settings };
}

export function newDedicatedProxyOrder(
	name: string,
	account: Account,
	now: Date,
	settings: Partial<DedicatedProxyOrder> = {},
): DedicatedProxyOrder {
	return { ...common(name, account, now), product: 'KPS', ...settings };
}

export function newTunnelProxyOrder(
	name: string,
	account: Account,
	now: Date,
	settings: Partial<TunnelProxyOrder> = {},
): TunnelProxyOrder {
	return { ...common(name, account, now), product: 'TPS', ...settings };
}

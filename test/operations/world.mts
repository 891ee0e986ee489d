import {
	newAccount,
	newOrderNumber,
	type Account,
	type KeyPair,
	type LoggedRequest,
	type Order,
	type Payment,
	type Sandbox,
} from '../../sandbox/sandbox.mts';
import { uniqueName } from '../uniqueName.mts';

/** Of the orders that are in the sandbox from the start. */
export type OrderKind = Exclude<keyof Sandbox['keys'], 'account'>;

const A_LOT_IN_FEN = 100_000_000_00;

/** Whose key pair is in the credential. */
export type By = 'account' | 'order';

/** Somebody with an account of their own, so that nothing waits for the pace of somebody else. */
export class World {
	readonly account: Account;

	/** The order that a case is about. */
	readonly order: Order | undefined;

	private readonly firstBalanceInFen: number;

	/**
	 * @param by whose key pair is in the credential
	 * @param kind of the order that the case is about
	 */
	constructor(
		readonly sandbox: Sandbox,
		readonly by: By,
		kind?: OrderKind,
		account: Partial<Account> = {},
	) {
		const settings = { balanceInFen: A_LOT_IN_FEN, ...account };
		this.account = sandbox.store.addAccount(newAccount(uniqueName('person'), settings));
		this.firstBalanceInFen = this.account.balanceInFen;
		this.order = kind === undefined ? undefined : this.addOrder(kind);
	}

	/** An order of the account, like the one that is in the sandbox from the start. */
	addOrder(kind: OrderKind, changes: Partial<Pick<Order, 'expiresAt' | 'status'>> = {}): Order {
		const { store, keys } = this.sandbox;
		const name = uniqueName(kind);
		// The account is shared on purpose, everything else is not
		const own = structuredClone({ ...store.order(keys[kind].secretId), account: undefined });
		// A tunnel knows its order by the login
		const login = { username: `${name}-proxy-username`, password: `${name}-proxy-password` };
		return store.addOrder({
			...own,
			account: this.account,
			orderId: newOrderNumber(),
			keys: { secretId: `${name}-id`, secretKey: `${name}-key` },
			...('login' in own ? { login } : {}),
			...changes,
		});
	}

	/** Of the credential. */
	get keys(): KeyPair {
		return this.by === 'account' ? this.account.keys : this.theOrder.keys;
	}

	get theOrder(): Order {
		if (this.order === undefined) throw new Error('This case is about no order');
		return this.order;
	}

	/** The number of the order, in records of operations that tell it only where it was chosen. */
	get chosen(): { readonly orderid?: string } {
		return this.by === 'account' ? { orderid: this.theOrder.orderId } : {};
	}

	/** Requests with the key pairs of this account and its orders, the oldest first; to one path, or to all. */
	requests(path?: string): LoggedRequest[] {
		const { log, store } = this.sandbox;
		const ids = new Set(store.ordersOf(this.account).map(({ keys }) => keys.secretId));
		ids.add(this.account.keys.secretId);
		return log.entries(path).filter(({ parameters }) => ids.has(parameters.secret_id));
	}

	/** Payments for the orders of this account, as the sandbox's ledger has them. */
	get payments(): Payment[] {
		const { ledger, store } = this.sandbox;
		const numbers = new Set(store.ordersOf(this.account).map(({ orderId }) => orderId));
		return ledger.entries().filter(({ orderId }) => numbers.has(orderId));
	}

	get spentInFen(): number {
		return this.firstBalanceInFen - this.account.balanceInFen;
	}
}

const AUTHENTICATION = new Set(['secret_id', 'sign_type', 'signature', 'timestamp', 'nonce']);

/** Parameters of a request, without those that belong to authentication. */
export function ownParameters({ parameters }: LoggedRequest): Record<string, string> {
	return Object.fromEntries(
		Object.entries(parameters).filter(([name]) => !AUTHENTICATION.has(name)),
	);
}

const EIGHT_HOURS_MS = 8 * 3_600_000;

/** Of an order: as the service writes it, without a zone, and as the node does. */
export function expiryOf({ expiresAt }: Pick<Order, 'expiresAt'>): {
	expire_time: string;
	expiresAt: string;
} {
	if (expiresAt === undefined) throw new Error('The order does not end');
	const inChina = new Date(expiresAt.getTime() + EIGHT_HOURS_MS).toISOString().slice(0, 19);
	return { expire_time: inChina.replace('T', ' '), expiresAt: `${inChina}+08:00` };
}

/** As the service lists it. */
export function listed(order: Order): Record<string, unknown> {
	const { orderId, payType, product, status } = order;
	return { orderid: orderId, pay_type: payType, product, status, ...expiryOf(order) };
}

export const PRODUCT_NAMES: Readonly<Record<string, string>> = {
	DPS: 'Private Proxy',
	FPS: 'Overseas Dynamic Proxy',
	KPS: 'Dedicated Proxy',
	OPS: 'Open Proxy',
	SFPS: 'Overseas Static Proxy',
	TPS: 'Tunnel Proxy',
	TPS_PRO: 'Tunnel Pro',
};

export const PAY_TYPE_NAMES: Readonly<Record<string, string>> = {
	PRE_PAY: 'Prepaid',
	PRE_PAY_IP: 'Pay per IP',
	POST_PAY: 'Pay-As-You-Go',
};

/** As the node puts it out, without the time that is left. */
export function readable(order: Order): Record<string, unknown> {
	return {
		...listed(order),
		productName: PRODUCT_NAMES[order.product],
		payTypeName: PAY_TYPE_NAMES[order.payType],
	};
}

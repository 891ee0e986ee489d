import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import {
	newDedicatedProxyOrder,
	newOverseasProxyOrder,
	newPrivateProxyOrder,
	newTunnelProxyOrder,
	type Account,
	type LoggedRequest,
	type Order,
	type Payment,
	type Sandbox,
} from '../../../sandbox/sandbox.mts';
import type { Engine, RunResult, RunSettings } from './engine.mts';
import { NEW_TUNNEL } from './newTunnel.mts';
import { uniqueName, type TestBed } from './testBed.mts';
import { until } from '../../virtualTime.mts';

/** How often a read is sent when each answer is a failure that may pass. */
export const READ_ATTEMPTS = 3;

export const CREATE = '/api/createorder';
export const RENEW = '/api/reneworder';
export const LIST = '/api/getaccountorders';
export const EXPIRY = '/api/getorderexpiretime';
export const ORDER_INFO = '/api/getorderinfo';
export const BALANCE = '/api/getaccountbalance';
export const KEY_PAIR = '/api/getordersecret';

/** An order only where none of its kind is active. */
export const FEWER = { createWhen: 'fewerThan', fewerThan: 1 };

/** A renewal by a week. */
export const WEEK: IDataObject = { timeType: 'WEEK', timeNumber: 1 };

/** The same of a prepaid order, however much time it has left. */
export const WEEK_ALWAYS: IDataObject = { ...WEEK, renewalOf: 'prepaid', renewWhen: 'always' };

/** What the output says of an order of each kind. */
export const ORDER_KINDS = {
	tunnel: {
		product: 'TPS',
		productName: 'Tunnel Proxy',
		pay_type: 'PRE_PAY',
		payTypeName: 'Prepaid',
	},
	perIp: {
		product: 'DPS',
		productName: 'Private Proxy',
		pay_type: 'PRE_PAY_IP',
		payTypeName: 'Pay per IP',
	},
	traffic: {
		product: 'FPS',
		productName: 'Overseas Dynamic Proxy',
		pay_type: 'PRE_PAY',
		payTypeName: 'Prepaid',
	},
} satisfies Readonly<Record<string, IDataObject>>;

/** For tests that count every call: the report of costs reads the balance. */
export const WITHOUT_REPORT = {
	options: { maxOrdersPerRun: 10, reportCost: false },
} satisfies IDataObject;

/** Of another node in another execution, which is not a second click on the first one. */
export function elsewhere() {
	return { executionId: uniqueName('execution'), settings: { id: uniqueName('node') } };
}

/** As a schedule starts it: nobody clicked. */
export function scheduled() {
	return { executionId: uniqueName('execution'), rootMode: 'trigger' as const };
}

type Settings = Partial<Omit<RunSettings, 'parameters'>> & {
	/** Of the credential. */
	credential?: ICredentialDataDecryptedObject;
	/** Of another process. */
	engine?: Engine;
};

/** Somebody with an account of their own, who has money. */
export class Customer {
	readonly account: Account;
	readonly sandbox: Sandbox;

	constructor(
		private readonly bed: TestBed,
		settings: Partial<Account> = {},
	) {
		this.sandbox = bed.sandbox;
		this.account = bed.newAccount({ balanceInFen: 1_000_000_00, ...settings });
	}

	/** A tunnel that has so much time left. */
	tunnel(leftMs: number, settings: Parameters<typeof newTunnelProxyOrder>[3] = {}): Order {
		const now = this.sandbox.clock.now();
		// The service tells whole seconds only
		const expiresAt = new Date(Math.ceil((now.getTime() + leftMs) / 1000) * 1000);
		return this.sandbox.store.addOrder(
			newTunnelProxyOrder(uniqueName('order'), this.account, now, { expiresAt, ...settings }),
		);
	}

	/** Exclusive dedicated proxies that have so much time left. */
	exclusive(leftMs: number): Order {
		const now = this.sandbox.clock.now();
		const settings = { series: 'exclusive', expiresAt: new Date(now.getTime() + leftMs) } as const;
		return this.sandbox.store.addOrder(
			newDedicatedProxyOrder(uniqueName('order'), this.account, now, settings),
		);
	}

	/** Private proxies that are paid per IP, with so many left. */
	perIp(ipBalance: number) {
		const now = this.sandbox.clock.now();
		const settings = { payType: 'PRE_PAY_IP', ipBalance } as const;
		return this.sandbox.store.addOrder(
			newPrivateProxyOrder(uniqueName('order'), this.account, now, settings),
		);
	}

	/** Overseas proxies that are paid by traffic, with so much left. */
	overseas(flowLeftInMb: number) {
		const now = this.sandbox.clock.now();
		const settings = { flowInGb: 10, flowUsedInMb: { '2026-01-01': 10 * 1024 - flowLeftInMb } };
		return this.sandbox.store.addOrder(
			newOverseasProxyOrder(uniqueName('order'), this.account, now, settings),
		);
	}

	/** With the account's key pair. */
	async buy(fields: IDataObject = {}, settings: Settings = {}): Promise<RunResult> {
		return await this.run('create', { ...NEW_TUNNEL, ...fields }, settings);
	}

	/** With the key pair of the order. */
	async renew(order: Order, fields: IDataObject = {}, settings: Settings = {}): Promise<RunResult> {
		const credential = { keyType: 'order', ...order.keys, ...settings.credential };
		return await this.run('renew', fields, { ...settings, credential });
	}

	/** With the account's key pair and the number of the order. */
	async renewByNumber(
		{ orderId }: Order,
		fields: IDataObject = {},
		settings: Settings = {},
	): Promise<RunResult> {
		const orderid = { __rl: true, mode: 'code', value: orderId };
		return await this.run('renew', { orderid, ...fields }, settings);
	}

	/** With the account's key pair, these orders, one item each. */
	async renewEach(
		orders: readonly Order[],
		fields: IDataObject,
		settings: Settings = {},
	): Promise<RunResult> {
		const orderid = { __rl: true, mode: 'code', value: '={{ $json.order }}' };
		const items = orders.map(({ orderId: order }) => ({ order }));
		return await this.run('renew', { orderid, ...fields }, { items, ...settings });
	}

	/** With the account's key pair, the orders that 'Order' names. */
	async renewAll(fields: IDataObject, settings: Settings = {}): Promise<RunResult> {
		return await this.run('renew', fields, settings);
	}

	/** All orders, as the node lists them. */
	async list(): Promise<RunResult> {
		return await this.run('getAll', { status: 'ALL', returnAll: true }, {});
	}

	private async run(
		operation: string,
		fields: IDataObject,
		{ credential, engine = this.bed.engine, ...settings }: Settings,
	): Promise<RunResult> {
		return await engine.run({
			credentialId: this.bed.addCredential(this.account.keys, {
				keyType: 'account',
				...credential,
			}),
			...settings,
			parameters: { resource: 'order', operation, ...fields },
		});
	}

	/** Of the account and all its orders; of one path, or of all. */
	requests(path?: string): LoggedRequest[] {
		const ids = new Set(this.sandbox.store.ordersOf(this.account).map(({ keys }) => keys.secretId));
		ids.add(this.account.keys.secretId);
		return this.sandbox.log.entries(path).filter(({ parameters }) => ids.has(parameters.secret_id));
	}

	/** The names of the endpoints that were called, in this order. */
	get calls(): string[] {
		return this.requests().map(({ path }) => path);
	}

	get payments(): Payment[] {
		const ids = new Set(this.sandbox.store.ordersOf(this.account).map(({ orderId }) => orderId));
		return this.sandbox.ledger.entries().filter(({ orderId }) => ids.has(orderId));
	}

	get paid(): number {
		return this.payments.length;
	}

	/** Resolves when so many requests of the path have arrived. */
	async asked(path: string, count = 1): Promise<void> {
		await until(() => this.requests(path).length >= count, 20_000);
	}
}

/** Message and description of what stopped the run. */
export function textOf({ error }: RunResult): string {
	return `${error?.message}. ${error?.description}`;
}

/** The items of a run, whether it went well or not. */
export function records({ items }: RunResult): IDataObject[] {
	return items.map(({ json }) => json);
}

/** The hints of a run, one in each line. */
export function hintsOf({ hints }: RunResult): string {
	return hints.map(({ message }) => message).join('\n');
}

import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import {
	type Account,
	newDedicatedProxyOrder,
	newOverseasProxyOrder,
	newPrivateProxyOrder,
	newTunnelProxyOrder,
	type Order,
} from '../../../sandbox/sandbox.mts';
import { type By, type OrderKind, ownParameters, World } from '../../operations/world.mts';
import { uniqueName } from '../../uniqueName.mts';
import { until } from '../../virtualTime.mts';
import { API } from './api.mts';
import type { Engine, RunResult, RunSettings } from './engine.mts';
import { extractParameters } from './inOptions.mts';
import type { TestBed } from './testBed.mts';

/** The shortest order of a tunnel, as often as ten times in an execution. */
export const NEW_TUNNEL = {
	resource: 'order',
	operation: 'create',
	product: 'TPS',
	payType: 'PRE_PAY',
	prepayTimeType: 'DAY',
	// The preset is 1
	options: { maxOrdersPerRun: 10 },
};

/** An order only where none of its kind is active. */
export const FEWER = { createWhen: 'fewerThan', fewerThan: 1 };

/** A renewal by a week. */
export const WEEK: IDataObject = { timeType: 'WEEK', timeNumber: 1 };

/** The same of a prepaid order, however much time it has left. */
export const WEEK_ALWAYS: IDataObject = { ...WEEK, renewalOf: 'prepaid', renewWhen: 'always' };

/** For tests that count every call: the report of costs reads the balance. */
export const WITHOUT_REPORT = {
	options: { maxOrdersPerRun: 10, reportCost: false },
} satisfies IDataObject;

/** Fields of the output that name an order's kind. */
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

/** A value of a field, chosen from its list. */
export function picked(value: IDataObject[string]): IDataObject {
	return { __rl: true, mode: 'list', value };
}

/** A value of a field, entered by hand. */
export function typed(value: IDataObject[string]): IDataObject {
	return { __rl: true, mode: 'code', value };
}

/** An account and a credential; settings of the account that are not given are those of a new one with money. */
export interface CustomerSettings extends Partial<Account> {
	/** An order that the customer has from the start. Its key pair is in the credential. */
	kind?: OrderKind;
	/** Whose key pair is in the credential, where it is not that of the order. */
	by?: By;
	/** Other values of the credential. */
	credential?: ICredentialDataDecryptedObject;
}

export type CustomerRun = Partial<Omit<RunSettings, 'parameters'>> & {
	/** Values of a credential of its own for this run. */
	credential?: ICredentialDataDecryptedObject;
	/** A worker of its own; the bed's by default. */
	engine?: Engine;
};

type Make<O extends Order, S> = (name: string, account: Account, now: Date, settings: S) => O;

/** Settings that every order has. */
type Common = Partial<Pick<Order, 'orderId' | 'payType' | 'status' | 'expiresAt' | 'keys'>>;
type Tunnel = Parameters<typeof newTunnelProxyOrder>[3];

/** Somebody with an account, orders and a credential of their own, who runs the node and sees what it cost. */
export class Customer extends World {
	readonly credentialId: string;

	constructor(
		readonly bed: TestBed,
		{
			kind,
			by = kind === undefined ? 'account' : 'order',
			credential,
			...account
		}: CustomerSettings = {},
	) {
		super(bed.sandbox, by, kind, account);
		this.credentialId = this.credentialWith(credential);
	}

	/** @returns the id of another credential with the same key pair */
	credentialWith(changes: ICredentialDataDecryptedObject = {}): string {
		return this.bed.addCredential(this.keys, { keyType: this.by, ...changes });
	}

	private get now(): Date {
		return this.sandbox.clock.now();
	}

	/** In the whole seconds in which the service gives its times. */
	inDays(days: number): Date {
		return new Date(Math.floor((this.now.getTime() + days * 24 * 3_600_000) / 1000) * 1000);
	}

	/** One more order, such as `add(newPrivateProxyOrder, { status: 'OWING' })`. */
	add<O extends Order, S>(make: Make<O, S>, settings: S): O {
		return this.sandbox.store.addOrder(make(uniqueName('order'), this.account, this.now, settings));
	}

	/** A tunnel, with so many milliseconds left or as the settings say. */
	tunnel(left: number | Tunnel = {}, settings: Tunnel = {}) {
		if (typeof left !== 'number') return this.add(newTunnelProxyOrder, left);
		// The service tells whole seconds only
		const expiresAt = new Date(Math.ceil((this.now.getTime() + left) / 1000) * 1000);
		return this.add(newTunnelProxyOrder, { expiresAt, ...settings });
	}

	/** A tunnel that is paid as used. */
	meteredTunnel(settings: Common = {}) {
		return this.add(newTunnelProxyOrder, { payType: 'POST_PAY', ...settings });
	}

	privateProxy(settings: Common & { readonly ipBalance?: number } = {}) {
		return this.add(newPrivateProxyOrder, settings);
	}

	/** Exclusive dedicated proxies that have so much time left. */
	exclusive(leftMs: number) {
		const expiresAt = new Date(this.now.getTime() + leftMs);
		return this.add(newDedicatedProxyOrder, { series: 'exclusive', expiresAt });
	}

	/** Private proxies that are paid per IP, with so many left. */
	perIp(ipBalance: number) {
		return this.add(newPrivateProxyOrder, { payType: 'PRE_PAY_IP', ipBalance });
	}

	/** Overseas proxies that are paid by traffic, with so much left. */
	overseas(flowLeftInMb: number) {
		const flowUsedInMb = { '2026-01-01': 10 * 1024 - flowLeftInMb };
		return this.add(newOverseasProxyOrder, { flowInGb: 10, flowUsedInMb });
	}

	/** Runs the node with the customer's credential, unless another one is given. */
	async run(
		parameters: IDataObject,
		{ credential, engine = this.bed.engine, ...settings }: CustomerRun = {},
	): Promise<RunResult> {
		const credentialId =
			credential === undefined ? this.credentialId : this.credentialWith(credential);
		return await engine.run({ credentialId, ...settings, parameters });
	}

	/** Runs "Proxy: Extract". */
	async extract(fields: IDataObject, settings?: CustomerRun): Promise<RunResult> {
		return await this.run(
			{ resource: 'proxy', operation: 'extract', product: 'OPS', ...extractParameters(fields) },
			settings,
		);
	}

	async buy(fields: IDataObject = {}, settings?: CustomerRun): Promise<RunResult> {
		return await this.run({ ...NEW_TUNNEL, ...fields }, settings);
	}

	/** With the key pair of the order. */
	async renew({ keys }: Order, fields: IDataObject = {}, settings: CustomerRun = {}) {
		const credential = { keyType: 'order', ...keys, ...settings.credential };
		return await this.renewAll(fields, { ...settings, credential });
	}

	/** With the number of the order. */
	async renewByNumber({ orderId }: Order, fields: IDataObject = {}, settings?: CustomerRun) {
		return await this.renewAll({ orderid: typed(orderId), ...fields }, settings);
	}

	/** These orders, one item each. */
	async renewEach(orders: readonly Order[], fields: IDataObject, settings?: CustomerRun) {
		const items = orders.map(({ orderId: order }) => ({ order }));
		const orderid = typed('={{ $json.order }}');
		return await this.renewAll({ orderid, ...fields }, { items, ...settings });
	}

	/** The orders that 'Order' names. */
	async renewAll(fields: IDataObject, settings?: CustomerRun): Promise<RunResult> {
		return await this.run({ resource: 'order', operation: 'renew', ...fields }, settings);
	}

	/** Renewals of these orders are refused from now on, with an undocumented code; `times` of each, or for good. */
	refuseRenewals(orders: readonly Order[], times?: number): void {
		for (const { keys } of orders) {
			const { secretId } = keys;
			this.sandbox.faults.add({ kind: 'code', code: -999, path: API.reneworder, secretId, times });
		}
	}

	/** All orders, as the node lists them. */
	async list(): Promise<RunResult> {
		const all = { status: 'ALL', returnAll: true };
		return await this.run({ resource: 'order', operation: 'getAll', ...all });
	}

	/** Parameters of the requests to a path, without authentication. */
	sent(path: string): Array<Record<string, string>> {
		return this.requests(path).map(ownParameters);
	}

	/** The names of the endpoints that were called, in this order. */
	get calls(): string[] {
		return this.requests().map(({ path }) => path);
	}

	/** How often something was paid. */
	get paid(): number {
		return this.payments.length;
	}

	/** How many proxies the customer's order has handed out. */
	get extracted(): number {
		return this.sandbox.extractions.total({ orderId: this.theOrder.orderId });
	}

	/** Resolves when so many requests of the path have arrived. */
	async asked(path: string, count = 1): Promise<void> {
		await until(() => this.requests(path).length >= count, 20_000);
	}
}

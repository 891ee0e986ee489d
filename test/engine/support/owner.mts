import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import {
	newDedicatedProxyOrder,
	newOpenProxyOrder,
	newPrivateProxyOrder,
	newTunnelProxyOrder,
	type Account,
	type Order,
} from '../../../sandbox/sandbox.mts';
import type { RunResult, RunSettings } from './engine.mts';
import { uniqueName, type TestBed } from './testBed.mts';

export const ORDER_LIST = '/api/getaccountorders';
export const ORDER_KEYS = '/api/getordersecret';
export const ORDER_INFO = '/api/getorderinfo';
export const ORDER_EXPIRY = '/api/getorderexpiretime';
export const BALANCE = '/api/getaccountbalance';
export const CLOSING = '/api/closeorder';

export const DAY_MS = 24 * 3_600_000;

/** Settings that every product has. */
type Common = Partial<Pick<Order, 'orderId' | 'payType' | 'status' | 'expiresAt' | 'keys'>>;

/** Somebody with an account and orders of their own, so that nothing waits for the pace of another test. */
export class Owner {
	readonly credentialId: string;

	readonly account: Account;

	constructor(
		private readonly bed: TestBed,
		settings: Partial<Account> = {},
		changes: ICredentialDataDecryptedObject = {},
	) {
		this.account = bed.newAccount(settings);
		this.credentialId = bed.addCredential(this.account.keys, { keyType: 'account', ...changes });
	}

	private get now(): Date {
		return this.bed.sandbox.clock.now();
	}

	private add<O extends Order>(order: O): O {
		return this.bed.sandbox.store.addOrder(order);
	}

	tunnel(settings: Common = {}) {
		return this.add(newTunnelProxyOrder(uniqueName('tps'), this.account, this.now, settings));
	}

	/** Paid as used. */
	meteredTunnel(settings: Common = {}) {
		return this.tunnel({ payType: 'POST_PAY', ...settings });
	}

	privateProxy(settings: Common & { readonly ipBalance?: number } = {}) {
		return this.add(newPrivateProxyOrder(uniqueName('dps'), this.account, this.now, settings));
	}

	dedicated(settings: Common = {}) {
		return this.add(newDedicatedProxyOrder(uniqueName('kps'), this.account, this.now, settings));
	}

	openProxy(settings: Common = {}) {
		const plan = { plan: 'SVIP', ...settings } as const;
		return this.add(newOpenProxyOrder(uniqueName('ops'), this.account, this.now, plan));
	}

	/** In the whole seconds in which the service gives its times. */
	inDays(days: number): Date {
		return new Date(Math.floor((this.now.getTime() + days * DAY_MS) / 1000) * 1000);
	}

	/** Runs an operation with the key pair of the account, unless another credential is given. */
	async run(parameters: IDataObject, settings: Partial<RunSettings> = {}): Promise<RunResult> {
		const { credentialId } = this;
		return await this.bed.engine.run({ credentialId, ...settings, parameters });
	}
}

/** The items of a run that went well. */
export function records({ error, items }: RunResult): IDataObject[] {
	expect(error).toBeUndefined();
	return items.map(({ json }) => json);
}

/** As it is in a field, chosen from the list. */
export function picked(value: string): IDataObject {
	return { __rl: true, mode: 'list', value };
}

/** As it is in a field, entered by hand. */
export function typed(value: IDataObject[string]): IDataObject {
	return { __rl: true, mode: 'code', value };
}

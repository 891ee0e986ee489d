import type { IDataObject } from 'n8n-workflow';

import type { KeyPair } from '../../sandbox/sandbox.mts';
import {
	newOpenProxyOrder,
	newPrivateProxyOrder,
	newTunnelProxyOrder,
	type Account,
	type Order,
	type Sandbox,
} from '../../sandbox/sandbox.mts';
import { uniqueName, type TestBed } from '../engine/testBed.mts';

/** An operation with fields that are all right, for a case to spoil some of them. */
export interface OperationBase {
	readonly name: string;
	readonly resource: string;
	readonly operation: string;
	/** Where it is about an order: which. */
	readonly order?: (name: string, account: Account, now: Date) => Order;
	readonly fields: IDataObject;
	readonly spends: boolean;
}

function base(
	resource: string,
	operation: string,
	fields: IDataObject = {},
	order?: OperationBase['order'],
): OperationBase {
	const spends = resource === 'order' && ['create', 'renew'].includes(operation);
	const what = Object.values(fields).filter((value) => typeof value === 'string');
	return {
		name: [`${resource}: ${operation}`, ...what].join(' '),
		resource,
		operation,
		order,
		fields,
		spends,
	};
}

const tunnel: OperationBase['order'] = (...common) => newTunnelProxyOrder(...common);
const payAsUsedTunnel: OperationBase['order'] = (...common) =>
	newTunnelProxyOrder(...common, { payType: 'POST_PAY' });
const perIp: OperationBase['order'] = (...common) =>
	newPrivateProxyOrder(...common, { payType: 'PRE_PAY_IP' });
const open =
	(plan: 'regular' | 'VIP' | 'SVIP'): OperationBase['order'] =>
	(...common) =>
		newOpenProxyOrder(...common, { plan });

const PREPAID = { payType: 'PRE_PAY', prepayTimeType: 'MONTH', prepayTimeNumber: 1 };

/** Each operation of the node, those with several sorts of fields several times. */
export const OPERATION_BASES: readonly OperationBase[] = [
	base('account', 'getBalance'),
	base('area', 'getAll', { serie: 1 }),
	base('autoRenewal', 'disable', {}, tunnel),
	base('autoRenewal', 'enable', { timeType: 'MONTH' }, tunnel),
	base('city', 'getAll', { serie: 1, kpsMaxBandwidth: 1 }),
	base('order', 'close', {}, payAsUsedTunnel),
	base('order', 'create', { product: 'TPS', ...PREPAID, tpsPeriod: 0 }),
	base('order', 'create', { product: 'TPS', payType: 'POST_PAY', tpsPeriod: 3600 }),
	base('order', 'create', { product: 'DPS', ...PREPAID, dpsFetchType: 2 }),
	base('order', 'create', { product: 'DPS', payType: 'PRE_PAY_IP' }),
	base('order', 'create', { product: 'KPS', ...PREPAID, kpsSerie: 1, kpsModel: 'STA' }),
	base('order', 'create', { product: 'KPS', ...PREPAID, kpsSerie: 2 }),
	base('order', 'create', { product: 'OPS', ...PREPAID }),
	base('order', 'get', { fieldList: '' }, tunnel),
	base('order', 'getAll', { status: 'VALID' }),
	base('order', 'renew', { renewWhen: 'always', renewalOf: 'prepaid' }, tunnel),
	base('order', 'renew', { renewWhen: 'expiring', renewalOf: 'prepaid' }, tunnel),
	base('order', 'renew', { renewWhen: 'always', renewalOf: 'perIp' }, perIp),
	base('privateProxyResource', 'getAll', {}, (...common) => newPrivateProxyOrder(...common)),
	base('proxy', 'extract', { plan: 'regular', num: 5 }, open('regular')),
	base('proxy', 'extract', { plan: 'vip', num: 5 }, open('VIP')),
	base('proxy', 'extract', { plan: 'svip', num: 5 }, open('SVIP')),
];

/** Somebody with an account, and where the operation is about an order with that too. */
export interface Person {
	readonly account: Account;
	readonly order?: Order;
	/** What the credential holds. */
	readonly keyType: 'account' | 'order';
	readonly keys: KeyPair;
	/** The field 'Order', where the key pair does not tell. */
	readonly orderField: IDataObject;
}

const A_LOT = 100_000_000_00;

/** A new person for each case, so that none waits for the pace of another. */
export function newPerson(bed: TestBed, { order }: OperationBase, byAccount: boolean): Person {
	const account = bed.newAccount({ balanceInFen: A_LOT });
	const own = order?.(uniqueName('order'), account, bed.sandbox.clock.now());
	if (own !== undefined) bed.sandbox.store.addOrder(own);
	if (own === undefined || byAccount) {
		const orderid = { __rl: true, mode: 'code', value: own?.orderId ?? '' };
		const orderField = own === undefined ? {} : { orderid };
		return { account, order: own, keyType: 'account', keys: account.keys, orderField };
	}
	return { account, order: own, keyType: 'order', keys: own.keys, orderField: {} };
}

/** What was sent for a person, and paid by them. */
export function evidenceOf(sandbox: Sandbox, { account, order }: Person) {
	const ids = new Set([account.keys.secretId, order?.keys.secretId]);
	const requests = sandbox.log.entries().filter(({ parameters }) => ids.has(parameters.secret_id));
	const payments = sandbox.ledger.entries().filter(({ secretId }) => ids.has(secretId));
	return { requests, payments };
}

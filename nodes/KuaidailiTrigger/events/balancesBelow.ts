import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

import { readRequiredField, toProperty, type Field } from '../../shared/fields/field';
import { wholeNumber } from '../../shared/fields/valueKinds';
import { fingerprintOf } from '../../shared/fingerprint';
import { isOneOf, ownValue, type UnknownRecord } from '../../shared/guards';
import { accountBalance } from '../../shared/queries/account';
import { fetchOrderFacts } from '../../shared/queries/orderFacts';
import { ipBalance, trafficLeft } from '../../shared/queries/order';
import { accessOrder } from '../../shared/orders/orderAccess';
import { orderField, readChosenOrder } from '../../shared/orders/orderField';
import { productName } from '../../shared/service/products';
import type { Caller } from '../../shared/transport/caller';
import { explainUndocumented } from '../../shared/transport/describeFailure';
import { runQuery } from '../../shared/transport/callService';
import { formatNumber } from '../../shared/wording';
import type { PollResult, TriggerEvent } from './event';

/**
 * n8n saves the state only when something is emitted. After a restart, it is unknown whether the value
 * has been back above the threshold, so the state of an earlier process proves nothing.
 */
const PROCESS_ID = randomUUID();

/** A value that is watched, and the threshold below which it is emitted. */
export interface Watched {
	/** Identifies what is watched; each subject has its own state. */
	readonly subject: readonly string[];
	readonly value: number;
	readonly threshold: number;
}

/** The stored state before and after the call to the service. */
export interface States {
	/** From before the call to the service. */
	readonly before: UnknownRecord | undefined;
	/** Current; another poll may have finished in the meantime. */
	readonly stored: UnknownRecord | undefined;
}

/** Emits when the value falls below the threshold, again after it was above, and again after a restart of n8n. */
export function emitCrossing(
	{ subject, value, threshold }: Watched,
	{ before, stored }: States,
	record: IDataObject,
): PollResult {
	const fingerprint = fingerprintOf(...subject);
	const saysBelow = (state: UnknownRecord | undefined): boolean =>
		state !== undefined &&
		ownValue(state, 'process') === PROCESS_ID &&
		ownValue(state, 'subject') === fingerprint &&
		ownValue(state, 'threshold') === threshold &&
		ownValue(state, 'isBelow') === true;
	const wasBelow = saysBelow(stored);
	// An overlapping poll has emitted it, and the value of this one may be older
	const isEmittedByOverlap = wasBelow && !saysBelow(before);
	const isBelow = value < threshold;
	return {
		records: isBelow && !wasBelow ? [record] : [],
		state: {
			process: PROCESS_ID,
			subject: fingerprint,
			threshold,
			isBelow: isBelow || isEmittedByOverlap,
		},
	};
}

/** What an IP balance counts: what is left of the day, or of all that was bought. */
const BALANCE_KINDS = ['today', 'order'] as const;

type BalanceKind = (typeof BALANCE_KINDS)[number];

const KIND_BY_PAY_TYPE: ReadonlyMap<unknown, BalanceKind> = new Map([
	// Only those with concentrated extraction have an IP balance
	['PRE_PAY', 'today'],
	['PRE_PAY_IP', 'order'],
]);

/**
 * What the IP balance of an order counts. The pay type of an order never changes, so it is asked for once.
 *
 * @param before the state of the event, where the answer is kept
 * @returns undefined for an unknown pay type
 * @throws what `callService` throws
 */
async function balanceKindOf(
	caller: Caller,
	subject: readonly string[],
	before: UnknownRecord | undefined,
): Promise<BalanceKind | undefined> {
	const known = ownValue(before, 'balanceOf');
	const isSameOrder = ownValue(before, 'subject') === fingerprintOf(...subject);
	if (isSameOrder && isOneOf(known, BALANCE_KINDS)) return known;
	const { payType } = await fetchOrderFacts(
		async (query, parameters) => await runQuery(caller, query, parameters),
	);
	return KIND_BY_PAY_TYPE.get(payType);
}

/** Also for a test, in which the value may be above the threshold. */
function textOf(left: string, { value, threshold }: Watched, unit: string): string {
	const limit = `below the limit of ${formatNumber(threshold)} ${unit}`;
	return `${left}, ${value < threshold ? limit : `not ${limit}`}`;
}

function orderInWords(product: string, orderid: string | undefined): string {
	const name = `${productName(product)} order`;
	return orderid === undefined ? `The ${name}` : `${name} ${orderid}`;
}

const yuanField: Field = {
	name: 'balanceBelow',
	displayName: 'Below (Yuan)',
	description: 'The workflow starts when the account balance drops below this amount, in yuan',
	kind: wholeNumber(1, 100_000_000, 100),
};

export const accountBalanceBelow: TriggerEvent = {
	option: {
		name: 'Account Balance Below',
		value: 'accountBalanceBelow',
		action: 'On account balance below a limit',
		description: 'When the account balance drops below a limit, and again after you top up',
	},
	properties: [toProperty(yuanField)],
	async fetchSnapshot(caller, valueOf, before) {
		const threshold = Number(readRequiredField(yuanField, valueOf(yuanField.name)));
		const balance = await runQuery(caller, accountBalance);
		const subject = [caller.credential.secretId];
		const watched = { subject, value: balance.balanceNumber, threshold };
		const left = `The Kuaidaili account balance is ${balance.balance} yuan`;
		const record = { text: textOf(left, watched, 'yuan'), ...balance, below: threshold };
		return {
			poll: (stored) => emitCrossing(watched, { before, stored }, record),
			sample: () => [record],
		};
	},
};

const ipsField: Field = {
	name: 'ipBalanceBelow',
	displayName: 'Below (IPs)',
	description: 'The workflow starts when the order has fewer IPs left than this',
	kind: wholeNumber(1, 100_000_000, 1000),
};

export const ipBalanceBelow: TriggerEvent = {
	option: {
		name: 'IP Balance Below',
		value: 'ipBalanceBelow',
		action: 'On IP balance below a limit',
		description:
			"When a private proxy order runs low on IPs: on all it has left (pay per IP), or on today's (prepaid with concentrated extraction)",
	},
	orders: { products: ['DPS'] },
	properties: [toProperty(orderField), toProperty(ipsField)],
	async fetchSnapshot(caller, valueOf, before) {
		const orderid = readChosenOrder(valueOf(orderField.name));
		const threshold = Number(readRequiredField(ipsField, valueOf(ipsField.name)));
		const access = await accessOrder(caller, orderid);
		const subject = [caller.credential.secretId, orderid ?? ''];
		const balanceOf = await balanceKindOf(access.caller, subject, before);
		const balance = await runQuery(access.caller, ipBalance);
		const kind = balanceOf === undefined ? {} : { balanceOf };
		const watched = { subject, value: balance, threshold };
		const today = balanceOf === 'today' ? ' today' : '';
		const left = `${orderInWords('DPS', orderid)} has ${formatNumber(balance)} IPs left${today}`;
		const record = {
			text: textOf(left, watched, 'IPs'),
			...(orderid === undefined ? {} : { orderid }),
			balance,
			...kind,
			below: threshold,
		};
		return {
			poll(stored) {
				const { records, state } = emitCrossing(watched, { before, stored }, record);
				return { records, state: { ...state, ...kind } };
			},
			sample: () => [record],
		};
	},
};

const megabytesField: Field = {
	name: 'trafficBelow',
	displayName: 'Below (MB)',
	description: 'The workflow starts when the order has less traffic left than this, in MB',
	kind: wholeNumber(1, 100_000_000, 1000),
};

export const trafficBelow: TriggerEvent = {
	option: {
		name: 'Traffic Below',
		value: 'trafficBelow',
		action: 'On traffic below a limit',
		description:
			'When an overseas dynamic order that is billed by traffic runs low on it, and again after you buy more',
	},
	orders: { products: ['FPS'] },
	properties: [toProperty(orderField), toProperty(megabytesField)],
	async fetchSnapshot(caller, valueOf, before) {
		const orderid = readChosenOrder(valueOf(orderField.name));
		const threshold = Number(readRequiredField(megabytesField, valueOf(megabytesField.name)));
		const access = await accessOrder(caller, orderid);
		const value = await explainUndocumented(
			runQuery(access.caller, trafficLeft),
			"Check that 'Order' is an overseas dynamic order (FPS): no other has traffic left.",
		);
		const watched = { subject: [caller.credential.secretId, orderid ?? ''], value, threshold };
		const left = `${orderInWords('FPS', orderid)} has ${formatNumber(value)} MB of traffic left`;
		const record = {
			text: textOf(left, watched, 'MB'),
			...(orderid === undefined ? {} : { orderid }),
			flow_left: value,
			below: threshold,
		};
		return {
			poll: (stored) => emitCrossing(watched, { before, stored }, record),
			sample: () => [record],
		};
	},
};

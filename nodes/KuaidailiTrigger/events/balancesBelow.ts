import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

import { readRequiredField, toProperty, type Field } from '../../shared/fields/field';
import { wholeNumber } from '../../shared/fields/valueKinds';
import { fingerprintOf } from '../../shared/fingerprint';
import { isList, ownValue, type UnknownRecord } from '../../shared/guards';
import { accountBalance } from '../../shared/queries/account';
import { orderField, readChosenOrder } from '../../shared/orders/orderField';
import { nameOfOrder } from '../../shared/orders/orderItem';
import { runQuery } from '../../shared/transport/callService';
import { formatNumber } from '../../shared/wording';
import type { PollResult, TriggerEvent } from './event';
import {
	fetchBalances,
	IP_BALANCE,
	ordersWithBalance,
	refuseNoBalances,
	TRAFFIC_LEFT,
	watchedOrderProperty,
	type BalanceKind,
} from './orderBalances';

/**
 * n8n saves the state only when something is emitted. After a restart, it is unknown whether the value
 * has been back above the threshold, so the state of an earlier process proves nothing.
 */
const PROCESS_ID = randomUUID();

interface Watched {
	/** Identifies what is watched. */
	readonly subject: readonly string[];
	readonly value: number;
	readonly threshold: number;
	readonly record: IDataObject;
}

/** Emits each value that falls below its threshold, again after it was above, and again after a restart of n8n. */
function emitCrossings(all: readonly Watched[], state: UnknownRecord | undefined): PollResult {
	const known = ownValue(state, 'process') === PROCESS_ID ? ownValue(state, 'below') : undefined;
	const wasBelow = new Set(isList(known) ? known : []);
	const below = all
		.filter(({ value, threshold }) => value < threshold)
		.map((watched) => ({ ...watched, key: fingerprintOf(...watched.subject, watched.threshold) }));
	return {
		records: below.filter(({ key }) => !wasBelow.has(key)).map(({ record }) => record),
		state: { process: PROCESS_ID, below: below.map(({ key }) => key) },
	};
}

/** Also for a test, in which the value may be above the threshold. */
function textOf(left: string, value: number, threshold: number, unit: string): string {
	const limit = `below the limit of ${formatNumber(threshold)} ${unit}`;
	return `${left}, ${value < threshold ? limit : `not ${limit}`}`;
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
	async fetchSnapshot(caller, valueOf) {
		const threshold = Number(readRequiredField(yuanField, valueOf(yuanField.name)));
		const balance = await runQuery(caller, accountBalance);
		const subject = [caller.credential.secretId];
		const value = balance.balanceNumber;
		const left = `The Kuaidaili account balance is ${balance.balance} yuan`;
		const text = textOf(left, value, threshold, 'yuan');
		const record = { text, ...balance, below: threshold };
		return {
			poll: (state) => emitCrossings([{ subject, value, threshold, record }], state),
			sample: () => [record],
		};
	},
};

function orderBalanceBelow({
	option,
	kind,
	field,
	inWords,
	unit,
}: {
	readonly option: TriggerEvent['option'];
	readonly kind: BalanceKind;
	readonly field: Field;
	/** Such as "48 IPs left today". */
	readonly inWords: (left: number, fields: IDataObject) => string;
	readonly unit: string;
}): TriggerEvent {
	return {
		option,
		orders: { products: [kind.product] },
		offered: async (caller, orders) => await ordersWithBalance(caller, orders, kind),
		properties: [watchedOrderProperty, toProperty(field)],
		async fetchSnapshot(caller, valueOf) {
			const orderid = readChosenOrder(valueOf(orderField.name));
			const threshold = Number(readRequiredField(field, valueOf(field.name)));
			const { balances, warnings } = await fetchBalances(caller, orderid, kind);
			const watched = balances.map(({ orderid: number, left: value, fields }): Watched => {
				const order = number === undefined ? {} : { orderid: number };
				const name = nameOfOrder({ product: kind.product, ...order });
				const left = `${name} has ${inWords(value, fields)}`;
				const text = textOf(left, value, threshold, unit);
				const subject = [caller.credential.secretId, number ?? ''];
				const record = { text, ...order, ...fields, below: threshold };
				return { subject, value, threshold, record };
			});
			return {
				poll: (state) => ({ ...emitCrossings(watched, state), warnings }),
				sample() {
					refuseNoBalances(balances, kind);
					return watched.map(({ record }) => record);
				},
			};
		},
	};
}

export const ipBalanceBelow = orderBalanceBelow({
	option: {
		name: 'IP Balance Below',
		value: 'ipBalanceBelow',
		action: 'On IP balance below a limit',
		description:
			"When a private proxy order runs low on IPs: on all it has left (pay per IP), or on today's (prepaid with concentrated extraction)",
	},
	kind: IP_BALANCE,
	field: {
		name: 'ipBalanceBelow',
		displayName: 'Below (IPs)',
		description: 'The workflow starts when an order has fewer IPs left than this',
		kind: wholeNumber(1, 100_000_000, 1000),
	},
	inWords: (left, { balanceOf }) =>
		`${formatNumber(left)} IPs left${balanceOf === 'today' ? ' today' : ''}`,
	unit: 'IPs',
});

export const trafficBelow = orderBalanceBelow({
	option: {
		name: 'Traffic Below',
		value: 'trafficBelow',
		action: 'On traffic below a limit',
		description:
			'When an overseas dynamic order that is billed by traffic runs low on it, and again after you buy more',
	},
	kind: TRAFFIC_LEFT,
	field: {
		name: 'trafficBelow',
		displayName: 'Below (MB)',
		description: 'The workflow starts when an order has less traffic left than this, in MB',
		kind: wholeNumber(1, 100_000_000, 1000),
	},
	inWords: (left) => `${formatNumber(left)} MB of traffic left`,
	unit: 'MB',
});

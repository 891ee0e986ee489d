import type { IDataObject } from 'n8n-workflow';

import { DAY, HOUR } from '../../durations.mts';
import { many } from '../../many.mts';
import { API } from '../support/api.mts';
import { type Customer, type CustomerRun, FEWER, WEEK, WEEK_ALWAYS } from '../support/customer.mts';
import type { RunResult } from '../support/engine.mts';

/** One purchase, which any number of executions want to make. */
export interface PurchaseKind {
	readonly path: string;
	/** Prepares what it is bought for, and gives what runs the node. */
	open(customer: Customer): (settings: CustomerRun) => Promise<RunResult>;
}

const order = (fields: object): PurchaseKind => ({
	path: API.createorder,
	open: (customer) => async (settings) => await customer.buy({ ...fields }, settings),
});

const renewal = (fields: object): PurchaseKind => ({
	path: API.reneworder,
	open: (customer) => {
		const renewed = 'renewalOf' in fields && fields.renewalOf === 'perIp';
		const bought = renewed ? customer.perIp(50) : customer.tunnel(2 * DAY);
		return async (settings) => await customer.renewByNumber(bought, { ...fields }, settings);
	},
});

const TOP_UP = { renewalOf: 'perIp', dpsIpCount: 1000 };

/** The user's own key is that of the webhook which asks. */
export const ONCE = { createWhen: 'oncePerKey', onceKey: '={{ $json.shopOrder }}' };

export const KINDS = {
	'a new order': order({}),
	'an order for a key': order({ ...ONCE, onceKey: 'A-1' }),
	'a missing order': order(FEWER),
	'a renewal if due': renewal(WEEK),
	'a renewal in any case': renewal(WEEK_ALWAYS),
	'a top-up if few are left': renewal({ ...TOP_UP, balanceBelow: 100 }),
	'a top-up in any case': renewal({ ...TOP_UP, renewWhen: 'always' }),
} satisfies Readonly<Record<string, PurchaseKind>>;

export type SeveralKind = 'new orders' | 'renewals if due' | 'renewals in any case';

/** Purchases of so many items, of which none gives up waiting for an answer. */
export function several(
	customer: Customer,
	kind: SeveralKind,
	count: number,
	more: IDataObject = {},
) {
	const options = { timeout: 600, maxOrdersPerRun: 10, ...more };
	const paidNumbers = () => customer.payments.map(({ orderId }) => orderId);
	if (kind === 'new orders') {
		const items = many(count, (n) => ({ n }));
		const run = async (settings: CustomerRun) =>
			await customer.buy({ options }, { items, ...settings });
		return { path: API.createorder, run, numbers: paidNumbers };
	}
	const orders = many(count, (n) => customer.tunnel(DAY + (n + 1) * HOUR));
	const fields = { ...(kind === 'renewals if due' ? WEEK : WEEK_ALWAYS), options };
	const run = async (settings: CustomerRun) => await customer.renewEach(orders, fields, settings);
	return { path: API.reneworder, run, numbers: () => orders.map(({ orderId }) => orderId) };
}

export type Several = ReturnType<typeof several>;

import type { INodeProperties } from 'n8n-workflow';

import { ApiError, unlessCancelled } from '../../../shared/api/errors';
import { statusOf } from '../../../shared/orders/order';
import { allOrders, fetchOrderDetails } from '../../../shared/orders/queries';
import { CLOSE_ORDER } from '../../../shared/service/endpoints/order';
import { settingQuery, type RunQuery } from '../../../shared/api/call';
import { callOperation, fetching } from '../../run/operation';

const closeNotice: INodeProperties = {
	displayName:
		'Only pay-as-you-go orders can be closed. A closed order cannot be reopened, and its proxies stop working.',
	name: 'closeNotice',
	type: 'notice',
	default: '',
};

/** @param orderid where the account's key pair leads to the order */
async function isClosed(ask: RunQuery, orderid: string | undefined): Promise<boolean> {
	const readOrder = async () => {
		if (orderid === undefined) return await fetchOrderDetails(ask);
		const { orders } = await allOrders(ask);
		return orders.find((order) => order.orderid === orderid);
	};
	return statusOf(await readOrder().catch(unlessCancelled)) === 'CLOSED';
}

/** A refusal may be of an order that is closed already, also by an attempt whose answer got lost. */
async function closeOrder(ask: RunQuery, orderid: string | undefined): Promise<string> {
	return await ask(settingQuery(CLOSE_ORDER)).catch(async (error: unknown) => {
		if (error instanceof ApiError && (await isClosed(ask, orderid))) return 'The order is closed';
		throw error;
	});
}

export const orderClose = callOperation({
	option: {
		name: 'Close',
		value: 'close',
		action: 'Close order',
		description:
			'Close a pay-as-you-go order for good. Its proxies stop working, and Kuaidaili settles the bill.',
	},
	notice: closeNotice,
	orders: { payTypes: ['POST_PAY'] },
	work: fetching(
		CLOSE_ORDER,
		async (ask, _parameters, { orderRecord }) => await closeOrder(ask, orderRecord.orderid),
	),
	toResult: (message, { orderRecord }) => ({
		records: [{ ...orderRecord, closed: true, message }],
	}),
});

import type { INodeProperties } from 'n8n-workflow';

import { ApiError, DescribedError, unlessCancelled } from '../../../shared/api/errors';
import { statusOf } from '../../../shared/orders/order';
import { accountOrders, fetchOrderDetails } from '../../../shared/orders/queries';
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

/** The code for an order that is closed, among others. */
const WRONG_STATE = -2;

/** @param orderid where the account's key pair leads to the order */
async function isClosed(run: RunQuery, orderid: string | undefined): Promise<boolean> {
	const readOrder = async () => {
		if (orderid === undefined) return await fetchOrderDetails(run);
		const { orders } = await run(accountOrders, { status: 'ALL' });
		return orders.find((order) => order.orderid === orderid);
	};
	return statusOf(await readOrder().catch(unlessCancelled)) === 'CLOSED';
}

/** A refusal may be of an order that is closed already, by an attempt whose answer got lost. */
async function closeOrder(run: RunQuery, orderid: string | undefined): Promise<string> {
	return await run(settingQuery(CLOSE_ORDER)).catch(async (error: unknown) => {
		if (!(error instanceof ApiError)) throw error;
		const isUnclear = error.followsUnclear === true;
		if (!isUnclear && error.code !== WRONG_STATE) throw error;
		if (await isClosed(run, orderid)) return 'The order is closed';
		if (!isUnclear) throw error;
		throw new DescribedError({
			message: 'It is unclear whether the order was closed',
			description: `The answer got lost, and Kuaidaili refused to close the order once more, as it does with a closed one. Look the order up in the Kuaidaili member center. ${error.evidence}`,
			code: String(error.code),
		});
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
	irreversible: true,
	notice: closeNotice,
	orders: { payTypes: ['POST_PAY'] },
	work: fetching(
		CLOSE_ORDER,
		async (run, _parameters, { order }) => await closeOrder(run, order.orderid),
	),
	toResult: (message, { order }) => ({ records: [{ ...order, closed: true, message }] }),
});

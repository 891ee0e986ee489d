import { isRecord, type UnknownRecord } from '../guards';
import { GET_ORDER_INFO } from '../service/endpoints/order';
import { answeredOf, type Answered, type Query, type RunQuery } from '../service/query';
import { InvalidResponseError } from '../errors/callErrors';
import { payTypeOf } from '../orders/orderState';
import { orderExpiry } from './orderExpiry';

export interface OrderInfo extends Answered {
	/** As the service sends it; it may hold the password of a tunnel. */
	readonly info: UnknownRecord;
}

const EXPIRY_FIELD = 'expire_time';

function mayLackExpiry(info: UnknownRecord): boolean {
	return !Object.hasOwn(info, EXPIRY_FIELD) && payTypeOf(info) !== 'POST_PAY';
}

/** The details of the order of the key pair. Takes `field_list`: names with commas; all without. */
export const orderInfo: Query<OrderInfo> = {
	endpoint: GET_ORDER_INFO,
	parse(answer) {
		const { data } = answer;
		if (!isRecord(data)) throw new InvalidResponseError('contains no details of the order', '');
		return { info: data, ...answeredOf(answer) };
	},
};

/**
 * The same with its expiry: which fields there are depends on the product, so the expiry is asked for by
 * itself where it is missing.
 *
 * @throws what `callService` throws
 */
export async function fetchOrderInfo(
	run: RunQuery,
	parameters: { readonly field_list?: string },
): Promise<OrderInfo> {
	const { field_list: fields } = parameters;
	const answer = await run(orderInfo, fields === undefined ? {} : { field_list: fields });
	const wantsExpiry = fields === undefined || fields.split(',').includes(EXPIRY_FIELD);
	if (!wantsExpiry || !mayLackExpiry(answer.info)) return answer;
	const { expireTime } = await run(orderExpiry);
	return { ...answer, info: { ...answer.info, [EXPIRY_FIELD]: expireTime } };
}

import { ownValue } from '../guards';
import { GET_ORDER_EXPIRE_TIME } from '../service/endpoints/order';
import { answeredOf, type Answered, type Query } from '../service/query';
import { InvalidResponseError } from '../errors/callErrors';
import { excerptOfData } from '../errors/cleanText';
import { expiryOf } from '../orders/expiry';

export interface OrderExpiry extends Answered {
	/** As the service sends it, in China time; empty for pay-as-you-go orders. */
	readonly expireTime: string;
	/** Milliseconds since 1970; undefined for orders that do not end. */
	readonly expiresAt: number | undefined;
}

/** When the order of the key pair ends. */
export const orderExpiry: Query<OrderExpiry> = {
	endpoint: GET_ORDER_EXPIRE_TIME,
	parse(answer, secrets) {
		const { data } = answer;
		const expireTime = ownValue(data, 'expire_time');
		const expiresAt = expiryOf(data);
		if (expireTime !== '' && expiresAt === undefined) {
			throw new InvalidResponseError(
				'contains no expiry time that this node can read',
				excerptOfData(data, secrets),
			);
		}
		return { expireTime: String(expireTime), expiresAt, ...answeredOf(answer) };
	},
};

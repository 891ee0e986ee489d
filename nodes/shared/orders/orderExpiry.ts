import { ownValue } from '../guards';
import { GET_ORDER_EXPIRE_TIME } from '../service/endpoints/order';
import type { Query } from '../service/query';
import { InvalidResponseError } from '../errors/callErrors';
import { excerptOfData } from '../errors/cleanText';
import { expiryOf } from './expiry';

export interface OrderExpiry {
	/** As the service sends it, in China time; empty for pay-as-you-go orders. */
	readonly expireTime: string;
	/** Milliseconds since 1970; undefined for orders that do not end. */
	readonly expiresAt: number | undefined;
	/** Milliseconds since 1970, by the clock of the service. */
	readonly answeredAt: number;
}

/** When the order of the key pair ends. */
export const orderExpiry: Query<OrderExpiry> = {
	endpoint: GET_ORDER_EXPIRE_TIME,
	parse({ data, answeredAt }, secrets) {
		const expireTime = ownValue(data, 'expire_time');
		const expiresAt = expiryOf(data);
		const isKnown = expireTime === '' || expiresAt !== undefined;
		if (typeof expireTime !== 'string' || !isKnown) {
			throw new InvalidResponseError('contains no expiry time', excerptOfData(data, secrets));
		}
		return { expireTime, expiresAt, answeredAt };
	},
};

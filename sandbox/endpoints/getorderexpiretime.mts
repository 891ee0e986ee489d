import { success } from '../answers/answer.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { writtenExpiry } from '../time/chinaTime.mts';
import { orderEndpoint } from './endpoint.mts';

export const getOrderExpireTime = orderEndpoint({
	path: '/api/getorderexpiretime',
	hosts: ['base'],
	rules: () => [perSecond(10)],
	answer: ({ order, service }) =>
		success({ expire_time: writtenExpiry(order, service.settings.expiryForm) }),
});

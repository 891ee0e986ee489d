import { success } from '../answers/answer.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { anyKeyEndpoint } from './endpoint.mts';

export const getMyIp = anyKeyEndpoint({
	path: '/api/getmyip',
	hosts: ['base'],
	rule: perSecond(10),
	answer: ({ call }) => success({ ip: call.clientAddress }),
});

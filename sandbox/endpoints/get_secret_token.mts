import { Refusal, success } from '../answers/answer.mts';
import { checkClientAddress } from '../authentication/authenticate.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { tokenEndpoint } from './endpoint.mts';

export const getSecretToken = tokenEndpoint({
	path: '/api/get_secret_token',
	hosts: ['auth'],
	rule: perSecond(1),
	identify: (call, { authentication }) => {
		const secretId = call.parameters.get('secret_id');
		const secretKey = call.parameters.get('secret_key');
		if (!secretId || !secretKey) throw new Refusal(-1, '缺少参数');
		const caller = authentication.store.findCaller(secretId);
		if (caller?.keys.secretKey !== secretKey) throw new Refusal(-2, 'secret_id或secret_key错误');
		checkClientAddress(call, caller);
		return caller;
	},
	answer: ({ caller, service }) => {
		const token = service.authentication.tokens.obtain(caller.keys.secretId);
		return success(
			{ secret_token: token.value, expire: Math.floor(token.remainingMs / 1000) },
			'success',
		);
	},
});

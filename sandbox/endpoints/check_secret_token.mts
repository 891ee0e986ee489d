import { Refusal, success } from '../answers/answer.mts';
import { checkClientAddress } from '../authentication/authenticate.mts';
import { RENEWAL_MARGIN_MS } from '../authentication/tokens.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { tokenEndpoint } from './endpoint.mts';

function required(value: string | undefined): string {
	if (!value) throw new Refusal(-1, '缺少参数');
	return value;
}

function wrong(): Refusal {
	return new Refusal(-2, 'secret_id或secret_token错误');
}

export const checkSecretToken = tokenEndpoint({
	path: '/api/check_secret_token',
	// One example in the service's documentation uses the base host for it.
	hosts: ['auth', 'base'],
	rule: perSecond(10),
	identify: (call, { authentication }) => {
		const secretId = required(call.parameters.get('secret_id'));
		required(call.parameters.get('secret_token'));
		const caller = authentication.store.findCaller(secretId);
		if (!caller) throw wrong();
		checkClientAddress(call, caller);
		return caller;
	},
	answer: ({ call, caller, service }) => {
		const value = required(call.parameters.get('secret_token'));
		const token = service.authentication.tokens.find(caller.keys.secretId, value);
		// A forgotten one is answered as calls with it are.
		const isForgotten = token?.refusedWith !== undefined;
		if (!token || (isForgotten && token.refusedWith !== -107)) throw wrong();
		if (isForgotten) return { code: -107, msg: 'expired', data: { expire: 0 } };
		const data = { expire: Math.floor(token.remainingMs / 1000) };
		// The only failures of the service that carry data.
		if (token.remainingMs === 0) return { code: -107, msg: 'expired', data };
		if (token.remainingMs <= RENEWAL_MARGIN_MS) return { code: -5, msg: 'expiring', data };
		return success(data, 'ok');
	},
});

import type { KuaidailiCredential } from '../credential/kuaidailiCredential';
import { signRequest } from '../credential/signRequest';
import { Authentication, type AuthenticationSources } from './authentication';
import type { Caller } from './caller';
import type { Secrets } from './cleanText';
import type { PlainRequest } from './fetchSecretToken';
import { toHttpResponse } from '../response/httpResponse';

export interface DirectCall extends AuthenticationSources {
	readonly credential: KuaidailiCredential;
	readonly timeoutMs: number;
	readonly signal?: AbortSignal;
	readonly log: Caller['log'];
	/** Sends what is signed already. */
	readonly send: PlainRequest;
	/** What must not be shown besides the key and the token of the credential. */
	readonly otherSecrets?: () => Secrets;
	readonly onRefusal?: Caller['onRefusal'];
}

/**
 * A caller that signs on its own, for key pairs that n8n doesn't hold: those of a credential being tested,
 * and those that the service returns for an order.
 */
export function directCaller({
	credential,
	timeoutMs,
	signal,
	log,
	send,
	otherSecrets = () => [],
	onRefusal,
	...sources
}: DirectCall): Caller {
	const authentication = new Authentication(credential, sources);
	return {
		get credential() {
			return authentication.credential;
		},
		timeoutMs,
		signal,
		log,
		secrets: () => [...authentication.secrets(), ...otherSecrets()],
		prepare: async () => await authentication.prepare(),
		onRefusal,
		renewAuthentication: (refusal) => authentication.renew(refusal),
		async send(request) {
			const { token } = authentication;
			const signed = signRequest(authentication.credential, request, Date.now(), token);
			return toHttpResponse(await send(signed));
		},
	};
}

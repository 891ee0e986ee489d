import type { KuaidailiCredential } from '../credential/kuaidailiCredential';
import { serializeSecretToken, type SecretToken } from '../credential/secretToken';
import { signRequest } from '../credential/signRequest';
import type { ApiError } from './callErrors';
import type { Caller } from './callService';
import type { Secrets } from './cleanText';
import type { PlainRequest } from './fetchSecretToken';
import { toHttpResponse } from './httpResponse';
import { discardSharedToken } from './sharedToken';

export interface DirectCall {
	readonly credential: KuaidailiCredential;
	readonly timeoutMs: number;
	readonly signal?: AbortSignal;
	/** Sends what is signed already. */
	readonly send: PlainRequest;
	/** Gets the token of the credential, where its sign type needs one. */
	readonly obtainToken: () => Promise<SecretToken>;
	/** What must not be shown besides the key and the token of the credential. */
	readonly otherSecrets?: Secrets;
	readonly onRefusal?: (error: ApiError) => void;
}

/**
 * A caller that signs by itself. For key pairs that n8n does not hold: those of a credential that is
 * only being tested, and those that the service hands out for an order.
 */
export function directCaller({
	credential,
	timeoutMs,
	signal,
	send,
	obtainToken,
	otherSecrets = [],
	onRefusal,
}: DirectCall): Caller {
	const usesToken = credential.signType === 'token';
	let token: SecretToken | undefined;

	return {
		credential,
		timeoutMs,
		signal,
		secrets: () => [credential.secretKey, token?.token ?? '', ...otherSecrets],
		preparationMs: () => 0,
		onRefusal,
		refreshToken() {
			if (!usesToken) return false;
			if (token !== undefined) discardSharedToken(credential, token.token);
			token = undefined;
			return true;
		},
		async prepare() {
			if (usesToken) token = await obtainToken();
		},
		async send(request) {
			// It was usable before the turn came, and is good for a while longer
			const inUse = token && { ...token, renewAt: token.expiresAt };
			const storedToken = inUse === undefined ? '' : serializeSecretToken(inUse);
			const signed = signRequest({ ...credential, storedToken }, request, Date.now());
			return toHttpResponse(await send(signed));
		},
	};
}

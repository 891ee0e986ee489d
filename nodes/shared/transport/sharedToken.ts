import type { KuaidailiCredential } from '../credential/kuaidailiCredential';
import { keyPairFingerprint } from '../credential/secretToken';
import { fetchSecretToken, type PlainRequest, type TokenFetch } from './fetchSecretToken';
import { secretTokens } from './processState';
import { singleFlight } from './singleFlight';

/**
 * The token that all executions of this process share, fetched if there is none in memory. It is kept
 * nowhere else: given a token to store, older versions of n8n, such as 1.123 and 2.20, store the whole
 * credential with it, and replace each expression with its value for one item.
 *
 * @throws CancelledError when the signal aborts, and what `fetchSecretToken` throws
 */
export async function obtainSharedToken(
	credential: KuaidailiCredential,
	send: PlainRequest,
	settings: TokenFetch = {},
): Promise<string> {
	const fetch = async () => await fetchSecretToken(credential, send, settings);
	const fingerprint = keyPairFingerprint(credential);
	const { token } = await singleFlight(
		async () => await secretTokens.obtain(fingerprint, fetch),
		settings.signal,
	);
	return token;
}

/** The token in memory; undefined where none was fetched, or the service refused it. */
export function sharedToken(credential: KuaidailiCredential): string | undefined {
	return secretTokens.peek(keyPairFingerprint(credential))?.token;
}

/** Forgets a token that the service refused; a newer one, fetched meanwhile, stays. */
export function discardSharedToken(credential: KuaidailiCredential, token: string): void {
	if (sharedToken(credential) === token) secretTokens.delete(keyPairFingerprint(credential));
}

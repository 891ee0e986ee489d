import type { KuaidailiCredential } from '../credential/kuaidailiCredential';
import { keyPairFingerprint, type SecretToken } from '../credential/secretToken';
import { secretTokens } from './processState';
import { fetchSecretToken, type PlainRequest } from './fetchSecretToken';
import { singleFlight } from './singleFlight';

/**
 * The token that all executions of this process share, fetched where none is in memory.
 *
 * @throws CancelledError when `signal` aborts, and what `fetchSecretToken` throws
 */
export async function obtainSharedToken(
	credential: KuaidailiCredential,
	send: PlainRequest,
	timeoutMs: number,
	signal: AbortSignal | undefined,
): Promise<SecretToken> {
	const fetch = async () => await fetchSecretToken(credential, send, timeoutMs, signal);
	const fingerprint = keyPairFingerprint(credential);
	return await singleFlight(async () => await secretTokens.obtain(fingerprint, fetch), signal);
}

/** Forgets a token that the service refused; a newer one, fetched meanwhile, stays. */
export function discardSharedToken(credential: KuaidailiCredential, token: string): void {
	const fingerprint = keyPairFingerprint(credential);
	if (secretTokens.peek(fingerprint)?.token === token) secretTokens.delete(fingerprint);
}

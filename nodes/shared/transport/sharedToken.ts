import type { KuaidailiCredential } from '../credential/kuaidailiCredential';
import { keyPairFingerprint, type SecretToken } from '../credential/secretToken';
import { CancelledError } from '../loadedOnce/callErrors';
import { secretTokens } from '../loadedOnce/processState';
import { fetchSecretToken, type PlainRequest } from './fetchSecretToken';

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
	// It may be fetched for several executions, of which the one that began is then cancelled
	const unlessOnlyThatOne = (error: unknown): undefined => {
		if (error instanceof CancelledError && signal?.aborted !== true) return undefined;
		throw error;
	};
	for (;;) {
		const token = await secretTokens
			.obtain(keyPairFingerprint(credential), fetch)
			.catch(unlessOnlyThatOne);
		if (token !== undefined) return token;
	}
}

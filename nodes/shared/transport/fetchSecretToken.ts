import type { IHttpRequestOptions } from 'n8n-workflow';

import type { KuaidailiCredential } from '../credential/kuaidailiCredential';
import { newSecretToken, type SecretToken } from '../credential/secretToken';
import { ownValue } from '../guards';
import { silenceLimitMs } from './callTime';
import { CallError, CancelledError, InvalidResponseError } from './callErrors';
import type { Secrets } from './cleanText';
import { withDeadline } from './deadline';
import { rateLimiter } from './processState';
import { GET_SECRET_TOKEN } from '../service/endpoints/token';
import { networkError } from './networkError';
import { parseEnvelope, RESPONSE_OPTIONS, toHttpResponse } from '../response/httpResponse';
import { rateLimitKey } from './rateLimitKey';

const TIMEOUT_MS = 30_000;

/** Sends as it is, without signing: the token endpoint takes the key pair itself. */
export type PlainRequest = (request: IHttpRequestOptions) => Promise<unknown>;

function tokenFrom(data: unknown): { token: string; lifeSeconds: number } {
	const token = ownValue(data, 'secret_token');
	const expire = ownValue(data, 'expire');
	if (typeof token !== 'string' || token === '' || typeof expire !== 'number' || !(expire > 0)) {
		// Without an excerpt: it could be the token
		throw new InvalidResponseError('contains no usable secret token', '');
	}
	return { token, lifeSeconds: expire };
}

export interface TokenFetch {
	readonly timeoutMs?: number;
	readonly signal?: AbortSignal;
	/** What must not be shown besides the key, such as an older token. */
	readonly otherSecrets?: Secrets;
}

/**
 * Fetches a secret token: POST with the key pair as form fields, once per second at most.
 *
 * @throws CancelledError when the signal aborts, ApiError, HttpStatusError, InvalidResponseError, NetworkError
 */
export async function fetchSecretToken(
	credential: KuaidailiCredential,
	send: PlainRequest,
	{ timeoutMs = TIMEOUT_MS, signal, otherSecrets = [] }: TokenFetch = {},
): Promise<SecretToken> {
	const { host: hostName, path, method, intervalMs } = GET_SECRET_TOKEN;
	const host = credential.hosts[hostName];
	await rateLimiter.acquire(rateLimitKey(credential, GET_SECRET_TOKEN), intervalMs, signal);

	const request: IHttpRequestOptions = {
		...RESPONSE_OPTIONS,
		method,
		url: `${host}${path}`,
		headers: { 'content-type': 'application/x-www-form-urlencoded' },
		body: { secret_id: credential.secretId, secret_key: credential.secretKey },
		timeout: silenceLimitMs(timeoutMs, timeoutMs),
	};
	const secrets = [credential.secretKey, ...otherSecrets];
	const deadline = { url: host, limitMs: timeoutMs, timeoutMs, signal };
	const answer = await withDeadline(send(request), deadline)
		.then((reply) => parseEnvelope(GET_SECRET_TOKEN, toHttpResponse(reply), secrets, Date.now()))
		.catch((error: unknown) => {
			// n8n's helper says so in its own way, and others may wait for the same token
			if (signal?.aborted === true) throw new CancelledError();
			if (error instanceof CallError) throw error;
			throw networkError(error, host, timeoutMs, secrets);
		});
	const { token, lifeSeconds } = tokenFrom(answer.data);
	return newSecretToken(token, lifeSeconds, Date.now());
}

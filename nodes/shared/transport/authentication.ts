import type { IHttpRequestOptions } from 'n8n-workflow';

import {
	keyPairFingerprint,
	type KuaidailiCredential,
	type KeyPair,
} from '../credential/kuaidailiCredential';
import { ownValue } from '../guards';
import {
	CallError,
	CancelledError,
	InvalidResponseError,
	networkError,
	type ApiError,
} from '../errors/callErrors';
import type { Secrets } from '../errors/cleanText';
import { GET_SECRET_TOKEN } from '../service/endpoints/account';
import { parseEnvelope, readResponse, RESPONSE_OPTIONS } from '../response/httpResponse';
import { ResponseCache, singleFlight } from '../concurrency/responseCache';
import { loggedWait, type Waiter } from '../concurrency/wait';
import { silenceLimitMs, withDeadline } from './retryPolicy';
import { rateLimiter, rateLimitKey } from './rateLimiter';
import type { EpochMs } from '../service/chinaTime';

/** A secret token, which takes the place of a signature until it expires. */
export interface SecretToken {
	readonly token: string;
	/** From this moment on a new token is fetched. */
	readonly renewAt: EpochMs;
}

const EARLIEST_RENEWAL_MS = 60_000;

/**
 * @param lifeSeconds the remaining life that the service states, not the full life
 */
export function newSecretToken(token: string, lifeSeconds: number, now: EpochMs): SecretToken {
	const lifeMs = lifeSeconds * 1000;
	// A tenth at most: the service hands out the same token while it has over 5 minutes left, so
	// a larger margin would call a token stale that was fetched a moment ago
	const margin = Math.min(EARLIEST_RENEWAL_MS, lifeMs / 10);
	return { token, renewAt: now + lifeMs - margin };
}

/** Shared by all executions of this process, each until it has to be renewed, a day at most. */
const secretTokens = new ResponseCache<SecretToken>({
	longestAgeMs: 86_400_000,
	largestSize: 500,
	isUsable: ({ renewAt }) => Date.now() < renewAt,
});

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
	readonly log?: Waiter['log'];
	/** What must not be shown besides the key, such as an older token. */
	readonly otherSecrets?: Secrets;
}

/** Fetches a secret token: POST with the key pair as form fields, once per second at most. */
export async function fetchSecretToken(
	credential: KuaidailiCredential,
	send: PlainRequest,
	{ timeoutMs = TIMEOUT_MS, signal, log = () => {}, otherSecrets = [] }: TokenFetch = {},
): Promise<SecretToken> {
	const { host: hostName, path, method, intervalMs } = GET_SECRET_TOKEN;
	const host = credential.hosts[hostName];
	const turn = rateLimiter.acquire(rateLimitKey(credential, GET_SECRET_TOKEN), intervalMs, signal);
	await loggedWait(turn, { log }, path, 'for its turn');

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
	const answer = await withDeadline(async (abortSignal) => {
		const reply = await send({ ...request, abortSignal });
		return await readResponse(reply, abortSignal);
	}, deadline)
		.then((reply) => parseEnvelope(GET_SECRET_TOKEN, reply, secrets, Date.now()))
		.catch((error: unknown) => {
			// n8n's helper says so in its own way, and others may wait for the same token
			if (signal?.aborted === true) throw new CancelledError();
			if (error instanceof CallError) throw error;
			throw networkError(error, host, timeoutMs, secrets);
		});
	const { token, lifeSeconds } = tokenFrom(answer.data);
	return newSecretToken(token, lifeSeconds, Date.now());
}

/**
 * The token that all executions of this process share, fetched if there is none in memory. It is kept
 * nowhere else: given a token to store, older versions of n8n, such as 1.123 and 2.20, store the whole
 * credential with it, and replace each expression with its value for one item.
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

/** Forgets a token that the service refused; a newer one, fetched meanwhile, stays. */
function discardSharedToken(credential: KuaidailiCredential, token: string): void {
	const fingerprint = keyPairFingerprint(credential);
	if (secretTokens.peek(fingerprint)?.token === token) secretTokens.delete(fingerprint);
}

/** Wrong signature, expired, no token: the service does not know the token, or no longer. */
const TOKEN_REFUSED: ReadonlySet<number> = new Set([-104, -107, -122]);

/** Also that of an order that has ended. */
const NO_SUCH_KEY = -102;

/** No such key pair, wrong signature: it may have been changed in the member center. */
const KEY_PAIR_REFUSED: ReadonlySet<number> = new Set([NO_SUCH_KEY, -104]);

/** What the token endpoint says to the old Secret Key. */
const WRONG_KEY = -2;

export interface AuthenticationSources {
	/** Gets the token of a key pair, where the sign type needs one. */
	readonly obtainToken: (credential: KuaidailiCredential, secrets: Secrets) => Promise<string>;
	/**
	 * How the present key pair of an order is fetched after this one was refused; undefined where that
	 * cannot help. Left out for the key pair of the credential.
	 *
	 * @param mayHaveEnded whether the end of the order would be refused in the same way
	 */
	readonly renewKeyPair?: (
		refused: KeyPair,
		mayHaveEnded: boolean,
	) => (() => Promise<KeyPair>) | undefined;
}

/** What the requests of one caller prove themselves with: a key pair, and a token where that is the sign type. */
export class Authentication {
	private currentToken: string | undefined;
	private refusedToken: string | undefined;
	private fetchKeyPair: (() => Promise<KeyPair>) | undefined;

	constructor(
		private currentCredential: KuaidailiCredential,
		private readonly sources: AuthenticationSources,
	) {}

	get credential(): KuaidailiCredential {
		return this.currentCredential;
	}

	/** Undefined with sign type hmacsha1, and before `prepare`. */
	get token(): string | undefined {
		return this.currentToken;
	}

	secrets(): Secrets {
		return [this.credential.secretKey, this.token ?? '', this.refusedToken ?? ''];
	}

	/** Gets what is needed; rejects as the fetching does. */
	async prepare(): Promise<void> {
		if (this.fetchKeyPair !== undefined) {
			const keyPair = await this.fetchKeyPair();
			this.currentCredential = { ...this.credential, ...keyPair };
			this.fetchKeyPair = undefined;
		}
		if (this.credential.signType === 'token') {
			this.currentToken = await this.sources.obtainToken(this.credential, this.secrets());
		}
	}

	/**
	 * Forgets what the service refused, so that `prepare` fetches it again.
	 *
	 * @returns false where nothing can be fetched again
	 */
	renew({ endpoint, code }: ApiError): boolean {
		const isOldKey = endpoint === GET_SECRET_TOKEN && code === WRONG_KEY;
		if (isOldKey || KEY_PAIR_REFUSED.has(code)) {
			this.fetchKeyPair = this.sources.renewKeyPair?.(this.credential, code === NO_SUCH_KEY);
		}
		if (this.currentToken !== undefined && TOKEN_REFUSED.has(code)) {
			discardSharedToken(this.credential, this.currentToken);
			this.refusedToken = this.currentToken;
			this.currentToken = undefined;
			return true;
		}
		return this.fetchKeyPair !== undefined;
	}
}

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

/** Takes the place of a signature until it expires. */
interface SecretToken {
	readonly token: string;
	/** From this moment on a new token is fetched. */
	readonly renewAt: EpochMs;
}

const EARLIEST_RENEWAL_MS = 60_000;

/** Shared by all executions of this process, each until it has to be renewed, a day at most. */
const secretTokens = new ResponseCache<SecretToken>({
	longestAgeMs: 86_400_000,
	largestSize: 500,
	isUsable: ({ renewAt }) => Date.now() < renewAt,
});

/** Sends as it is, without signing. */
export type PlainRequest = (request: IHttpRequestOptions) => Promise<unknown>;

function tokenFrom(data: unknown): SecretToken {
	const token = ownValue(data, 'secret_token');
	// What is left of its life, in seconds
	const expire = ownValue(data, 'expire');
	if (typeof token !== 'string' || token === '' || typeof expire !== 'number' || !(expire > 0)) {
		// Without an excerpt: it could be the token
		throw new InvalidResponseError('contains no usable secret token', '');
	}
	const lifeMs = expire * 1000;
	// A tenth at most: the service hands out the same token while it has over 5 minutes left, so
	// a larger margin would call a token stale that was fetched a moment ago
	const margin = Math.min(EARLIEST_RENEWAL_MS, lifeMs / 10);
	return { token, renewAt: Date.now() + lifeMs - margin };
}

/** POST with the key pair as form fields, once per second at most. */
async function fetchSecretToken(
	credential: KuaidailiCredential,
	{ send, timeoutMs, signal, log }: AuthenticationSettings,
	secrets: Secrets,
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
	return tokenFrom(answer.data);
}

/** Wrong signature, expired, no token: the service does not know the token, or no longer. */
const TOKEN_REFUSED: ReadonlySet<number> = new Set([-104, -107, -122]);

/** Also that of an order that has ended. */
const NO_SUCH_KEY = -102;

/** No such key pair, wrong signature: it may have been changed in the member center. */
const KEY_PAIR_REFUSED: ReadonlySet<number> = new Set([NO_SUCH_KEY, -104]);

/** What the token endpoint says to the old Secret Key. */
const WRONG_KEY = -2;

export interface AuthenticationSettings {
	readonly send: PlainRequest;
	readonly timeoutMs: number;
	readonly signal?: AbortSignal;
	readonly log: Waiter['log'];
	/** Whether a token in memory is passed over: it would hide that the key was changed. */
	readonly fetchesToken?: true;
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
		private readonly settings: AuthenticationSettings,
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

	async prepare(): Promise<void> {
		if (this.fetchKeyPair !== undefined) {
			const keyPair = await this.fetchKeyPair();
			this.currentCredential = { ...this.credential, ...keyPair };
			this.fetchKeyPair = undefined;
		}
		if (this.credential.signType === 'token') {
			this.currentToken = (await this.obtainToken()).token;
		}
	}

	/**
	 * Kept nowhere but in memory: given a token to store, older versions of n8n, such as 1.123 and 2.20, store the
	 * whole credential with it, and replace each expression with its value for one item.
	 */
	private async obtainToken(): Promise<SecretToken> {
		const { credential, settings } = this;
		const fetch = async () => await fetchSecretToken(credential, settings, this.secrets());
		if (settings.fetchesToken === true) return await fetch();
		const key = keyPairFingerprint(credential);
		return await singleFlight(async () => await secretTokens.obtain(key, fetch), settings.signal);
	}

	/**
	 * Forgets what the service refused, so that `prepare` fetches it again.
	 *
	 * @returns false where nothing can be fetched again
	 */
	renew({ endpoint, code }: ApiError): boolean {
		const isOldKey = endpoint === GET_SECRET_TOKEN && code === WRONG_KEY;
		if (isOldKey || KEY_PAIR_REFUSED.has(code)) {
			this.fetchKeyPair = this.settings.renewKeyPair?.(this.credential, code === NO_SUCH_KEY);
		}
		if (this.currentToken !== undefined && TOKEN_REFUSED.has(code)) {
			const key = keyPairFingerprint(this.credential);
			// A newer one, fetched meanwhile, stays
			if (secretTokens.peek(key)?.token === this.currentToken) secretTokens.delete(key);
			this.refusedToken = this.currentToken;
			this.currentToken = undefined;
			return true;
		}
		return this.fetchKeyPair !== undefined;
	}
}

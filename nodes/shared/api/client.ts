import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';
import {
	CREDENTIAL_TYPE,
	clockCorrection,
	keyPairFingerprint,
	readCredential,
	type KeyPair,
	type KuaidailiCredential,
	type SignatureStamp,
} from './sign';
import { ResponseCache } from './cache';
import {
	asError,
	CallError,
	CancelledError,
	DescribedError,
	failureOf,
	InvalidResponseError,
	NetworkError,
	networkError,
	type ApiError,
} from './errors';
import { LONGEST_SECRET, type Secrets } from './cleanText';
import { ownValue } from '../guards';
import type { EpochMs } from '../service/chinaTime';
import { UNKNOWN_KEY_PAIR } from '../service/codes';
import type { Endpoint } from '../service/endpoint';
import { GET_SECRET_TOKEN } from '../service/endpoints/account';
import type { ServiceAnswer } from '../service/wireTypes';
import { rateLimiter, rateLimitKey } from './rateLimiter';
import { parseResponse } from './answer';

/** A client of the service with one key pair, for an execution or a list of the editor. */
export interface ApiClient {
	/** Aborts when the execution is cancelled. */
	readonly signal: AbortSignal | undefined;
	readonly credential: KuaidailiCredential;
	/** The time for one call in milliseconds, with all its attempts if it may be repeated. */
	readonly timeoutMs: number;
	/** The order that it calls for with the account's key pair. */
	readonly orderid?: string;
	/** Texts that must not be shown, as they are at this moment. */
	secrets(): Secrets;
	/** Fetches the token that `send` needs, so that `send` doesn't have to wait; rejects as `send` does. */
	prepare(endpoint: Endpoint): Promise<void>;
	/** Signs and sends; resolves with what n8n's helper returns, for every HTTP status. */
	send(request: IHttpRequestOptions, endpoint: Endpoint, stamp?: SignatureStamp): Promise<unknown>;
	/**
	 * Forgets the token or the key pair that the service refused, so that `prepare` fetches it again; false
	 * where nothing can be fetched again.
	 */
	renewAuthentication(refusal: ApiError): boolean;
}

const RESPONSE_OPTIONS = {
	// Anything else, n8n's helpers turn into numbers and objects, such as the text 12345
	encoding: 'text',
	json: false,
	returnFullResponse: true,
	// A rejected status would make n8n send the request again after a 401
	ignoreHttpStatusErrors: true,
	// A redirect would carry the signature to another address, and could repeat a purchase
	disableFollowRedirect: true,
} as const satisfies Partial<IHttpRequestOptions>;

/** The shortest silence before a repeatable call is tried again. */
const MIN_SILENCE_MS = 5000;

/** The number of attempts that share the time of a call. */
const ATTEMPTS = 3;

/** The timeout of n8n's helper restarts with every byte that arrives; this one doesn't. */
const GRACE_MS = 500;

/**
 * Sends once, and parses the response. Settles when that is done or `limitMs` are over; nothing goes on after that.
 * Throws CallError.
 */
export async function sendRequest(
	sender: Omit<ApiClient, 'prepare' | 'renewAuthentication'>,
	endpoint: Endpoint,
	content: Pick<IHttpRequestOptions, 'qs' | 'headers' | 'body'>,
	limitMs: number,
	stamp?: SignatureStamp,
): Promise<ServiceAnswer> {
	const { credential, timeoutMs, signal, orderid } = sender;
	const url = `${credential.hosts[endpoint.host]}${endpoint.path}`;
	// How long nothing may arrive before there is no time for another attempt
	const silenceMs = Math.max(MIN_SILENCE_MS, Math.floor(timeoutMs / ATTEMPTS));
	const isOver = AbortSignal.timeout(limitMs + GRACE_MS);
	const abortSignal = signal === undefined ? isOver : AbortSignal.any([isOver, signal]);
	const request: IHttpRequestOptions = {
		...RESPONSE_OPTIONS,
		...content,
		method: endpoint.method,
		url,
		timeout: endpoint.isRepeatable ? Math.min(limitMs, silenceMs) : limitMs,
		abortSignal,
	};
	const reply = await sender.send(request, endpoint, stamp).catch((error: unknown): never => {
		// n8n's helper says both in its own way
		if (signal?.aborted === true) throw new CancelledError(true);
		if (isOver.aborted) {
			throw new NetworkError(failureOf('timeout'), new URL(url).host, timeoutMs);
		}
		throw error instanceof CallError
			? error
			: networkError(error, url, timeoutMs, sender.secrets());
	});
	const answer = parseResponse(endpoint, reply, sender.secrets(), Date.now(), orderid);
	const correctionMs = clockCorrection(credential.hosts[endpoint.host]);
	return { ...answer, answeredAt: answer.answeredAt + correctionMs };
}

/** Takes the place of a signature until it expires. */
interface SecretToken {
	readonly token: string;
	/** The moment from which on a new token is fetched. */
	readonly renewAt: EpochMs;
}

const EARLIEST_RENEWAL_MS = 60_000;

/**
 * Tokens of all executions of this process, each until it has to be renewed, a day at most. Kept nowhere but in memory:
 * what n8n stores of one would be found in its database and its backups.
 */
const secretTokens = new ResponseCache<SecretToken>({
	longestAgeMs: 86_400_000,
	largestSize: 500,
	isUsable: ({ renewAt }) => Date.now() < renewAt,
});

function tokenFrom(data: unknown): SecretToken {
	const token = ownValue(data, 'secret_token');
	// What is left of its life, in seconds
	const expire = ownValue(data, 'expire');
	const isToken = typeof token === 'string' && token !== '' && token.length <= LONGEST_SECRET;
	if (!isToken || typeof expire !== 'number' || !(expire > 0)) {
		// Without an excerpt: it could be the token
		throw new InvalidResponseError('contains no usable secret token', '');
	}
	const lifeMs = expire * 1000;
	// A tenth at most: the service hands out the same token while it has over 5 minutes left, so
	// a larger margin would call a token stale that was fetched a moment ago
	const margin = Math.min(EARLIEST_RENEWAL_MS, lifeMs / 10);
	return { token, renewAt: Date.now() + lifeMs - margin };
}

/** The token has expired, or there was none: nothing is wrong with the key pair. */
const ABOUT_TOKEN: ReadonlySet<number> = new Set([-107, -122]);

/**
 * In an execution, n8n's helper replaces the signal of a request by the execution's own, with which no deadline
 * could end it. The signal that is here already ends with the execution, too.
 */
function withLastingSignal({ abortSignal, ...request }: IHttpRequestOptions): IHttpRequestOptions {
	const lasting = { get: () => abortSignal, set: () => {}, enumerable: true, configurable: true };
	return Object.defineProperty(request, 'abortSignal', lasting);
}

/** The order whose key pair a client has, where the account's key pair gives access to it. */
interface ReachedOrder {
	readonly orderid: string;
	/** Fetches the present key pair of the order after this one was refused. */
	readonly renewKeyPair?: (refused: KeyPair) => Promise<KeyPair>;
}

type NodeContext = IExecuteFunctions | IPollFunctions | ILoadOptionsFunctions;

/** A client with the key pair of the node's credential, or of an order. */
export class NodeApiClient implements ApiClient {
	readonly orderid: string | undefined;

	private token: string | undefined;

	private refusedToken: string | undefined;

	private isKeyPairRefused = false;

	/** @param data of the credential, as n8n has it */
	constructor(
		private readonly context: NodeContext,
		private readonly data: ICredentialDataDecryptedObject,
		public credential: KuaidailiCredential,
		readonly timeoutMs: number,
		readonly signal: AbortSignal | undefined,
		private readonly order?: ReachedOrder & { readonly account: ApiClient },
	) {
		this.orderid = order?.orderid;
	}

	/** A client with the key pair of an order, which sends in the same way. */
	withKeyPair(keyPair: KeyPair, order: ReachedOrder): ApiClient {
		const { context, data, timeoutMs, signal } = this;
		const credential = { ...this.credential, ...keyPair };
		const reached = { ...order, account: this };
		return new NodeApiClient(context, data, credential, timeoutMs, signal, reached);
	}

	secrets(): Secrets {
		const { credential, token = '', refusedToken = '', order } = this;
		return [credential.secretKey, token, refusedToken, ...(order?.account.secrets() ?? [])];
	}

	async prepare(endpoint: Endpoint): Promise<void> {
		const { credential, order } = this;
		if (this.isKeyPairRefused && order?.renewKeyPair !== undefined) {
			this.credential = { ...credential, ...(await order.renewKeyPair(credential)) };
			this.isKeyPairRefused = false;
		}
		if (!this.takesToken(endpoint)) return;
		const key = keyPairFingerprint(this.credential);
		const fetch = async () => await this.fetchToken();
		({ token: this.token } = await secretTokens.obtain(key, fetch, this.signal));
	}

	renewAuthentication({ code, endpoint }: ApiError): boolean {
		const { token, order } = this;
		this.isKeyPairRefused = order?.renewKeyPair !== undefined && !ABOUT_TOKEN.has(code);
		const isOfToken = this.takesToken(endpoint) && code !== UNKNOWN_KEY_PAIR;
		if (token === undefined || !isOfToken) return this.isKeyPairRefused;
		secretTokens.forget(keyPairFingerprint(this.credential), (known) => known.token === token);
		this.refusedToken = token;
		this.token = undefined;
		return true;
	}

	async send(
		request: IHttpRequestOptions,
		endpoint: Endpoint,
		stamp?: SignatureStamp,
	): Promise<unknown> {
		const { keyType, secretId, secretKey } = this.credential;
		// The credential sends the token that it finds there, and signs where there is none
		const secretToken = this.takesToken(endpoint) ? (this.token ?? '') : '';
		const proof = { keyType, secretId, secretKey, secretToken, stamp: { ...stamp } };
		const reply: unknown = await this.context.helpers.httpRequestWithAuthentication.call(
			this.context,
			CREDENTIAL_TYPE,
			withLastingSignal(request),
			{
				credentialsDecrypted: {
					id: '',
					name: '',
					type: CREDENTIAL_TYPE,
					data: { ...this.data, ...proof },
				},
			},
		);
		return reply;
	}

	/** A signed request that is delivered twice is carried out once, so purchases are always signed. */
	private takesToken({ kind }: Endpoint): boolean {
		return this.credential.signType === 'token' && kind !== 'purchase';
	}

	/** POST with the key pair as form fields, once per second at most. */
	private async fetchToken(): Promise<SecretToken> {
		const { context, credential, timeoutMs, signal } = this;
		const key = rateLimitKey(credential, GET_SECRET_TOKEN);
		await rateLimiter.acquire(key, GET_SECRET_TOKEN.intervalMs, signal);
		const sender = {
			credential,
			timeoutMs,
			signal,
			secrets: () => this.secrets(),
			// As it is: the key pair itself needs no signature
			async send(request: IHttpRequestOptions) {
				const reply: unknown = await context.helpers.httpRequest(request);
				return reply;
			},
		};
		const form = {
			headers: { 'content-type': 'application/x-www-form-urlencoded' },
			body: { secret_id: credential.secretId, secret_key: credential.secretKey },
		};
		return tokenFrom((await sendRequest(sender, GET_SECRET_TOKEN, form, timeoutMs)).data);
	}
}

const unusableCredential = ({ message: description }: Error) =>
	new DescribedError({ message: 'The credential cannot be used', description });

/**
 * In an execution, the credential is read for an item, because its fields may be expressions. A list in the editor
 * and a trigger have no items, and nothing to cancel.
 *
 * @param deadline ends the calls outside of an execution
 */
export async function nodeApiClient(
	context: NodeContext,
	timeoutMs: number,
	itemIndex?: number,
	deadline?: AbortSignal,
): Promise<NodeApiClient> {
	const data = await context.getCredentials(CREDENTIAL_TYPE, itemIndex);
	const isExecution = 'getExecutionCancelSignal' in context;
	const signal = isExecution ? context.getExecutionCancelSignal() : deadline;
	try {
		return new NodeApiClient(context, data, readCredential(data), timeoutMs, signal);
	} catch (error) {
		throw unusableCredential(asError(error));
	}
}

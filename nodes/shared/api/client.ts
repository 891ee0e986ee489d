import type {
	IHttpRequestOptions,
	IExecuteFunctions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';
import {
	CREDENTIAL_TYPE,
	keyPairFingerprint,
	readCredential,
	type KeyPair,
	type KuaidailiCredential,
	type SharedSignature,
} from './sign';
import { ResponseCache } from './cache';
import { debugLog, loggedWait, type ExecutionScope } from './wait';
import { asError, DescribedError, InvalidResponseError, type ApiError } from './errors';
import type { Secrets } from './cleanText';
import { ownValue } from '../guards';
import type { EpochMs } from '../service/chinaTime';
import { UNKNOWN_KEY_PAIR } from '../service/codes';
import type { Endpoint } from '../service/endpoint';
import { GET_SECRET_TOKEN } from '../service/endpoints/account';
import type { CallSettings, FlatParameters } from '../service/wireTypes';
import { rateLimiter, rateLimitKey } from './rateLimiter';
import { sendRequest, type Sender } from './answer';

export interface ServiceCall extends CallSettings {
	/** The parameters of the request; authentication adds its own. */
	readonly parameters: FlatParameters;
	readonly sharedSignature?: SharedSignature;
}

/** A client of the service: a node's execution, or the test of a credential. */
export interface ApiClient extends ExecutionScope, Sender {
	/** Fetches the token that `send` needs, so that `send` doesn't have to wait; rejects as `send` does. */
	prepare(endpoint: Endpoint): Promise<void>;
	/**
	 * Forgets the token or the key pair that the service refused, so that `prepare` fetches it again; false
	 * where nothing can be fetched again.
	 */
	renewAuthentication(refusal: ApiError): boolean;
}

/** Adds to a request what proves who sends it, and sends it. Without a token, it is signed with HMAC-SHA1. */
type SignedRequest = (
	request: IHttpRequestOptions,
	credential: KuaidailiCredential,
	token: string | undefined,
	shared: SharedSignature | undefined,
) => Promise<unknown>;

interface ClientSettings
	extends Pick<ApiClient, 'credential' | 'timeoutMs' | 'signal' | 'log' | 'orderid'> {
	/** Sends as it is, for the token, which needs no signature. */
	readonly sendPlain: (request: IHttpRequestOptions) => Promise<unknown>;
	readonly sendSigned: SignedRequest;
	/** Texts that must not be shown besides the key and the token of the credential. */
	readonly otherSecrets?: () => Secrets;
	/** Fetches the present key pair of an order after this one was refused. */
	readonly renewKeyPair?: (refused: KeyPair) => Promise<KeyPair>;
}

/** Takes the place of a signature until it expires. */
interface SecretToken {
	readonly token: string;
	/** The moment from which on a new token is fetched. */
	readonly renewAt: EpochMs;
}

const EARLIEST_RENEWAL_MS = 60_000;

/** Tokens of all executions of this process, each until it has to be renewed, a day at most. */
const secretTokens = new ResponseCache<SecretToken>({
	longestAgeMs: 86_400_000,
	largestSize: 500,
	isUsable: ({ renewAt }) => Date.now() < renewAt,
});

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
	{ sendPlain, timeoutMs, signal, log }: ClientSettings,
	secrets: () => Secrets,
): Promise<SecretToken> {
	const { path, intervalMs } = GET_SECRET_TOKEN;
	const slot = rateLimiter.acquire(rateLimitKey(credential, GET_SECRET_TOKEN), intervalMs, signal);
	await loggedWait(slot, { log }, path, 'for the rate limit');

	const { secretId, secretKey } = credential;
	const form = {
		headers: { 'content-type': 'application/x-www-form-urlencoded' },
		body: { secret_id: secretId, secret_key: secretKey },
	};
	const sender = { credential, timeoutMs, signal, secrets, send: sendPlain };
	return tokenFrom((await sendRequest(sender, GET_SECRET_TOKEN, form, timeoutMs)).data);
}

/** The token has expired, or there was none: nothing is wrong with the key pair. */
const ABOUT_TOKEN: ReadonlySet<number> = new Set([-107, -122]);

/** A client with a key pair, and with a token where that is the sign type. */
function clientWith(settings: ClientSettings): ApiClient {
	const { timeoutMs, signal, log, otherSecrets = () => [], orderid, renewKeyPair } = settings;
	let { credential } = settings;
	let token: string | undefined;
	let refusedToken: string | undefined;
	let isKeyPairRefused = false;

	// A signed request that is delivered twice is carried out once, so purchases are always signed
	const takesToken = ({ kind }: Endpoint) => credential.signType === 'token' && kind !== 'purchase';
	const secrets = () => [credential.secretKey, token ?? '', refusedToken ?? '', ...otherSecrets()];
	/*
	 * Kept nowhere but in memory: what n8n stores of it would be found in its database and its backups.
	 */
	const obtainToken = async (): Promise<SecretToken> => {
		const fetch = async () => await fetchSecretToken(credential, settings, secrets);
		const key = keyPairFingerprint(credential);
		return await secretTokens.obtain(key, fetch, signal);
	};
	return {
		get credential() {
			return credential;
		},
		timeoutMs,
		signal,
		log,
		secrets,
		orderid,
		async prepare(endpoint) {
			if (isKeyPairRefused && renewKeyPair !== undefined) {
				credential = { ...credential, ...(await renewKeyPair(credential)) };
				isKeyPairRefused = false;
			}
			if (takesToken(endpoint)) ({ token } = await obtainToken());
		},
		renewAuthentication({ code, endpoint }) {
			isKeyPairRefused = renewKeyPair !== undefined && !ABOUT_TOKEN.has(code);
			const isOfToken = takesToken(endpoint) && code !== UNKNOWN_KEY_PAIR;
			if (token === undefined || !isOfToken) return isKeyPairRefused;
			const key = keyPairFingerprint(credential);
			secretTokens.forget(key, (known) => known.token === token);
			refusedToken = token;
			token = undefined;
			return true;
		},
		send: async (request, endpoint, shared) =>
			await settings.sendSigned(
				request,
				credential,
				takesToken(endpoint) ? token : undefined,
				shared,
			),
	};
}

type NodeContext = IExecuteFunctions | IPollFunctions | ILoadOptionsFunctions;

/** A client with the key pair of the node's credential. */
export interface NodeApiClient extends ApiClient {
	/** A client with the key pair of an order, which sends in the same way. */
	withKeyPair(keyPair: KeyPair, order: Pick<ClientSettings, 'orderid' | 'renewKeyPair'>): ApiClient;
}

/**
 * In an execution, n8n's helper replaces the signal of a request by the execution's own, with which no deadline
 * could end it. The signal that is here already ends with the execution, too.
 */
function withLastingSignal({ abortSignal, ...request }: IHttpRequestOptions): IHttpRequestOptions {
	const lasting = { get: () => abortSignal, set: () => {}, enumerable: true, configurable: true };
	return Object.defineProperty(request, 'abortSignal', lasting);
}

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
	const reading = Promise.resolve(data).then(readCredential);
	const credential = await reading.catch((error: unknown): never => {
		const { message: description } = asError(error);
		throw new DescribedError({ message: 'The credential cannot be used', description });
	});
	const settings: ClientSettings = {
		credential,
		timeoutMs,
		signal,
		log: debugLog(context),
		async sendPlain(request) {
			const reply: unknown = await context.helpers.httpRequest(request);
			return reply;
		},
		async sendSigned(request, { keyType, secretId, secretKey }, token = '', shared) {
			// The credential sends the token that it finds there, and signs where there is none
			const proof = { secretToken: token, sharedSignature: { ...shared } };
			const decrypted = { ...data, keyType, secretId, secretKey, ...proof };
			const reply: unknown = await context.helpers.httpRequestWithAuthentication.call(
				context,
				CREDENTIAL_TYPE,
				withLastingSignal(request),
				{ credentialsDecrypted: { id: '', name: '', type: CREDENTIAL_TYPE, data: decrypted } },
			);
			return reply;
		},
	};
	const client = clientWith(settings);
	return {
		...client,
		withKeyPair: (keyPair, order) =>
			clientWith({
				...settings,
				...order,
				credential: { ...credential, ...keyPair },
				otherSecrets: () => client.secrets(),
			}),
	};
}

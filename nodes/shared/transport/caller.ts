import type {
	IHttpRequestOptions,
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';

import {
	CREDENTIAL_TYPE,
	readCredential,
	type KuaidailiCredential,
} from '../credential/kuaidailiCredential';
import type { CallSettings, FlatParameters } from '../service/query';
import { CredentialError, type ApiError } from '../errors/callErrors';
import type { Secrets } from '../errors/cleanText';
import { readResponse, type HttpResponse } from '../response/httpResponse';
import { debugLog, type Waiter } from '../concurrency/wait';
import { signRequest } from '../credential/signRequest';
import { Authentication, type AuthenticationSettings, type PlainRequest } from './authentication';

export interface ServiceCall extends CallSettings {
	/** Authentication adds its own. */
	readonly parameters: FlatParameters;
}

/** Who calls: a node's execution, or the test of a credential. */
export interface Caller extends Waiter {
	readonly credential: KuaidailiCredential;
	/** For one call, with all its attempts if it may be repeated. */
	readonly timeoutMs: number;
	/** Texts that must not be shown, as they are at this moment. */
	secrets(): Secrets;
	/** Signs and sends; resolves with every HTTP status. */
	send(request: IHttpRequestOptions): Promise<HttpResponse>;
	/** Fetches the token that `send` needs, so that `send` doesn't have to wait; rejects as `send` does. */
	prepare(): Promise<void>;
	/** Called with each refusal by the service, before it is thrown or tried again. */
	onRefusal?(error: ApiError): void;
	/** Called with each success. */
	onSuccess?(): void;
	/**
	 * Forgets the token or the key pair that the service refused, so that `prepare` fetches it again; false
	 * where nothing can be fetched again.
	 */
	renewAuthentication(refusal: ApiError): boolean;
}

interface CallerSettings
	extends AuthenticationSettings,
		Pick<Caller, 'credential' | 'onRefusal' | 'onSuccess'> {
	/** What must not be shown besides the key and the token of the credential. */
	readonly otherSecrets?: () => Secrets;
}

/** @param sign adds to a request what proves who sends it, and sends it */
function callerWith(
	settings: CallerSettings,
	sign: (request: IHttpRequestOptions, authentication: Authentication) => Promise<unknown>,
): Caller {
	const { timeoutMs, signal, log, otherSecrets = () => [], onRefusal, onSuccess } = settings;
	const authentication = new Authentication(settings.credential, settings);
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
		onSuccess,
		renewAuthentication: (refusal) => authentication.renew(refusal),
		send: async (request) =>
			await readResponse(await sign(request, authentication), request.abortSignal),
	};
}

/**
 * A caller that signs on its own, for key pairs that n8n doesn't hold: those of a credential being tested,
 * and those that the service returns for an order.
 */
export function directCaller(settings: CallerSettings): Caller {
	return callerWith(
		settings,
		async (request, { credential, token }) =>
			await settings.send(signRequest(credential, request, Date.now(), token)),
	);
}

function toCredentialError(error: unknown): CredentialError {
	return new CredentialError(error instanceof Error ? error.message : String(error));
}

function credentialOf(data: ICredentialDataDecryptedObject): KuaidailiCredential {
	try {
		return readCredential(data);
	} catch (error) {
		throw toCredentialError(error);
	}
}

type NodeContext = IExecuteFunctions | IPollFunctions | ILoadOptionsFunctions;

/** A caller with the key pair of the node's credential. */
export interface NodeCaller extends Caller {
	/** Sends without n8n's authentication, for what needs none or is signed already. */
	readonly sendPlain: PlainRequest;
	/** The same, signing with HMAC-SHA1 whatever the sign type of the credential. */
	withSignature(): NodeCaller;
}

/**
 * In an execution, n8n's helper replaces the signal of a request by the execution's own, with which no deadline
 * could end it. The signal that is here already ends with the execution, too.
 */
function withLastingSignal({ abortSignal, ...request }: IHttpRequestOptions): IHttpRequestOptions {
	const lasting = { get: () => abortSignal, set: () => {}, enumerable: true, configurable: true };
	return Object.defineProperty(request, 'abortSignal', lasting);
}

/** Signs with the credential, of which n8n gave a copy in `data`. */
function credentialCaller(
	context: NodeContext,
	data: ICredentialDataDecryptedObject,
	timeoutMs: number,
	signal?: AbortSignal,
): NodeCaller {
	const sendPlain: PlainRequest = async (request) => {
		const reply: unknown = await context.helpers.httpRequest(request);
		return reply;
	};
	const credential = credentialOf(data);
	const settings = { credential, send: sendPlain, timeoutMs, signal, log: debugLog(context) };
	const caller = callerWith(settings, async (request, { token = '' }) => {
		// The credential sends the token that it finds there, and signs where there is none
		const withToken = { ...data, secretToken: token };
		const reply: unknown = await context.helpers.httpRequestWithAuthentication.call(
			context,
			CREDENTIAL_TYPE,
			withLastingSignal(request),
			{ credentialsDecrypted: { id: '', name: '', type: CREDENTIAL_TYPE, data: withToken } },
		);
		return reply;
	});
	const withSignature = () =>
		credentialCaller(context, { ...data, signType: 'hmacsha1' }, timeoutMs, signal);
	return { ...caller, sendPlain, withSignature };
}

/**
 * A caller for one item of an execution. The credential is read for that item, because its fields may
 * be expressions.
 */
export async function executionCaller(
	context: IExecuteFunctions,
	itemIndex: number,
	timeoutMs: number,
): Promise<NodeCaller> {
	const data = await context.getCredentials(CREDENTIAL_TYPE, itemIndex);
	return credentialCaller(context, data, timeoutMs, context.getExecutionCancelSignal?.());
}

/** A caller for a list in the editor or for a trigger, where there are no items and nothing to cancel. */
export async function itemlessCaller(
	context: ILoadOptionsFunctions | IPollFunctions,
	timeoutMs: number,
): Promise<NodeCaller> {
	const data = await context.getCredentials(CREDENTIAL_TYPE);
	return credentialCaller(context, data, timeoutMs);
}

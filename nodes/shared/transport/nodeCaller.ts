import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';

import {
	CREDENTIAL_TYPE,
	readCredential,
	type KeyPair,
	type KuaidailiCredential,
} from '../credential/kuaidailiCredential';
import { parseSecretToken, usableToken } from '../credential/secretToken';
import { propertyOf } from '../guards';
import { CallError, CredentialError, type ApiError } from './callErrors';
import type { Caller } from './callService';
import { directCaller } from './directCaller';
import type { PlainRequest } from './fetchSecretToken';
import { toHttpResponse } from './httpResponse';
import { discardSharedToken, obtainSharedToken } from './sharedToken';

/** A token is fetched with a time-out of its own, and may first wait until "too fast" is over. */
const TOKEN_FETCH_MS = 45_000;

function currentToken(data: ICredentialDataDecryptedObject): string | undefined {
	const stored = data.secretToken;
	return typeof stored === 'string' ? parseSecretToken(stored)?.token : undefined;
}

function credentialOf(data: ICredentialDataDecryptedObject): KuaidailiCredential {
	try {
		return readCredential(data);
	} catch (error) {
		throw toCredentialError(error);
	}
}

function toCredentialError(error: unknown): CredentialError {
	return new CredentialError(
		error instanceof Error ? error.message : 'The credential cannot be used.',
	);
}

/** A failed token fetch comes out of n8n wrapped in an error that no longer says why. */
function unwrapped(error: unknown): unknown {
	const cause = propertyOf(error, 'cause');
	return cause instanceof CallError ? cause : error;
}

/** What n8n gives a node that runs, one that looks for news, and one whose fields are being filled in. */
type NodeContext = IExecuteFunctions | IPollFunctions | ILoadOptionsFunctions;

/** A caller with the key pair of the node's credential. */
export interface NodeCaller extends Caller {
	/** The same for another key pair that belongs to the account of the credential. */
	withKeyPair(keyPair: KeyPair, onRefusal?: (error: ApiError) => void): Caller;
}

/**
 * @param data the credential; n8n writes a fetched token into this very object, so later calls find it
 */
function callerWith(
	context: NodeContext,
	data: ICredentialDataDecryptedObject,
	timeoutMs: number,
	signal?: AbortSignal,
): NodeCaller {
	const credential = credentialOf(data);
	const usesToken = credential.signType === 'token';
	const needsToken = () => usesToken && usableToken(credentialOf(data), Date.now()) === undefined;
	const secrets = () => [credential.secretKey, currentToken(data) ?? ''];
	const sendPlain: PlainRequest = async (request) => {
		const reply: unknown = await context.helpers.httpRequest({ ...request, abortSignal: signal });
		return reply;
	};

	return {
		credential,
		timeoutMs,
		signal,
		secrets,
		preparationMs: () => (needsToken() ? TOKEN_FETCH_MS : 0),
		refreshToken() {
			if (!usesToken) return false;
			const refused = currentToken(data);
			if (refused !== undefined) discardSharedToken(credential, refused);
			data.secretToken = '';
			return true;
		},
		async prepare() {
			// n8n asks the credential for it in `send`, which then finds it in memory
			if (needsToken()) await obtainSharedToken(credential, sendPlain, timeoutMs, signal);
		},
		async send(request) {
			// An empty field is what makes n8n call the credential's preAuthentication
			if (needsToken()) data.secretToken = '';
			try {
				const reply: unknown = await context.helpers.httpRequestWithAuthentication.call(
					context,
					CREDENTIAL_TYPE,
					request,
					{ credentialsDecrypted: { id: '', name: '', type: CREDENTIAL_TYPE, data } },
				);
				return toHttpResponse(reply);
			} catch (error) {
				throw unwrapped(error);
			}
		},
		withKeyPair(keyPair, onRefusal) {
			// Not by n8n's way: it would store the token of this key pair in the credential of the other
			const other: KuaidailiCredential = { ...credential, ...keyPair, storedToken: '' };
			return directCaller({
				credential: other,
				timeoutMs,
				signal,
				send: sendPlain,
				obtainToken: async () => await obtainSharedToken(other, sendPlain, timeoutMs, signal),
				otherSecrets: secrets(),
				onRefusal,
			});
		},
	};
}

/**
 * A caller for one item of an execution. The credential is read for that item, because its fields may
 * be expressions.
 *
 * @throws CredentialError
 */
export async function executionCaller(
	context: IExecuteFunctions,
	itemIndex: number,
	timeoutMs: number,
): Promise<NodeCaller> {
	const data = await context.getCredentials(CREDENTIAL_TYPE, itemIndex);
	return callerWith(context, data, timeoutMs, context.getExecutionCancelSignal?.());
}

/**
 * A caller for a list in the editor or for a trigger, where there are no items and nothing to cancel.
 *
 * @throws CredentialError
 */
export async function itemlessCaller(
	context: ILoadOptionsFunctions | IPollFunctions,
	timeoutMs: number,
): Promise<NodeCaller> {
	const data = await context.getCredentials(CREDENTIAL_TYPE);
	return callerWith(context, data, timeoutMs);
}

import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	ILoadOptionsFunctions,
} from 'n8n-workflow';

import {
	CREDENTIAL_TYPE,
	readCredential,
	type KuaidailiCredential,
} from '../credential/kuaidailiCredential';
import { keyPairFingerprint, parseSecretToken, usableToken } from '../credential/secretToken';
import { propertyOf } from '../guards';
import { CallError, CancelledError, CredentialError } from '../loadedOnce/callErrors';
import { secretTokens } from '../loadedOnce/processState';
import type { Caller } from './callService';
import { fetchSecretToken, type PlainRequest } from './fetchSecretToken';
import { toHttpReply } from './httpReply';

/** A token is fetched at one call per second and with a time-out of its own. */
const TOKEN_FETCH_MS = 35_000;

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

/** What n8n gives a node that runs, and a node whose fields are being filled in. */
type NodeContext = IExecuteFunctions | ILoadOptionsFunctions;

/**
 * @param data the credential; n8n writes a fetched token into this very object, so later calls find it
 */
function callerWith(
	context: NodeContext,
	data: ICredentialDataDecryptedObject,
	timeoutMs: number,
	signal: AbortSignal | undefined,
): Caller {
	const credential = credentialOf(data);
	const usesToken = credential.signType === 'token';
	const needsToken = () => usesToken && usableToken(credentialOf(data), Date.now()) === undefined;

	return {
		credential,
		timeoutMs,
		signal,
		secrets: () => [credential.secretKey, currentToken(data) ?? ''],
		preparationMs: () => (needsToken() ? TOKEN_FETCH_MS : 0),
		renewToken() {
			if (!usesToken) return false;
			const refused = currentToken(data);
			if (refused !== undefined) secretTokens.discard(keyPairFingerprint(credential), refused);
			data.secretToken = '';
			return true;
		},
		async prepare() {
			if (!needsToken()) return;
			const send: PlainRequest = async (request) => {
				const reply: unknown = await context.helpers.httpRequest(request);
				return reply;
			};
			// n8n asks the credential for it in `send`, which then finds it in memory
			const fetch = async () => await fetchSecretToken(credential, send, timeoutMs, signal);
			for (let fetched = false; !fetched; ) {
				fetched = await secretTokens.obtain(keyPairFingerprint(credential), fetch).then(
					() => true,
					(error: unknown) => {
						// It was fetched for several executions, and the one that began was cancelled
						if (error instanceof CancelledError && signal?.aborted !== true) return false;
						throw error;
					},
				);
			}
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
				return toHttpReply(reply);
			} catch (error) {
				throw unwrapped(error);
			}
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
): Promise<Caller> {
	const data = await context.getCredentials(CREDENTIAL_TYPE, itemIndex);
	return callerWith(context, data, timeoutMs, context.getExecutionCancelSignal?.());
}

/**
 * A caller for a list in the editor, which nobody can cancel.
 *
 * @throws CredentialError
 */
export async function editorCaller(
	context: ILoadOptionsFunctions,
	timeoutMs: number,
): Promise<Caller> {
	const data = await context.getCredentials(CREDENTIAL_TYPE);
	return callerWith(context, data, timeoutMs, undefined);
}

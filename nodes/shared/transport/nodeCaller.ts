import type {
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
import { Authentication } from './authentication';
import { CredentialError } from './callErrors';
import type { Caller } from './caller';
import type { PlainRequest } from './fetchSecretToken';
import { toHttpResponse } from '../response/httpResponse';
import { obtainSharedToken } from './sharedToken';
import { debugLog } from './wait';

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

/** The contexts of a running node, a polling trigger, and a list in the editor. */
type NodeContext = IExecuteFunctions | IPollFunctions | ILoadOptionsFunctions;

/** A caller with the key pair of the node's credential. */
export interface NodeCaller extends Caller {
	/** Sends without n8n's authentication, for what needs none or is signed already. */
	readonly sendPlain: PlainRequest;
}

/** @param data the credential, of which n8n gave a copy */
function callerWith(
	context: NodeContext,
	data: ICredentialDataDecryptedObject,
	timeoutMs: number,
	signal?: AbortSignal,
): NodeCaller {
	const sendPlain: PlainRequest = async (request) => {
		const reply: unknown = await context.helpers.httpRequest({ ...request, abortSignal: signal });
		return reply;
	};
	const authentication = new Authentication(credentialOf(data), {
		obtainToken: async (credential, otherSecrets) =>
			await obtainSharedToken(credential, sendPlain, { timeoutMs, signal, otherSecrets }),
	});

	return {
		credential: authentication.credential,
		timeoutMs,
		signal,
		log: debugLog(context),
		sendPlain,
		secrets: () => authentication.secrets(),
		prepare: async () => await authentication.prepare(),
		renewAuthentication: (refusal) => authentication.renew(refusal),
		async send(request) {
			// With a token there, n8n neither asks the credential for one nor stores one
			const withToken = { ...data, secretToken: authentication.token ?? '' };
			const reply: unknown = await context.helpers.httpRequestWithAuthentication.call(
				context,
				CREDENTIAL_TYPE,
				request,
				{ credentialsDecrypted: { id: '', name: '', type: CREDENTIAL_TYPE, data: withToken } },
			);
			return toHttpResponse(reply);
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

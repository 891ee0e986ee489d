import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import {
	readCredential,
	type KuaidailiCredential,
	type KeyType,
} from '../credential/kuaidailiCredential';
import { CallError, ApiError } from '../errors/callErrors';
import type { Endpoint } from '../service/endpoint';
import { GET_ACCOUNT_BALANCE } from '../service/endpoints/account';
import { GET_ORDER_EXPIRE_TIME } from '../service/endpoints/order';
import { directCaller, type Caller } from '../transport/caller';
import { callService } from '../transport/callService';
import { describeFailure } from '../transport/describeFailure';
import { fetchSecretToken, type PlainRequest } from '../transport/authentication';
import { debugLog } from '../concurrency/wait';

const TIMEOUT_MS = 15_000;

/** A harmless read that accepts exactly one kind of key pair. */
const PROBE: Readonly<Record<KeyType, Endpoint>> = {
	account: GET_ACCOUNT_BALANCE,
	order: GET_ORDER_EXPIRE_TIME,
};

/** What a rejection means if the kind of key pair is the only thing that can be wrong. */
const WRONG_KEY_TYPE: Readonly<Record<KeyType, string>> = {
	account:
		"This key pair belongs to an order, not to the account. Set 'Key Type' to 'Order', or copy the account's key pair from the API page of the member center.",
	order:
		"This key pair belongs to the account, not to an order. Set 'Key Type' to 'Account', or copy the key pair from the order's page in the member center.",
};

function isWrongKeyType(error: CallError): boolean {
	if (!(error instanceof ApiError)) return false;
	return error.code === -123 || (error.endpoint === GET_ACCOUNT_BALANCE && error.code === -3);
}

/** A credential test gets only n8n's older request helper, which doesn't know about credentials. */
function olderOptions(request: IHttpRequestOptions): object {
	const { url, body, ...rest } = request;
	return {
		...rest,
		uri: url,
		form: body,
		simple: false,
		resolveWithFullResponse: true,
		followRedirect: false,
	};
}

function testCaller(context: ICredentialTestFunctions, credential: KuaidailiCredential): Caller {
	const { request: olderRequest } = context.helpers;
	const send: PlainRequest = async (request) => {
		const reply: unknown = await olderRequest(olderOptions(request));
		return reply;
	};
	return directCaller({
		credential,
		timeoutMs: TIMEOUT_MS,
		log: debugLog(context),
		send,
		// A token in memory would hide that the key was changed
		obtainToken: async (_credential, otherSecrets) => {
			const settings = { timeoutMs: TIMEOUT_MS, otherSecrets };
			return (await fetchSecretToken(credential, send, settings)).token;
		},
	});
}

function describe(error: unknown, keyType: KeyType): string {
	if (!(error instanceof CallError)) {
		return error instanceof Error ? error.message : 'The credential could not be tested.';
	}
	const { message, description } = describeFailure(error, { hasTimeoutField: false });
	if (isWrongKeyType(error)) return WRONG_KEY_TYPE[keyType];
	return `${message}. ${description}`;
}

/**
 * Tests the credential with one harmless read. Only code 0 is a success; anything else is reported with
 * its reason and description.
 */
export async function kuaidailiApiTest(
	this: ICredentialTestFunctions,
	decrypted: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	let keyType: KeyType = 'account';
	try {
		const credential = readCredential(decrypted.data);
		({ keyType } = credential);
		await callService(testCaller(this, credential), { endpoint: PROBE[keyType], parameters: {} });
		return { status: 'OK', message: 'Kuaidaili accepted the key pair' };
	} catch (error) {
		return { status: 'Error', message: describe(error, keyType) };
	}
}

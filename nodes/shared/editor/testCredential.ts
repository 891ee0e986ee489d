import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { readCredential, type KuaidailiCredential, type KeyType } from '../api/kuaidailiCredential';
import { CallError, ApiError } from '../api/callErrors';
import { OTHER_KEY_TYPE_DESCRIPTIONS, UNKNOWN_KEY_PAIR, WRONG_KEY_TYPE } from '../service/codes';
import type { Endpoint } from '../service/endpoint';
import { GET_ACCOUNT_BALANCE } from '../service/endpoints/account';
import { GET_ORDER_EXPIRE_TIME } from '../service/endpoints/order';
import { directApiClient } from '../api/apiClient';
import { callService } from '../api/callService';
import { debugLog } from '../api/wait';

const TEST_TIMEOUT_MS = 15_000;

/** A harmless read that accepts exactly one kind of key pair. */
const PROBE: Readonly<Record<KeyType, Endpoint>> = {
	account: GET_ACCOUNT_BALANCE,
	order: GET_ORDER_EXPIRE_TIME,
};

function isWrongKeyType({ endpoint, code }: ApiError): boolean {
	return code === WRONG_KEY_TYPE || (endpoint === GET_ACCOUNT_BALANCE && code === -3);
}

/**
 * A declarative test would take each code that it has no rule for, and each page with status 200, for a success, and
 * would not try the sign type Token. So this is a function, and gets only n8n's older request helper, which is
 * deprecated and knows neither credentials nor signals that end a request. Its own timeout lasts until the headers are there; a body is read by us, and ends with the test.
 */
function olderOptions(request: IHttpRequestOptions): object {
	const { url, body, method, qs, headers, timeout } = request;
	return {
		method,
		qs,
		headers,
		timeout,
		json: false,
		uri: url,
		form: body,
		simple: false,
		resolveWithFullResponse: true,
		followRedirect: false,
	};
}

function describe(error: unknown): string {
	if (!(error instanceof CallError)) {
		return error instanceof Error ? error.message : 'The credential could not be tested.';
	}
	const { message, description } = error.describe();
	return `${message}. ${description}`;
}

async function probe(
	context: ICredentialTestFunctions,
	credential: KuaidailiCredential,
): Promise<void> {
	const { request: olderRequest } = context.helpers;
	const caller = directApiClient({
		credential,
		timeoutMs: TEST_TIMEOUT_MS,
		log: debugLog(context),
		async send(request) {
			const reply: unknown = await olderRequest(olderOptions(request));
			return reply;
		},
		fetchesToken: true,
	});
	await callService(caller, { endpoint: PROBE[credential.keyType], parameters: {} });
}

/** Whether a key pair is of the other kind: the service says either that, or that it doesn't know the pair. */
async function isOfOtherKind(
	context: ICredentialTestFunctions,
	credential: KuaidailiCredential,
	refusal: unknown,
): Promise<boolean> {
	if (!(refusal instanceof ApiError)) return false;
	if (isWrongKeyType(refusal)) return true;
	if (refusal.code !== UNKNOWN_KEY_PAIR) return false;
	const keyType = credential.keyType === 'account' ? 'order' : 'account';
	return await probe(context, { ...credential, keyType }).then(
		() => true,
		() => false,
	);
}

/** Tests the credential with a harmless read, or with a second one that tells which kind the key pair is. */
export async function kuaidailiApiTest(
	this: ICredentialTestFunctions,
	decrypted: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	try {
		const credential = readCredential(decrypted.data);
		const refusal: unknown = await probe(this, credential).catch((error: unknown) => error);
		if (refusal === undefined) return { status: 'OK', message: 'Kuaidaili accepted the key pair' };
		const isOther = await isOfOtherKind(this, credential, refusal);
		const message = isOther ? OTHER_KEY_TYPE_DESCRIPTIONS[credential.keyType] : describe(refusal);
		return { status: 'Error', message };
	} catch (error) {
		return { status: 'Error', message: describe(error) };
	}
}

import { NodeApiError, NodeOperationError, type INode, type JsonObject } from 'n8n-workflow';

import {
	asError,
	CallError,
	CancelledError,
	DescribedError,
	HttpStatusError,
	NetworkError,
	ApiError,
	InvalidResponseError,
	WrongKeyTypeError,
	type FailureText,
} from '../errors/callErrors';
import { codeMeaning, KEY_TYPE_DESCRIPTIONS, SIGNATURE_TOO_OLD } from '../service/codes';
import type { FailureKind } from '../errors/transportFailure';
import { InvalidFieldError } from '../fields/invalidFieldError';
import { durationInWords, sentences } from '../wording';

const TRY_LATER = 'Try again in a few minutes.';

/** With the account's key pair, the user chose one of many orders. */
function withOrderNumber(message: string, { orderid }: ApiError): string {
	return orderid === undefined
		? message
		: message.replace(/^This order\b/, () => `Order ${orderid}`);
}

function describeRefusal(error: ApiError): FailureText {
	const { code, serviceText, likelyCause } = error;
	const meaning = codeMeaning(error.endpoint, code);
	if (meaning === undefined) {
		return {
			message: `Kuaidaili refused the request with code ${code}: ${serviceText || 'no message'}`,
			description:
				likelyCause === undefined
					? `This node does not know this code. ${TRY_LATER} If it keeps happening, contact Kuaidaili support and mention the code.`
					: `${likelyCause} If that isn't the reason, try again in a few minutes.`,
			code: String(code),
		};
	}
	return {
		message: withOrderNumber(meaning.message, error),
		description: sentences(clockSentence(error), meaning.description, error.evidence),
		code: String(code),
	};
}

/** Mentions the clock only if the service rejected the timestamp and the difference is noticeable. */
function clockSentence({ code, clockDifferenceMs }: ApiError): string {
	if (
		code !== SIGNATURE_TOO_OLD ||
		clockDifferenceMs === undefined ||
		Math.abs(clockDifferenceMs) < 2000
	)
		return '';
	const direction = clockDifferenceMs > 0 ? 'behind' : 'ahead of';
	return `The clock of this machine is ${durationInWords(clockDifferenceMs)} ${direction} Kuaidaili's clock.`;
}

const CHECK_HOSTS = 'Check the hosts in the credential, and any forward proxy of this n8n.';

/** Message and description. */
function statusInWords(status: number): [string, string] {
	if (status === 429) {
		return [
			'Kuaidaili was called too often (HTTP status 429)',
			'Something else is using it from this machine or with the same key. Wait until it has finished, or spread out the calls.',
		];
	}
	if (status === 407) {
		return [
			'The proxy that this n8n uses asks for a login (HTTP status 407)',
			'Check the proxy in the environment of n8n (HTTPS_PROXY): its user name and password belong in its address.',
		];
	}
	if (status >= 500) {
		return [`Kuaidaili is unavailable right now (HTTP status ${status})`, TRY_LATER];
	}
	const message =
		status >= 300 && status < 400
			? `Kuaidaili redirected to another address (HTTP status ${status}), and this node does not follow redirects`
			: `Kuaidaili answered with HTTP status ${status}`;
	return [message, CHECK_HOSTS];
}

function describeStatus({ status, evidence }: HttpStatusError): FailureText {
	const [message, description] = statusInWords(status);
	return { message, description: sentences(description, evidence), code: String(status) };
}

function describeProxyFailure({ failure, host }: NetworkError, proxy: string): FailureText {
	const happened: Partial<Record<FailureKind, string>> = {
		refused: 'refused the connection',
		unknownHost: 'was not found',
	};
	return {
		message: `The proxy that this n8n uses, ${proxy}, ${happened[failure.kind] ?? 'could not be reached'}`,
		description: `The request to ${host} was not sent. Check the proxy in the environment of n8n (HTTPS_PROXY), and the network of this machine.`,
	};
}

const CHECK_NETWORK =
	'Check the network and the firewall of this machine, and the hosts in the credential if you changed them.';

function describeNoAnswer(error: NetworkError, hasTimeoutField: boolean): FailureText {
	const { host, timeoutMs } = error;
	const { proxy } = error.failure;
	if (proxy !== undefined) return describeProxyFailure(error, proxy);
	const byKind: Readonly<Record<FailureKind, [message: string, description: string]>> = {
		refused: [`${host} refused the connection`, CHECK_NETWORK],
		unknownHost: [
			`The host ${host} was not found`,
			'Check the network and the DNS settings of this machine, and the hosts in the credential if you changed them.',
		],
		unreachable: [`No connection to ${host} could be made`, CHECK_NETWORK],
		proxyClosed: [
			`The proxy that this n8n uses closed the connection before it was connected to ${host}`,
			'Check the proxy in the environment of n8n (HTTPS_PROXY), and whether it allows this host.',
		],
		timeout: [
			`${host} did not answer within ${durationInWords(timeoutMs)}`,
			hasTimeoutField
				? "Try again in a few minutes, or raise 'API Timeout (Seconds)' in 'Options'."
				: TRY_LATER,
		],
		broken: [`The connection to ${host} was lost before the whole response arrived`, TRY_LATER],
		tls: [
			`Could not establish a secure connection to ${host}`,
			'Check the clock of this machine and any proxy that inspects encrypted traffic.',
		],
		blocked: [
			`n8n did not allow the request to ${host}`,
			"Check 'Allowed HTTP Request Domains' in the credential and the SSRF protection settings of this n8n.",
		],
		other: [`The request to ${host} got no response`, TRY_LATER],
	};
	const [message, description] = byKind[error.failure.kind];
	return { message, description: sentences(description, error.evidence) };
}

/**
 * @param hasTimeoutField whether 'Options' there have 'API Timeout (Seconds)': those of an item do, a trigger and a
 * list in the editor have none
 */
export function describeFailure(error: CallError, { hasTimeoutField = true } = {}): FailureText {
	const text = describeKind(error, hasTimeoutField);
	if (error.note === undefined) return text;
	return { ...text, description: `${text.description} ${error.note}` };
}

function describeKind(error: CallError, hasTimeoutField: boolean): FailureText {
	if (error instanceof ApiError) return describeRefusal(error);
	if (error instanceof HttpStatusError) return describeStatus(error);
	if (error instanceof NetworkError) return describeNoAnswer(error, hasTimeoutField);
	if (error instanceof InvalidResponseError) {
		return {
			message: `Kuaidaili's response ${error.reason}`,
			description: sentences(TRY_LATER, error.evidence),
		};
	}
	if (error instanceof DescribedError) return error.text;
	if (error instanceof WrongKeyTypeError) {
		return {
			message: `This operation needs the ${error.needed}'s key pair, but the credential's 'Key Type' is '${error.needed === 'account' ? 'Order' : 'Account'}'`,
			description: KEY_TYPE_DESCRIPTIONS[error.needed],
		};
	}
	if (error instanceof CancelledError) {
		return { message: error.message, description: 'Nothing more was sent.' };
	}
	return { message: error.message, description: TRY_LATER };
}

/** Settles as `call` does. A refusal with an undocumented code says what is most likely behind it, as a sentence. */
export async function explainUndocumented<T>(call: Promise<T>, likelyCause: string): Promise<T> {
	return await call.catch((error: unknown): never => {
		if (error instanceof ApiError) error.likelyCause = likelyCause;
		throw error;
	});
}

function isNodeError(error: unknown): error is NodeApiError | NodeOperationError {
	// By name: a second copy of n8n-workflow makes instanceof fail
	return error instanceof Error && ['NodeApiError', 'NodeOperationError'].includes(error.name);
}

/** n8n replaces messages that contain certain words by stock texts, so ours are set afterwards. */
function withTexts<T extends NodeApiError | NodeOperationError>(
	error: T,
	message: string,
	description: string | undefined,
	item: FailedItem | undefined,
): T {
	error.message = item === undefined || item.isOnly ? message : `${message} [item ${item.index}]`;
	error.description = description;
	if (item !== undefined) error.context.itemIndex = item.index;
	return error;
}

function fromCallError(node: INode, error: CallError, item?: FailedItem): NodeApiError {
	const hasTimeoutField = item !== undefined;
	const { message, description, code } = describeFailure(error, { hasTimeoutField });
	const response: JsonObject = code === undefined ? {} : { code };
	const options = { message, description, httpCode: code };
	return withTexts(new NodeApiError(node, response, options), message, description, item);
}

/** The input item that an error is about. */
interface FailedItem {
	readonly index: number;
	/** Whether there is no other: n8n's editor names an item only among several, and as `[item 3]`. */
	readonly isOnly: boolean;
}

/** As n8n's own: what happened, and to which item, in `message`, and what to do next in `description`. */
export function toNodeError(
	node: INode,
	error: unknown,
	item?: FailedItem,
): NodeApiError | NodeOperationError {
	if (error instanceof CallError) return fromCallError(node, error, item);
	if (isNodeError(error)) {
		return withTexts(error, error.message, error.description ?? undefined, item);
	}
	const { message } = asError(error);
	const description = error instanceof InvalidFieldError ? error.description : undefined;
	return withTexts(new NodeOperationError(node, message), message, description, item);
}

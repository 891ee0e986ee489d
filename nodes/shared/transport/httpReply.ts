import type { IHttpRequestOptions } from 'n8n-workflow';

import { isRecord, ownValue, propertyOf, type UnknownRecord } from '../guards';
import { ENDPOINTS, type Endpoint, type EndpointName } from '../service/endpoints';
import { cleanServiceText, excerpt, type Secrets } from './cleanText';
import { readAnswer, UnreadableAnswerError, type Answer } from './readAnswer';
import { HttpStatusError, ServiceRefusedError, UnusableAnswerError } from './callErrors';

/** What came back over HTTP, whichever of n8n's helpers was used. */
export interface HttpReply {
	readonly status: number;
	readonly headers: UnknownRecord;
	readonly body: string;
}

/** Options that every request has: the whole reply as text, judged by our own reader. */
export const REPLY_OPTIONS = {
	// Without it, n8n turns texts such as 12345 into numbers and shortens long ones
	encoding: 'text',
	json: false,
	returnFullResponse: true,
	// A rejected status would make n8n send the request again after a 401
	ignoreHttpStatusErrors: true,
	// A redirect would carry the signature to another address, and could repeat a purchase
	disableFollowRedirect: true,
} as const satisfies Partial<IHttpRequestOptions>;

/** @throws UnusableAnswerError when n8n's helper returned something else than a whole reply */
export function toHttpReply(value: unknown): HttpReply {
	const status = propertyOf(value, 'statusCode');
	const headers = propertyOf(value, 'headers');
	const body = propertyOf(value, 'body') ?? '';
	if (typeof status !== 'number' || typeof body !== 'string') {
		throw new UnusableAnswerError('is not text', '');
	}
	// Headers may be an object of a class; a copy makes them a plain record
	return { status, headers: isRecord(headers) ? { ...headers } : {}, body };
}

function clockDifference(reply: HttpReply, now: number): number | undefined {
	const date = ownValue(reply.headers, 'date');
	const serviceTime = typeof date === 'string' ? Date.parse(date) : NaN;
	return Number.isNaN(serviceTime) ? undefined : serviceTime - now;
}

function retryAfter(reply: HttpReply): number | undefined {
	const seconds = ownValue(reply.headers, 'retry-after');
	return typeof seconds === 'string' && /^\d{1,4}$/.test(seconds)
		? Number(seconds) * 1000
		: undefined;
}

type SuccessfulAnswer = Extract<Answer, { kind: 'envelope' }> & { readonly code: 0 };
export type Success = Exclude<Answer, { kind: 'envelope' }> | SuccessfulAnswer;

/** A success, and when it was given. */
export type SuccessfulEnvelope = SuccessfulAnswer & {
	/**
	 * Milliseconds since 1970 by the clock of the service, which decides when an order ends; by the clock
	 * of this machine where the answer does not tell.
	 */
	readonly answeredAt: number;
};

function isSuccess(answer: Answer): answer is Success {
	return answer.kind === 'text' || answer.code === 0;
}

/** Stands for bytes that are no text in UTF-8. */
const REPLACEMENT = '\uFFFD';

/** Whether what will be put out was sent in another encoding, so that it is not what the service said. */
function isGarbled(answer: Success, body: string): boolean {
	if (!body.includes(REPLACEMENT)) return false;
	const content = answer.kind === 'text' ? answer.text : (JSON.stringify(answer.data) ?? '');
	return content.includes(REPLACEMENT);
}

/** The beginning of an answer, unless a secret may stand in it. */
function shownBeginning(endpoint: EndpointName, body: string, secrets: Secrets): string {
	const { secretAnswer }: Endpoint = ENDPOINTS[endpoint];
	return secretAnswer === true ? '' : excerpt(body, secrets);
}

/**
 * Judges a reply.
 *
 * @param now milliseconds since 1970, when the reply arrived
 * @throws HttpStatusError, UnusableAnswerError, ServiceRefusedError
 */
export function readReply(
	endpoint: EndpointName,
	reply: HttpReply,
	secrets: Secrets,
	now: number,
): Success {
	const shown = () => shownBeginning(endpoint, reply.body, secrets);
	if (reply.status !== 200) throw new HttpStatusError(reply.status, shown(), retryAfter(reply));
	let answer: Answer;
	try {
		answer = readAnswer(reply.body);
	} catch (error) {
		throw unusable(error, shown());
	}
	if (isSuccess(answer)) {
		const { holdsNames }: Endpoint = ENDPOINTS[endpoint];
		// Numbers and codes are readable in any encoding, those of a purchase that was made above all
		if (holdsNames !== true || !isGarbled(answer, reply.body)) return answer;
		throw new UnusableAnswerError('is not in UTF-8', shown());
	}
	const text = cleanServiceText(answer.msg, secrets);
	throw new ServiceRefusedError(endpoint, answer.code, text, clockDifference(reply, now));
}

function unusable(error: unknown, shown: string): UnusableAnswerError {
	const isUnreadable = error instanceof UnreadableAnswerError;
	return new UnusableAnswerError(isUnreadable ? error.reason : 'could not be read', shown);
}

/**
 * The same for endpoints that know no text format.
 *
 * @throws as `readReply`
 */
export function readEnvelope(
	endpoint: EndpointName,
	reply: HttpReply,
	secrets: Secrets,
	now: number,
): SuccessfulEnvelope {
	const answer = readReply(endpoint, reply, secrets, now);
	if (answer.kind === 'envelope') {
		return { ...answer, answeredAt: now + (clockDifference(reply, now) ?? 0) };
	}
	throw new UnusableAnswerError(
		'is not an answer of this service',
		shownBeginning(endpoint, reply.body, secrets),
	);
}

import type { IHttpRequestOptions } from 'n8n-workflow';

import { isRecord, ownValue, propertyOf, type UnknownRecord } from '../guards';
import type { Endpoint } from '../service/endpoint';
import type { ServiceAnswer } from '../service/wireTypes';
import { cleanServiceText, excerpt, type Secrets } from './cleanText';
import { parseBody } from './parseBody';
import { HttpStatusError, ApiError, InvalidResponseError } from './callErrors';
import type { EpochMs } from '../service/chinaTime';

/** An HTTP response, whichever of n8n's helpers was used. */
export interface HttpResponse {
	readonly status: number;
	readonly headers: UnknownRecord;
	readonly body: string;
}

export const RESPONSE_OPTIONS = {
	// Anything else, n8n's helpers turn into numbers and objects, such as the text 12345
	encoding: 'text',
	json: false,
	returnFullResponse: true,
	// A rejected status would make n8n send the request again after a 401
	ignoreHttpStatusErrors: true,
	// A redirect would carry the signature to another address, and could repeat a purchase
	disableFollowRedirect: true,
} as const satisfies Partial<IHttpRequestOptions>;

/** Throws InvalidResponseError for anything but a whole reply with text. */
export function readResponse(value: unknown): HttpResponse {
	const status = propertyOf(value, 'statusCode');
	const headers = propertyOf(value, 'headers');
	const body = propertyOf(value, 'body') ?? '';
	if (typeof status !== 'number' || typeof body !== 'string') {
		throw new InvalidResponseError('is not text', '');
	}
	// Headers may be an object of a class; a copy makes them a plain record
	return { status, headers: isRecord(headers) ? { ...headers } : {}, body };
}

function clockDifference(reply: HttpResponse, now: EpochMs): number | undefined {
	const date = ownValue(reply.headers, 'date');
	const serviceTime = typeof date === 'string' ? Date.parse(date) : NaN;
	return Number.isNaN(serviceTime) ? undefined : serviceTime - now;
}

function retryAfter(reply: HttpResponse): number | undefined {
	const seconds = ownValue(reply.headers, 'retry-after');
	return typeof seconds === 'string' && /^\d{1,4}$/.test(seconds)
		? Number(seconds) * 1000
		: undefined;
}

const REPLACEMENT = '\uFFFD';

/** @throws HttpStatusError, InvalidResponseError, ApiError */
export function parseResponse(
	endpoint: Endpoint,
	reply: HttpResponse,
	secrets: Secrets,
	now: EpochMs,
): ServiceAnswer {
	const shown = () => (endpoint.secretAnswer === true ? '' : excerpt(reply.body, secrets));
	if (reply.status !== 200) throw new HttpStatusError(reply.status, shown(), retryAfter(reply));
	const answer = parseBody(reply.body, shown);
	if (answer.code !== 0) {
		const text = cleanServiceText(answer.msg, secrets);
		throw new ApiError(endpoint, answer.code, text, clockDifference(reply, now));
	}
	if (answer.text !== undefined && endpoint.knowsText !== true) {
		throw new InvalidResponseError('is not a Kuaidaili response', shown());
	}
	// Elsewhere numbers and codes are enough, such as the order number of a purchase
	if (endpoint.holdsNames === true && reply.body.includes(REPLACEMENT)) {
		throw new InvalidResponseError('is not in UTF-8', shown());
	}
	return { ...answer, answeredAt: now };
}

import type { IHttpRequestOptions } from 'n8n-workflow';

import { isRecord, ownValue, propertyOf, type UnknownRecord } from '../guards';
import type { Endpoint } from '../service/endpoint';
import type { ServiceAnswer } from '../service/wireTypes';
import { cleanServiceText, excerpt, type Secrets } from './cleanText';
import { readLimitedBody } from './limitedBody';
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
	// n8n's helpers read whatever comes, however long that takes, and turn texts such as 12345 into numbers
	encoding: 'stream',
	json: false,
	returnFullResponse: true,
	// A rejected status would make n8n send the request again after a 401
	ignoreHttpStatusErrors: true,
	// A redirect would carry the signature to another address, and could repeat a purchase
	disableFollowRedirect: true,
} as const satisfies Partial<IHttpRequestOptions>;

/** Far more than any answer of the service, and harmless for the memory of n8n. */
const LARGEST_BODY_BYTES = 10_000_000;

/** A stream of Node.js, which n8n's types don't describe. */
interface BodyStream extends AsyncIterable<unknown> {
	destroy(): unknown;
}

function isBodyStream(body: unknown): body is BodyStream {
	return (
		typeof propertyOf(body, 'destroy') === 'function' &&
		typeof Reflect.get(Object(body), Symbol.asyncIterator) === 'function'
	);
}

async function readText(body: BodyStream, abortSignal: EndSignal | undefined): Promise<string> {
	const end = () => body.destroy();
	abortSignal?.addEventListener?.('abort', end);
	try {
		if (abortSignal?.aborted === true) end();
		const bytes = await readLimitedBody(body, LARGEST_BODY_BYTES);
		if (bytes === undefined) throw new InvalidResponseError('is larger than 10 MB', '');
		return bytes.toString('utf8');
	} finally {
		abortSignal?.removeEventListener?.('abort', end);
		end();
	}
}

type EndSignal = NonNullable<IHttpRequestOptions['abortSignal']>;

/** Reads what n8n's helper returned to its end. Throws InvalidResponseError, and what the stream throws. */
export async function readResponse(value: unknown, abortSignal?: EndSignal): Promise<HttpResponse> {
	const status = propertyOf(value, 'statusCode');
	const headers = propertyOf(value, 'headers');
	const received = propertyOf(value, 'body') ?? '';
	const body = isBodyStream(received) ? await readText(received, abortSignal) : received;
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
	const clockDifferenceMs = clockDifference(reply, now);
	if (answer.code !== 0) {
		const text = cleanServiceText(answer.msg, secrets);
		throw new ApiError(endpoint, answer.code, text, clockDifferenceMs);
	}
	if (answer.text !== undefined && endpoint.knowsText !== true) {
		throw new InvalidResponseError('is not a Kuaidaili response', shown());
	}
	// Elsewhere numbers and codes are enough, such as the order number of a purchase
	if (endpoint.holdsNames === true && reply.body.includes(REPLACEMENT)) {
		throw new InvalidResponseError('is not in UTF-8', shown());
	}
	return { ...answer, answeredAt: now, clockDifferenceMs };
}

import type { IHttpRequestOptions } from 'n8n-workflow';

import type { KuaidailiCredential } from '../credential/kuaidailiCredential';
import type { FlatParameters } from '../credential/signature';
import {
	CallError,
	CancelledError,
	HttpStatusError,
	NoAnswerError,
	ServiceRefusedError,
} from '../loadedOnce/callErrors';
import { paceKeeper } from '../loadedOnce/processState';
import { codeMeaning, type Reaction } from '../service/codes';
import { ENDPOINTS, type Endpoint, type EndpointName } from '../service/endpoints';
import type { Secrets } from './cleanText';
import { readReply, REPLY_OPTIONS, type HttpReply, type Success } from './httpReply';
import { transportFailure } from './transportFailure';
import { throwIfCancelled, untilCancelled, wait } from './wait';

export interface ServiceCall {
	readonly endpoint: EndpointName;
	/** Only what is to be sent, as texts; authentication adds its own. */
	readonly parameters: FlatParameters;
	/** Shortest time between two calls where the order's plan decides; else the endpoint's own. */
	readonly intervalMs?: number;
	/** Wait and repeat when the order's limit per minute is used up, 65 seconds at most. */
	readonly waitForMinuteCap?: boolean;
}

/** Who calls: a node's execution, or the test of a credential. */
export interface Caller {
	readonly credential: KuaidailiCredential;
	readonly timeoutMs: number;
	/** Aborts when the execution is cancelled. */
	readonly signal: AbortSignal | undefined;
	/** Texts that must not be shown, as they are at this moment. */
	secrets(): Secrets;
	/** Signs and sends; resolves with every HTTP status. */
	send(request: IHttpRequestOptions): Promise<HttpReply>;
	/** Longest time that `send` needs before the request itself leaves, in milliseconds. */
	preparationMs(): number;
	/** Makes the next `send` fetch a new secret token; false where no token is used. */
	renewToken(): boolean;
}

const MOST_REPEATS: Readonly<Record<Reaction, number>> = {
	slowDown: 3,
	renewToken: 1,
	signAgain: 1,
	minuteCap: 5,
	nothingFound: 0,
};

/** Five waits make 65 seconds: a bit more than the minute for which the cap counts. */
const MINUTE_CAP_WAIT_MS = 13_000;
const SHORTEST_SLOW_DOWN_MS = 1000;
const LONGEST_RETRY_AFTER_MS = 60_000;

/** The time-out of n8n's helper starts anew with each byte that arrives; this is what ends the rest. */
const DEADLINE_GRACE_MS = 500;

function reactionTo(error: CallError, endpoint: Endpoint): Reaction | undefined {
	if (error instanceof ServiceRefusedError)
		return codeMeaning(error.endpoint, error.code)?.reaction;
	// A gateway's 429 does not prove that nothing was done
	const tooMany = error instanceof HttpStatusError && error.status === 429;
	return tooMany && endpoint.repeatable ? 'slowDown' : undefined;
}

/** A little different each time, so that two processes with one key do not meet again and again. */
function slowDownMs(error: CallError, intervalMs: number, repeat: number): number {
	const asked = error instanceof HttpStatusError ? (error.retryAfterMs ?? 0) : 0;
	const base = Math.max(SHORTEST_SLOW_DOWN_MS, intervalMs);
	const own = base * repeat * (1 + Math.random() / 4);
	return Math.max(own, Math.min(asked, LONGEST_RETRY_AFTER_MS));
}

async function sendWithDeadline(caller: Caller, request: IHttpRequestOptions): Promise<HttpReply> {
	const answered = new AbortController();
	const limit = caller.timeoutMs + caller.preparationMs() + DEADLINE_GRACE_MS;
	const { host } = new URL(request.url);
	const deadline = wait(limit, answered.signal).then(() => {
		throw new NoAnswerError({ kind: 'timeout', detail: '' }, host, caller.timeoutMs);
	});
	try {
		return await untilCancelled(Promise.race([caller.send(request), deadline]), caller.signal);
	} finally {
		answered.abort();
	}
}

function asFailure(error: unknown, caller: Caller, url: string): CallError {
	if (caller.signal?.aborted === true) return new CancelledError();
	if (error instanceof CallError) return error;
	return new NoAnswerError(transportFailure(error), new URL(url).host, caller.timeoutMs);
}

/** One try. Never rejects: what went wrong is the result, for the caller to judge. */
async function attempt(caller: Caller, call: ServiceCall): Promise<Success | CallError> {
	const endpoint = ENDPOINTS[call.endpoint];
	const url = `${caller.credential.hosts[endpoint.host]}${endpoint.path}`;
	const request: IHttpRequestOptions = {
		...REPLY_OPTIONS,
		method: endpoint.method,
		url,
		qs: { ...call.parameters },
		timeout: caller.timeoutMs,
	};
	try {
		const reply = await sendWithDeadline(caller, request);
		return readReply(call.endpoint, reply, caller.secrets(), Date.now());
	} catch (error) {
		return asFailure(error, caller, url);
	}
}

/**
 * The one door to the service: keeps the pace, sends, judges the answer, and repeats where the refusal
 * proves that nothing was done.
 *
 * @returns a success: an envelope with code 0, or the payload of the text format
 * @throws ServiceRefusedError, HttpStatusError, UnusableAnswerError, NoAnswerError, CredentialError,
 * CancelledError
 */
export async function callService(caller: Caller, call: ServiceCall): Promise<Success> {
	const endpoint = ENDPOINTS[call.endpoint];
	const intervalMs = call.intervalMs ?? endpoint.intervalMs;
	const lane = `${caller.credential.secretId} ${call.endpoint}`;
	const repeats = new Map<Reaction, number>();

	for (;;) {
		await paceKeeper.takeTurn(lane, intervalMs, caller.signal);
		const outcome = await attempt(caller, call);
		throwIfCancelled(caller.signal);
		if (!(outcome instanceof CallError)) return outcome;

		const reaction = reactionTo(outcome, endpoint);
		if (reaction === undefined) throw outcome;
		const repeat = (repeats.get(reaction) ?? 0) + 1;
		repeats.set(reaction, repeat);
		if (repeat > MOST_REPEATS[reaction]) throw outcome;

		if (reaction === 'slowDown') {
			paceKeeper.holdBack(lane, slowDownMs(outcome, intervalMs, repeat));
		} else if (reaction === 'minuteCap') {
			if (call.waitForMinuteCap !== true) throw outcome;
			await wait(MINUTE_CAP_WAIT_MS, caller.signal);
		} else if (reaction === 'renewToken' && !caller.renewToken()) {
			throw outcome;
		}
	}
}

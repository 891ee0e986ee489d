import { isRepeatable, type Endpoint } from '../service/endpoint';
import { CallError, CancelledError, ApiError, WrongKeyTypeError } from '../errors/callErrors';
import { throwIfCancelled, untilCancelled, wait, logWait } from '../concurrency/wait';
import { clockCorrection, noteRefusedTime } from '../credential/signRequest';
import { LIKE_PROXY_LOGIN, SIGNATURE_TOO_OLD } from '../service/codes';
import type { FlatParameters, Query, ServiceAnswer } from '../queries/query';
import type { Caller, ServiceCall } from './caller';
import { CallTime, mayBeCarriedOut, RetryPolicy } from './retryPolicy';
import { rateLimiter, rateLimitKey } from './rateLimiter';
import { sendRequest } from './sendRequest';

/** A letter for the product and a number, such as t12926732052681, maybe with settings; key pairs have no such ID. */
const PROXY_LOGIN = /^[tdf]\d{8,}(?:-|$)/;

function asFailure(error: unknown, { credential }: Caller): CallError {
	if (!(error instanceof CallError)) throw error;
	const isOfKeys = error.meaning?.retry === 'authenticateAgain';
	if (isOfKeys && PROXY_LOGIN.test(credential.secretId)) error.note = LIKE_PROXY_LOGIN;
	return error;
}

/** After a longer wait in the queue, a token may have expired. */
const PREPARED_FOR_MS = 1000;

function originOf({ credential }: Caller, { host }: Endpoint): string {
	return new URL(credential.hosts[host]).origin;
}

/** Sends once. A failure is the result, for the caller to judge. */
async function attempt<T>(
	caller: Caller,
	call: ServiceCall,
	parse: (answer: ServiceAnswer) => T,
	time: CallTime,
): Promise<T | CallError> {
	const { endpoint, parameters } = call;
	const limitMs = isRepeatable(endpoint) ? time.leftMs : caller.timeoutMs;
	const stop = time.start();
	try {
		return parse(await sendRequest(caller, endpoint, { qs: { ...parameters } }, limitMs));
	} catch (error) {
		return asFailure(error, caller);
	} finally {
		stop();
	}
}

async function prepare(
	caller: Caller,
	endpoint: Endpoint,
	time: CallTime,
): Promise<CallError | undefined> {
	const stop = time.start();
	try {
		await untilCancelled(caller.prepare(endpoint), caller.signal);
		return undefined;
	} catch (error) {
		if (caller.signal?.aborted === true) return new CancelledError();
		stop();
		const failure = asFailure(error, caller);
		failure.isBeforeRequest = true;
		return failure;
	}
}

/** The service would refuse as well, with a code that differs by endpoint. */
function assertKeyType({ credential }: Caller, { key }: Endpoint): void {
	if (key !== 'either' && key !== credential.keyType) throw new WrongKeyTypeError(key);
}

/** What is needed before another attempt, the wait included; false where there is none. */
async function retryAfter(
	failure: CallError,
	retryPolicy: RetryPolicy,
	caller: Caller,
	call: ServiceCall,
): Promise<boolean> {
	if (failure instanceof ApiError) caller.onRefusal?.(failure);
	const next = retryPolicy.next(failure);
	if (next === undefined) return false;
	const { path } = call.endpoint;
	const logRetry = (pauseMs: number) => {
		const when = pauseMs > 0 ? `in ${(pauseMs / 1000).toFixed(1)} s` : 'at once';
		caller.log(`${path}: another attempt ${when}. ${failure.describe().message}`);
	};
	if (next.action === 'backOff') {
		const refusedBy = failure instanceof ApiError ? failure.endpoint : call.endpoint;
		const { intervalMs } = refusedBy;
		const ownInterval = refusedBy === call.endpoint ? call.intervalMs : undefined;
		const key = rateLimitKey(caller.credential, refusedBy);
		logRetry(rateLimiter.backOff(key, ownInterval ?? intervalMs));
		return true;
	}
	if (next.action === 'waitForCallers' && call.waitForCallers !== true) return false;
	if (next.action === 'newOrder' && call.waitForNewOrder !== true) return false;
	if (next.action === 'authenticateAgain') {
		if (!(failure instanceof ApiError && caller.renewAuthentication(failure))) return false;
	}
	logRetry(next.pauseMs);
	await wait(next.pauseMs, caller.signal);
	return true;
}

/** What a call does besides sending, such as a purchase, which looks at the account before and after each request. */
export interface CallHooks<T> {
	/**
	 * Called when it is the call's turn, right before the request leaves. Others with the same key wait.
	 *
	 * @returns the result if nothing has to be sent
	 */
	beforeSending?(): Promise<T | undefined>;
	/**
	 * Called after each failed attempt; without it, the failure of the last one is thrown.
	 *
	 * @returns the result; undefined for another attempt
	 */
	afterFailure?(failure: CallError, mayRetry: () => Promise<boolean>): Promise<T | undefined>;
}

/**
 * All calls go through here. It keeps the rate limit, sends, parses the response, and retries: reads and
 * settings after most failures, anything else only if the error proves that nothing was done.
 */
export async function callWithHooks<T>(
	caller: Caller,
	call: ServiceCall,
	parse: (answer: ServiceAnswer) => T,
	hooks: CallHooks<T> = {},
): Promise<T> {
	const { endpoint, intervalMs = endpoint.intervalMs } = call;
	const time = new CallTime(caller.timeoutMs);
	const retryPolicy = new RetryPolicy(endpoint, time);
	const key = () => rateLimitKey(caller.credential, endpoint);

	const takeTurn = async (): Promise<T | CallError | undefined> => {
		const queuedAt = performance.now();
		const release = await rateLimiter.hold(key(), intervalMs, caller.signal);
		try {
			const waitedMs = performance.now() - queuedAt;
			logWait(caller, endpoint.path, waitedMs, 'for its turn');
			const isOutdated = waitedMs > PREPARED_FOR_MS;
			const failure = isOutdated ? await prepare(caller, endpoint, time) : undefined;
			throwIfCancelled(call.wantedUntil);
			return failure ?? (await hooks.beforeSending?.());
		} finally {
			release();
		}
	};

	let wasUnclear = false;
	assertKeyType(caller, endpoint);
	for (;;) {
		// Before the queue as well: a new key pair has a pace of its own
		const before = (await prepare(caller, endpoint, time)) ?? (await takeTurn());
		if (before !== undefined && !(before instanceof CallError)) return before;
		const origin = originOf(caller, endpoint);
		const correction = clockCorrection(origin);
		const outcome = before ?? (await attempt(caller, call, parse, time));
		if (!(outcome instanceof CallError)) {
			rateLimiter.accepted(key());
			// A success that arrived counts even if the execution was cancelled meanwhile
			return outcome;
		}
		if (outcome instanceof ApiError && outcome.code === SIGNATURE_TOO_OLD) {
			noteRefusedTime(origin, correction, outcome.clockDifferenceMs);
		}
		const isUnclear: boolean = mayBeCarriedOut(outcome);
		if (outcome instanceof ApiError) outcome.followsUnclear = wasUnclear && !isUnclear;
		wasUnclear ||= isUnclear;

		const mayRetry = async () => await retryAfter(outcome, retryPolicy, caller, call);
		if (hooks.afterFailure !== undefined) {
			const decided = await hooks.afterFailure(outcome, mayRetry);
			if (decided !== undefined) return decided;
		} else if (!(await mayRetry())) throw outcome;
	}
}

const MAY_BE_SET = 'The change may have been made all the same. Making it again does no harm.';

export async function callService(caller: Caller, call: ServiceCall): Promise<ServiceAnswer> {
	return await callWithHooks(caller, call, (answer) => answer).catch((error: unknown): never => {
		const isUnclear = mayBeCarriedOut(error) || (error instanceof ApiError && error.followsUnclear);
		if (call.endpoint.kind === 'setting' && isUnclear) error.note = MAY_BE_SET;
		throw error;
	});
}

/** No service accepts a timestamp that is further from its own clock. How much it accepts is not documented. */
const LARGEST_ACCEPTED_MS = 86_400_000;

/**
 * A signature carries a timestamp. Where the service accepts it although its answer is dated very differently, the
 * date is wrong, such as that of a gateway.
 */
function withProof(answer: ServiceAnswer, caller: Caller, endpoint: Endpoint): ServiceAnswer {
	if (caller.credential.signType !== 'hmacsha1') return answer;
	const correction = clockCorrection(originOf(caller, endpoint)) ?? 0;
	const answeredAt = answer.answeredAt + correction;
	const differenceMs = (answer.clockDifferenceMs ?? correction) - correction;
	// An older date may be that of an answer that a cache has kept
	const isProved = differenceMs < 0 || differenceMs > LARGEST_ACCEPTED_MS;
	return { ...answer, answeredAt, clockDifferenceMs: isProved ? undefined : differenceMs };
}

/** Makes one call and reads its answer. Throws what `callService` throws. */
export async function runQuery<T>(
	caller: Caller,
	{ complete = (chosen) => chosen, parse, ...call }: Query<T>,
	parameters: FlatParameters = {},
): Promise<T> {
	const answer = await callService(caller, { ...call, parameters: complete(parameters) });
	return parse(withProof(answer, caller, call.endpoint), caller.secrets());
}

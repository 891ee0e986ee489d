import { assertKeyType, attempt, prepare, retryAfter } from '../../shared/transport/attempt';
import { CallError } from '../../shared/transport/callErrors';
import type { Caller, ServiceCall } from '../../shared/transport/callService';
import { parseEnvelope, type SuccessfulEnvelope } from '../../shared/transport/httpResponse';
import { rateLimiter } from '../../shared/transport/processState';
import { rateLimitKey } from '../../shared/transport/rateLimitKey';
import { RetryPolicy } from '../../shared/transport/retryPolicy';
import { throwIfCancelled } from '../../shared/transport/wait';

/** What happens when a purchase has its turn. */
export interface Departure {
	/**
	 * Waited for before the purchase leaves; where it throws, nothing is sent. Without a connection it is
	 * tried again, as the purchase itself would be.
	 */
	readonly beforeLeaving: () => Promise<void>;
	/** Called each time the request is about to leave. */
	readonly onLeaving: () => void;
}

async function failureOf(work: Promise<void>): Promise<CallError | undefined> {
	return await work.then(
		() => undefined,
		(error: unknown) => {
			if (error instanceof CallError) return error;
			throw error;
		},
	);
}

/**
 * Sends a purchase, and again only where the failure proves that nothing was done. Others with the same key
 * wait while it does what comes before, and the interval counts from when it leaves.
 *
 * @throws what `callService` throws, and what `beforeLeaving` throws
 */
export async function sendPurchase(
	caller: Caller,
	call: ServiceCall,
	{ beforeLeaving, onLeaving }: Departure,
): Promise<SuccessfulEnvelope> {
	const { endpoint } = call;
	const { intervalMs } = endpoint;
	const retryPolicy = new RetryPolicy(endpoint, intervalMs);

	assertKeyType(caller, endpoint);
	const leave = async (): Promise<void> => {
		const limitKey = rateLimitKey(caller.credential, endpoint);
		const release = await rateLimiter.hold(limitKey, intervalMs, caller.signal);
		try {
			await beforeLeaving();
			throwIfCancelled(caller.signal);
			onLeaving();
		} finally {
			release();
		}
	};
	for (;;) {
		const obstacle = (await prepare(caller, endpoint)) ?? (await failureOf(leave()));
		const outcome = obstacle ?? (await attempt(caller, call, parseEnvelope));
		// A success that arrived counts even if the execution was cancelled meanwhile: it is paid
		if (!(outcome instanceof CallError)) return outcome;
		if (!(await retryAfter(outcome, retryPolicy, caller, call))) throw outcome;
	}
}

import { NetworkError } from '../errors/callErrors';
import type { TransportFailure } from '../errors/transportFailure';
import { untilAborted, untilCancelled } from '../concurrency/wait';

/** The timeout of n8n's helper restarts with every byte that arrives; this one doesn't. */
const GRACE_MS = 500;

const TIMED_OUT: TransportFailure = { kind: 'timeout', detail: '', mayHaveArrived: true };

export interface Deadline {
	readonly url: string;
	/** For the request. */
	readonly limitMs: number;
	/** What the user knows, for the message. */
	readonly timeoutMs: number;
	readonly signal: AbortSignal | undefined;
}

/**
 * Settles as the request does, or when its time is over. Nothing of the request goes on after that.
 *
 * @param send gets the signal that ends the request
 * @throws NetworkError, and CancelledError at once when the signal aborts
 */
export async function withDeadline<T>(
	send: (abortSignal: AbortSignal) => Promise<T>,
	{ url, limitMs, timeoutMs, signal }: Deadline,
): Promise<T> {
	const overdue = () => new NetworkError(TIMED_OUT, new URL(url).host, timeoutMs);
	const isOver = AbortSignal.timeout(limitMs + GRACE_MS);
	const abortSignal = signal === undefined ? isOver : AbortSignal.any([isOver, signal]);
	return await untilCancelled(untilAborted(send(abortSignal), isOver, overdue), signal);
}

import { CancelledError } from './callErrors';
import { untilCancelled } from './wait';

/**
 * For work that several executions share: if the execution that started it is canceled, the others start
 * it again.
 *
 * @throws CancelledError at once when `signal` aborts, and what the work throws
 */
export async function singleFlight<T extends object>(
	join: () => Promise<T>,
	signal: AbortSignal | undefined,
): Promise<T> {
	const unlessOnlyThatOne = (error: unknown): undefined => {
		if (error instanceof CancelledError && signal?.aborted !== true) return undefined;
		throw error;
	};
	for (;;) {
		const result = await untilCancelled(join(), signal).catch(unlessOnlyThatOne);
		if (result !== undefined) return result;
	}
}

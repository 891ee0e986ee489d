import { CancelledError } from '../../shared/transport/callErrors';

/** For a question that a purchase can do without. */
export function unlessCancelled(error: unknown): undefined {
	if (error instanceof CancelledError) throw error;
	return undefined;
}

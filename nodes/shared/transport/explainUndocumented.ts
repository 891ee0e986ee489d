import { codeMeaning } from '../service/codes';
import { ApiError } from './callErrors';

/**
 * Settles as `call` does. A refusal with a code that the service does not document gets a note about what is
 * most likely behind it.
 *
 * @param note a whole sentence
 */
export async function explainUndocumented<T>(call: Promise<T>, note: string): Promise<T> {
	return await call.catch((error: unknown): never => {
		if (error instanceof ApiError && codeMeaning(error.endpoint, error.code) === undefined) {
			error.note = note;
		}
		throw error;
	});
}

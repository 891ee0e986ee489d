import { InvalidResponseError } from '../transport/callErrors';
import type { Caller } from '../transport/callService';
import { excerpt } from '../transport/cleanText';

/**
 * An answer whose `data` lacks what it must have, with the beginning of `data`. Not for endpoints whose
 * answers hold a secret.
 *
 * @param reason continues the sentence "The answer …"
 */
export function lackingAnswer(reason: string, data: unknown, caller: Caller): InvalidResponseError {
	return new InvalidResponseError(reason, excerpt(JSON.stringify(data) ?? '', caller.secrets()));
}

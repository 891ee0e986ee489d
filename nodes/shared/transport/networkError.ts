import { NetworkError } from './callErrors';
import { cleanServiceText, type Secrets } from './cleanText';
import { transportFailure } from './transportFailure';

/** An error of n8n's request helpers, with its text cleaned: it may hold the request, keys included. */
export function networkError(
	error: unknown,
	url: string,
	timeoutMs: number,
	secrets: Secrets,
): NetworkError {
	const failure = transportFailure(error);
	const detail = cleanServiceText(failure.detail, secrets);
	return new NetworkError({ ...failure, detail }, new URL(url).host, timeoutMs);
}

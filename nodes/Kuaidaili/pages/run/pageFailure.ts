import { DescribedError } from '../../../shared/api/errors';
import { formatNumber, sentences } from '../../../shared/wording';
import { BYTES_PER_MEGABYTE, type PageRequest } from '../request/pageRequest';
import type { AttemptResult } from './classifyAttempt';

const LONGEST_URL = 300;

/** The beginning of a page's address, as it is shown in a message. */
export function shownUrl(url: string): string {
	return url.length > LONGEST_URL ? `${url.slice(0, LONGEST_URL)}…` : url;
}

/** Each reason once, such as "1.2.3.4:80, 5.6.7.8:80: no answer within 15 s." */
export function reasonsInWords(attempts: readonly AttemptResult[]): string {
	const byReason = new Map<string, Set<string>>();
	for (const { proxy, reason } of attempts) {
		byReason.set(reason, (byReason.get(reason) ?? new Set()).add(proxy));
	}
	return [...byReason]
		.map(([reason, proxies]) => `${[...proxies].join(', ')}: ${reason}.`)
		.join(' ');
}

const MAY_HAVE_ARRIVED =
	'The page may have received what was sent, so it was not sent again. Check whether it did before you send it again.';

/**
 * Why a page was not opened, in words: with its address, every attempt, and what to do.
 *
 * @param attempts at least one
 * @param isFinal whether the page may have received what must not be sent again
 * @param stoppedBecause why no other attempt was made, as a whole sentence
 */
export function describePageFailure(
	page: PageRequest,
	attempts: readonly AttemptResult[],
	isFinal: boolean,
	stoppedBecause?: string,
): DescribedError {
	const { statusCode, message, advice } = attempts[attempts.length - 1];
	const count = attempts.length;
	const saysAll = message.includes('{status}') || message.includes('{size}');
	const hasOneReason = new Set(attempts.map(({ reason }) => reason)).size === 1;
	const proxies = [...new Set(attempts.map(({ proxy }) => proxy))].join(', ');
	const stopped = stoppedBecause === undefined ? undefined : `Stopped early: ${stoppedBecause}`;
	return new DescribedError({
		message: message
			.replace('{status}', String(statusCode))
			.replace('{size}', String(page.maxBytes / BYTES_PER_MEGABYTE))
			.replace('{tried}', count === 1 ? '' : ` in ${formatNumber(count)} attempts`),
		description: sentences(
			hasOneReason && saysAll
				? `${shownUrl(page.url)}, through ${proxies}.`
				: `${shownUrl(page.url)}: ${reasonsInWords(attempts)}`,
			isFinal ? MAY_HAVE_ARRIVED : (stopped ?? advice),
		),
		// A captcha with status 200 is refused for what it says
		code: statusCode === undefined || statusCode < 400 ? undefined : String(statusCode),
	});
}

import { DescribedError } from '../../shared/errors/callErrors';
import { formatNumber } from '../../shared/wording';
import { meaningOf } from '../proxies/proxyStatuses';
import {
	BYTES_PER_MEGABYTE,
	headerOf,
	LARGEST_PAGE_MB,
	LONGEST_ATTEMPT_MS,
	MOST_ATTEMPTS,
	type PageRequest,
} from './pageRequest';
import { NO_SUCH_PAGE, type Advice, type Verdict } from './verdict';

/** An attempt that did not open the page. */
export interface FailedAttempt {
	/** `host:port` */
	readonly proxy: string;
	/** Such as "the page answered with status 404". */
	readonly reason: string;
}

const LONGEST_URL = 300;

/** The beginning of a page's address, as it is shown in a message. */
export function shownUrl(url: string): string {
	return url.length > LONGEST_URL ? `${url.slice(0, LONGEST_URL)}…` : url;
}

/** Whether a status that is not listed for it may have been meant for the proxy. */
function mayBeRefusal({ retryIf }: PageRequest, statusCode = 0): boolean {
	return statusCode >= 400 && !NO_SUCH_PAGE.has(statusCode) && !retryIf.statuses.has(statusCode);
}

const MAY_HAVE_ARRIVED =
	'The page may have received what was sent, so it was not sent again. Check whether it did before you send it again.';

/** Each where it would have changed something; those about another attempt not for what must not be sent again. */
const ADVICE: Readonly<
	Record<
		Advice,
		(page: PageRequest, verdict: Verdict, isFinal: boolean) => string | false | undefined
	>
> = {
	listStatus: (page, { statusCode }, isFinal) =>
		!isFinal &&
		mayBeRefusal(page, statusCode) &&
		"If this site answers so to proxies that it blocks, add the status to 'Retry If', 'Statuses'.",
	moreAttempts: ({ maxAttempts }, _verdict, isFinal) =>
		!isFinal && maxAttempts < MOST_ATTEMPTS && "Raise 'Max Attempts' to try more proxies.",
	fewerBlocks: () =>
		"Blocks are less likely with fewer 'Pages at a Time' in 'Options', and with 'Pages per Proxy' set to 1.",
	longer: ({ attemptTimeoutMs }) =>
		attemptTimeoutMs < LONGEST_ATTEMPT_MS && "Raise 'Attempt Timeout' in 'Options' for slow pages.",
	larger: ({ maxBytes }) =>
		maxBytes < LARGEST_PAGE_MB * BYTES_PER_MEGABYTE &&
		"Raise 'Max Page Size' in 'Options' if you need it.",
	encodings: ({ headers }) =>
		headerOf(headers, 'accept-encoding') === undefined
			? "If it is the same through every proxy, the site itself may be at fault: ask it for an uncompressed page by adding 'Accept-Encoding' with the value 'identity' to 'Headers'."
			: "Remove your own 'Accept-Encoding' from 'Headers', so that n8n asks only for what it can unpack, or set it to 'identity' for an uncompressed page.",
	trust: () =>
		"Check in a browser that the page has a valid certificate. Many sites send an incomplete chain, which browsers complete: 'Ignore SSL Issues (Insecure)' in 'Options' opens them, unprotected.",
	laterOrSlower: () =>
		"Something else may use the same order. Lower 'Requests per Second' in 'Options', or try again later.",
	ofProxies: ({ url }, { statusCode = 0 }) => {
		const meaning = url.startsWith('http:') && statusCode < 500 && meaningOf(statusCode);
		return typeof meaning === 'string' && `If it was a proxy that answered so: ${meaning}.`;
	},
	newLogin: () =>
		"If the order's password was changed in the member center a moment ago, try again in a minute.",
};

/** The proxies of each reason. */
function proxiesByReason(attempts: readonly FailedAttempt[]): ReadonlyMap<string, Set<string>> {
	const byReason = new Map<string, Set<string>>();
	for (const { proxy, reason } of attempts) {
		byReason.set(reason, (byReason.get(reason) ?? new Set()).add(proxy));
	}
	return byReason;
}

/** Each reason once, such as "1.2.3.4:80, 5.6.7.8:80: no answer within 15 s." */
export function reasonsInWords(attempts: readonly FailedAttempt[]): string {
	const sentences = [...proxiesByReason(attempts)].map(
		([reason, proxies]) => `${[...proxies].join(', ')}: ${reason}.`,
	);
	return sentences.join(' ');
}

/**
 * Why a page was not opened, in words: with its address, every attempt, and what to do.
 *
 * @param verdict on the last attempt
 * @param isUnsent whether it is known that the page did not get what was sent
 */
export function describePageFailure(
	page: PageRequest,
	verdict: Verdict,
	attempts: readonly FailedAttempt[],
	isUnsent: boolean,
): DescribedError {
	const { statusCode, message, saysAll, advice = [] } = verdict;
	const count = attempts.length;
	const byReason = proxiesByReason(attempts);
	const [proxies] = byReason.values();
	const isFinal = page.method === 'POST' && !isUnsent;
	const description = [
		saysAll === true && byReason.size === 1
			? `${shownUrl(page.url)}, through ${[...proxies].join(', ')}.`
			: `${shownUrl(page.url)}: ${reasonsInWords(attempts)}`,
		isFinal && MAY_HAVE_ARRIVED,
		...advice.map((name) => ADVICE[name](page, verdict, isFinal)),
	];
	return new DescribedError({
		message: message
			.replace('{status}', String(statusCode))
			.replace('{size}', String(page.maxBytes / BYTES_PER_MEGABYTE))
			.replace('{tried}', count === 1 ? '' : ` in ${formatNumber(count)} attempts`),
		description: description.filter(Boolean).join(' '),
		// A captcha with status 200 is refused for what it says
		code: statusCode === undefined || statusCode < 400 ? undefined : String(statusCode),
	});
}

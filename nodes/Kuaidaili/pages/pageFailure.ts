import { DescribedError, type CallError } from '../../shared/errors/callErrors';
import { formatNumber } from '../../shared/wording';
import type { Judgement } from './judge';
import {
	BYTES_PER_MEGABYTE,
	headerOf,
	LARGEST_PAGE_MB,
	LONGEST_ATTEMPT_MS,
	MOST_ATTEMPTS,
	type PageRequest,
} from './pageRequest';

/** An attempt that did not open the page. */
export interface FailedAttempt {
	/** `host:port` */
	readonly proxy: string;
	/** Such as "the page answered with status 404". */
	readonly reason: string;
}

/** What is known when a page is given up. */
export interface FailedPage {
	/** Of the last attempt. */
	readonly judgement: Judgement;
	readonly attempts: readonly FailedAttempt[];
	/** Whether it is known that the page did not get what was sent. */
	readonly isUnsent: boolean;
}

const LONGEST_URL = 300;

/** The beginning of a page's address, as it is shown in a message. */
export function shownUrl(url: string): string {
	return url.length > LONGEST_URL ? `${url.slice(0, LONGEST_URL)}…` : url;
}

function times(count: number): string {
	return count === 1 ? '' : ` in ${formatNumber(count)} attempts`;
}

function messageOf({ maxBytes }: PageRequest, { judgement, attempts }: FailedPage): string {
	const { outcome, statusCode, isCorrupt } = judgement;
	const tried = times(attempts.length);
	if (isCorrupt) return `The compressed content of the page could not be read${tried}`;
	switch (outcome) {
		case 'status':
			return statusCode !== undefined && statusCode < 400
				? 'The redirects of the page lead nowhere'
				: `The page answered with status ${statusCode}`;
		case 'blocked':
			return `The site refused to show the page${tried}`;
		case 'tooLarge':
			return `The page is larger than ${maxBytes / BYTES_PER_MEGABYTE} MB`;
		case 'certificate':
			return `The certificate of the page could not be trusted${tried}`;
		case 'tooManyRequests':
			return 'The order allows no more requests at the moment';
		case 'timeout':
			return `The page did not answer in time${tried}`;
		case 'opened':
		case 'proxyFailed':
		case 'proxyExpired':
			return `The page could not be reached${tried}`;
	}
}

const MAY_HAVE_ARRIVED =
	'The page may have received what was sent, so it was not sent again. Check whether it did before you send it again.';
const LIMIT_OF_ORDER =
	"Something else may use the same order. Lower 'Requests per Second' in 'Options', or try again later.";
const NEW_LOGIN =
	"If the order's password was changed in the member center a moment ago, try again in a minute.";
const LONGER = "Raise 'Attempt Timeout' in 'Options' for slow pages.";
const LARGER = "Raise 'Max Page Size' in 'Options' if you need it.";
const MORE_ATTEMPTS = "Raise 'Max Attempts' to try more proxies.";
const UNCOMPRESSED =
	"If it is the same through every proxy, the site itself may be at fault: ask it for an uncompressed page by adding 'Accept-Encoding' with the value 'identity' to 'Headers'.";
const OTHER_ENCODINGS =
	"Remove your own 'Accept-Encoding' from 'Headers', so that n8n asks only for what it can unpack, or set it to 'identity' for an uncompressed page.";
const FEWER_BLOCKS =
	"Blocks are less likely with fewer 'Pages at a Time' in 'Options', and with 'Pages per Proxy' set to 1.";
const LIST_STATUS =
	"If this site answers so to proxies that it blocks, add the status to 'Retry If', 'Statuses'.";

const OWN_STATUSES: ReadonlySet<number> = new Set([404, 410]);

/** Whether a status that is not listed for it may have been meant for the proxy. */
function mayBeRefusal({ retryIf }: PageRequest, statusCode = 0): boolean {
	return statusCode >= 400 && !OWN_STATUSES.has(statusCode) && !retryIf.statuses.has(statusCode);
}

/**
 * Only what would have changed something.
 *
 * @param isFinal whether the page must not be tried again, whatever is set
 */
function adviceFor(page: PageRequest, judgement: Judgement, isFinal: boolean): string[] {
	const { outcome, statusCode, next, fault } = judgement;
	const mayRaise = !isFinal && next === 'again' && page.maxAttempts < MOST_ATTEMPTS;
	const moreAttempts = mayRaise ? [MORE_ATTEMPTS] : [];
	const listStatus = !isFinal && mayBeRefusal(page, statusCode) ? [LIST_STATUS] : [];
	const hasOwnEncodings = headerOf(page.headers, 'accept-encoding') !== undefined;
	if (judgement.isCorrupt) {
		return [...moreAttempts, hasOwnEncodings ? OTHER_ENCODINGS : UNCOMPRESSED];
	}
	switch (outcome) {
		case 'blocked':
			return [...listStatus, ...moreAttempts, FEWER_BLOCKS];
		case 'status':
			return listStatus;
		case 'timeout':
			return [...(page.attemptTimeoutMs < LONGEST_ATTEMPT_MS ? [LONGER] : []), ...moreAttempts];
		case 'tooLarge':
			return page.maxBytes < LARGEST_PAGE_MB * BYTES_PER_MEGABYTE ? [LARGER] : [];
		case 'certificate':
			return ['Check in a browser that the page has a valid certificate.'];
		case 'tooManyRequests':
			return [LIMIT_OF_ORDER];
		case 'proxyFailed':
		case 'proxyExpired':
			return fault === 'loginRefused' ? [NEW_LOGIN] : moreAttempts;
		case 'opened':
			return [];
	}
}

/** The proxies of each reason. */
function proxiesByReason(
	attempts: readonly FailedAttempt[],
): ReadonlyMap<string, ReadonlySet<string>> {
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

/** The address of the page, and what the message does not say of the attempts. */
function attemptsInWords(url: string, message: string, attempts: readonly FailedAttempt[]): string {
	const byReason = proxiesByReason(attempts);
	const proxies = byReason.size === 1 ? byReason.get(message.replace(/^The/, 'the')) : undefined;
	return proxies === undefined
		? `${shownUrl(url)}: ${reasonsInWords(attempts)}`
		: `${shownUrl(url)}, through ${[...proxies].join(', ')}.`;
}

/** Why a page was not opened, in words: with its address, every attempt, and what to do. */
export function describePageFailure(page: PageRequest, failed: FailedPage): CallError {
	const { judgement, attempts, isUnsent } = failed;
	const { statusCode } = judgement;
	const message = messageOf(page, failed);
	const mayHaveArrived = page.method === 'POST' && !isUnsent;
	const description = [
		attemptsInWords(page.url, message, attempts),
		mayHaveArrived ? MAY_HAVE_ARRIVED : '',
		...adviceFor(page, judgement, mayHaveArrived),
	];
	return new DescribedError({
		message,
		description: description.filter(Boolean).join(' '),
		// A captcha with status 200 is refused for what it says
		code: statusCode === undefined || statusCode < 400 ? undefined : String(statusCode),
	});
}

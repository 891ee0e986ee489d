import { DescribedError, type CallError } from '../../shared/errors/callErrors';
import { formatNumber } from '../../shared/wording';
import type { Judgement, Outcome } from './judge';
import type { PageRequest } from './pageRequest';
import { remedyFor } from '../proxies/proxyStatuses';

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

function shownUrl(url: string): string {
	return url.length > LONGEST_URL ? `${url.slice(0, LONGEST_URL)}…` : url;
}

function times(count: number): string {
	return count === 1 ? '' : ` in ${formatNumber(count)} attempts`;
}

function messageOf({ maxBytes }: PageRequest, { judgement, attempts }: FailedPage): string {
	const { outcome, statusCode } = judgement;
	const tried = times(attempts.length);
	switch (outcome) {
		case 'status':
			return statusCode !== undefined && statusCode < 400
				? 'The redirects of the page lead nowhere'
				: `The page answered with status ${statusCode}`;
		case 'blocked':
			return `The site refused to show the page${tried}`;
		case 'tooLarge':
			return `The page is larger than ${maxBytes / 1_000_000} MB`;
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

const MORE_ATTEMPTS = "Raise 'Max Attempts' to try more proxies.";

const ADVICE: Readonly<Partial<Record<Outcome, string>>> = {
	blocked: `${MORE_ATTEMPTS} Blocks are less likely with fewer 'Pages at a Time' in 'Options', and with 'Pages per Proxy' set to 1.`,
	tooLarge: "Raise 'Max Page Size' in 'Options' if you need it.",
	certificate: 'Check in a browser that the page has a valid certificate.',
	tooManyRequests:
		"Something else may use the same order. Lower 'Requests per Second' in 'Options', or try again later.",
	timeout: `Raise 'Attempt Timeout' in 'Options' for slow pages. ${MORE_ATTEMPTS}`,
	proxyFailed: MORE_ATTEMPTS,
	proxyExpired: MORE_ATTEMPTS,
};

function adviceFor({ retryIf }: PageRequest, { outcome, statusCode, next }: Judgement): string {
	// Another attempt would end in the same way
	if (outcome === 'proxyFailed' && next === 'giveUp') return '';
	if (
		outcome === 'proxyFailed' &&
		statusCode !== undefined &&
		remedyFor(statusCode) === 'newLogin'
	) {
		return "If the order's password was changed in the member center a moment ago, try again in a minute.";
	}
	if (outcome !== 'status' || statusCode === undefined) return ADVICE[outcome] ?? '';
	const mayBeRefusal = statusCode >= 400 && ![404, 410].includes(statusCode);
	return mayBeRefusal && !retryIf.statuses.has(statusCode)
		? "If this site answers so to proxies that it blocks, add the status to 'Retry If', 'Statuses'."
		: '';
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
		mayHaveArrived ? 'The page may have received what was sent, so it was not sent again.' : '',
		adviceFor(page, judgement),
	];
	return new DescribedError({
		message,
		description: description.filter(Boolean).join(' '),
		// A captcha with status 200 is refused for what it says
		code: statusCode === undefined || statusCode < 400 ? undefined : String(statusCode),
	});
}

import { DescribedError } from '../../../shared/errors/callErrors';
import { shortLine } from '../../../shared/fields/invalidFieldError';
import { formatNumber } from '../../../shared/wording';
import { documentedStatus, type ProxyFault } from '../../proxies/proxyStatuses';
import type { PageContent } from '../content/pageContent';
import { LARGEST_PAGE_MB, LONGEST_ATTEMPT_MS, MOST_ATTEMPTS } from '../request/pageFields';
import { BYTES_PER_MEGABYTE, headerOf, type PageRequest } from '../request/pageRequest';
import type { HttpAnswer, RequestFailure, FetchResult } from '../http/fetchPage';

/**
 * What may become of an attempt to open a page: how many pages failed so, as the continuation of "20 ", and the message
 * of one, with {status}, {size}, and {tried}.
 */
const OUTCOMES = {
	opened: ['not as wanted', ''],
	proxyFailed: ['not reached', 'The page could not be reached{tried}'],
	proxyExpired: ['not reached', 'The page could not be reached{tried}'],
	tooManyRequests: [
		"beyond the order's requests per second",
		'The order allows no more requests at the moment',
	],
	timeout: ['not in time', 'The page did not answer in time{tried}'],
	blocked: ['blocked', 'The site refused to show the page{tried}'],
	status: ['with status', 'The page answered with status {status}'],
	tooLarge: ['too large', 'The page is larger than {size} MB'],
	certificate: [
		'with a certificate that cannot be trusted',
		'The certificate of the page could not be trusted{tried}',
	],
	siteGivenUp: ['of sites that were given up', ''],
} as const;

export type Outcome = keyof typeof OUTCOMES;

export const NOT_TRIED = 'not tried';

/** How a page failed, as the continuation of "20 ": such as "blocked" or "with status 404". */
export function outcomeInWords(outcome: Outcome | undefined, statusCode?: number): string {
	if (outcome === undefined) return NOT_TRIED;
	if (outcome !== 'status') return OUTCOMES[outcome][0];
	return statusCode === undefined || statusCode < 400
		? 'with redirects that lead nowhere'
		: `with status ${statusCode}`;
}

/**
 * What to do about a page that fails, where it would have changed something.
 *
 * @param isFinal whether the page may have received what must not be sent again
 */
type Advice =
	| string
	| ((page: PageRequest, verdict: AttemptResult, isFinal: boolean) => string | false | undefined);

/** What follows from what an attempt showed. */
interface Rule {
	readonly outcome: Outcome;
	/** What the proxy is to blame for: `failed` and `loginRefused` everywhere, `blocked` for this site only. */
	readonly fault?: ProxyFault;
	/** Set where the site has not seen the proxy, which serves another page in place of this one. */
	readonly isUnseen?: true;
	/**
	 * `again`: through another proxy where this one is to blame, or no session keeps it. `wait`: with the same one, as
	 * the order allows no more at the moment.
	 */
	readonly next: 'done' | 'again' | 'wait' | 'giveUp';
	readonly message: string;
	readonly advice?: readonly Advice[];
}

/** Statuses of a site that works and has no such page. */
export const NO_SUCH_PAGE: ReadonlySet<number | undefined> = new Set([404, 410]);

const listStatus: Advice = ({ retryIf }, { statusCode = 0 }, isFinal) =>
	!isFinal &&
	statusCode >= 400 &&
	!NO_SUCH_PAGE.has(statusCode) &&
	!retryIf.statuses.has(statusCode) &&
	"If this site answers so to proxies that it blocks, add the status to 'Retry If', 'Status Codes'.";

const moreAttempts: Advice = ({ maxAttempts }, _verdict, isFinal) =>
	!isFinal && maxAttempts < MOST_ATTEMPTS && "Raise 'Max Attempts' to try more proxies.";

const fewerBlocks: Advice = ({ pagesAtATime, pagesPerProxy = 1, sessionKey }) => {
	const ways = [
		pagesAtATime > 1 && "fewer 'Pages at a Time' in 'Options'",
		sessionKey === undefined && pagesPerProxy !== 1 && "'Pages per Proxy' set to 1",
	].filter(Boolean);
	return ways.length > 0 && `Blocks are less likely with ${ways.join(', and with ')}.`;
};

const longer: Advice = ({ attemptTimeoutMs }) =>
	attemptTimeoutMs < LONGEST_ATTEMPT_MS &&
	"Raise 'Attempt Timeout (Milliseconds)' in 'Options' for slow pages.";

const larger: Advice = ({ maxBytes }) =>
	maxBytes < LARGEST_PAGE_MB * BYTES_PER_MEGABYTE &&
	"Raise 'Max Page Size (MB)' in 'Options' if you need it.";

const encodings: Advice = ({ headers }) =>
	headerOf(headers, 'accept-encoding') === undefined
		? "If it is the same through every proxy, the site itself may be at fault: ask it for an uncompressed page by adding 'Accept-Encoding' with the value 'identity' to 'Headers'."
		: "Remove your own 'Accept-Encoding' from 'Headers', so that n8n asks only for what it can unpack, or set it to 'identity' for an uncompressed page.";

const TRUST =
	"Check in a browser that the page has a valid certificate. Many sites send an incomplete chain, which browsers complete: 'Ignore SSL Issues (Insecure)' in 'Options' opens them, unprotected.";

const LATER_OR_SLOWER =
	"Something else may use the same order. Lower 'Requests per Second' in 'Options', or try again later.";

const ofProxies: Advice = ({ url }, { statusCode = 0 }) => {
	const { meaning } = documentedStatus(statusCode);
	const mayBeOfProxy = url.startsWith('http:') && meaning !== undefined;
	return mayBeOfProxy && `If a proxy said so: ${meaning}.`;
};

const ofService: Advice = (_page, { statusCode = 0 }) => documentedStatus(statusCode).advice;

const NEW_LOGIN =
	"If the order's password was changed in the member center a moment ago, try again in a minute.";

const PACKED = 'The compressed content of the page could not be read{tried}';
const CIRCLES = 'The redirects of the page lead nowhere';

function rule(outcome: Outcome, next: Rule['next'], more: Partial<Rule> = {}): Rule {
	return { outcome, next, message: OUTCOMES[outcome][1], ...more };
}

const blocked = (...advice: Advice[]) => ({ fault: 'blocked', advice }) as const;

/** By what an attempt showed. Everybody asks here, so that blame, output, and words cannot contradict each other. */
const RULES = {
	opened: rule('opened', 'done'),

	// What the page answered
	status: rule('status', 'giveUp', { advice: [ofProxies, listStatus] }),
	listedStatus: rule('status', 'again', { fault: 'blocked' }),
	// It has nothing against this proxy
	serverTrouble: rule('status', 'again', { advice: [ofProxies] }),
	block: rule('blocked', 'again', blocked(moreAttempts, fewerBlocks)),
	unlistedBlock: rule('blocked', 'giveUp', blocked(listStatus, fewerBlocks)),
	tooLarge: rule('tooLarge', 'giveUp', { advice: [larger] }),
	redirects: rule('status', 'giveUp', { message: CIRCLES }),
	// What the site sends does not depend on the proxy
	packed: rule('proxyFailed', 'giveUp', { message: PACKED, advice: [encodings] }),

	// How a request failed: how far it got tells whether proxy or site is to blame
	corrupt: rule('proxyFailed', 'again', { message: PACKED, advice: [moreAttempts, encodings] }),
	certificate: rule('certificate', 'again', { advice: [TRUST] }),
	timeout: rule('timeout', 'again', { advice: [longer, moreAttempts] }),
	connection: rule('proxyFailed', 'again', { advice: [moreAttempts] }),

	// What the proxy answered
	proxy: rule('proxyFailed', 'again', { fault: 'failed', advice: [moreAttempts] }),
	expired: rule('proxyExpired', 'again', { fault: 'failed', advice: [moreAttempts] }),
	login: rule('proxyFailed', 'again', { fault: 'loginRefused', advice: [NEW_LOGIN] }),

	// What no proxy is to blame for
	host: rule('proxyFailed', 'again', { ...blocked(moreAttempts), isUnseen: true }),
	service: rule('proxyFailed', 'giveUp', { isUnseen: true, advice: [ofService] }),
	busyOrder: rule('tooManyRequests', 'wait', { isUnseen: true, advice: [LATER_OR_SLOWER] }),
	bandwidth: rule('proxyFailed', 'wait', { isUnseen: true, advice: [LATER_OR_SLOWER] }),
	forbidden: rule('proxyFailed', 'giveUp', { isUnseen: true }),
};

/** What came of an attempt to open a page. */
export interface AttemptResult extends Rule {
	/** `host:port`, never with a login. */
	readonly proxy: string;
	/** How long it took, in whole milliseconds, without the waiting for the order's pace. */
	readonly milliseconds: number;
	/** Of the page, or of the proxy where that answered. */
	readonly statusCode?: number;
	/** Such as "the page answered with status 404"; empty for a page that was opened. */
	readonly reason: string;
	/** Whether a proxy led to nothing: `unclear` where the site may be to blame as well. */
	readonly isUnconnected: boolean | 'unclear';
}

/** Why an answer of the page counts as refused, whatever its status; undefined if it does not. */
function refusalIn(
	{ contains, lacks, shorterThan, redirectedTo }: PageRequest['retryIf'],
	{ redirects }: FetchResult,
	content: PageContent,
): string | undefined {
	if (redirectedTo !== undefined && redirects.some((url) => url.includes(redirectedTo))) {
		return `the page redirected to "${shortLine(redirectedTo)}"`;
	}
	if (!content.hasReadableBody) return undefined;
	const text = contains.length + lacks.length > 0 ? content.text.toLowerCase() : '';
	const found = contains.find((part) => text.includes(part));
	if (found !== undefined) return `the page contains "${shortLine(found)}"`;
	const { status, body } = content.answer;
	// What an error page says and how long it is, is no sign of anything
	if (status >= 400) return undefined;
	if (body.length < shorterThan) return `the page has only ${body.length} bytes`;
	const missing = lacks.find((part) => !text.includes(part));
	return missing === undefined ? undefined : `the page lacks "${shortLine(missing)}"`;
}

type Finding = readonly [situation: keyof typeof RULES, reason: string];

function ofPage({ retryIf }: PageRequest, visit: FetchResult, content: PageContent): Finding {
	const { answer, compression } = content;
	const { status } = answer;
	const refusal = refusalIn(retryIf, visit, content);
	const isListed = retryIf.statuses.has(status);
	if (refusal !== undefined) return ['block', refusal];
	const answered = `the page answered with status ${status}`;
	if (status === 403 || status === 429) return [isListed ? 'block' : 'unlistedBlock', answered];
	if (isListed)
		return [status < 400 ? 'block' : status < 500 ? 'listedStatus' : 'serverTrouble', answered];
	// Where it redirects to can be read nevertheless
	if (status < 300 && compression !== undefined) {
		const how = `compressed as "${shortLine(compression)}", which n8n cannot unpack`;
		return ['packed', `the page came ${how}`];
	}
	return status < 400 ? ['opened', ''] : ['status', answered];
}

function ofFailure(page: PageRequest, { reason, code }: RequestFailure): Finding {
	const ofCode = code === '' ? '' : ` (${code})`;
	const findings: Record<RequestFailure['reason'], Finding> = {
		timeout: ['timeout', `no answer within ${page.attemptTimeoutMs / 1000} s`],
		connection: ['connection', `the connection failed${ofCode}`],
		certificate: ['certificate', `the certificate cannot be trusted${ofCode}`],
		corrupt: ['corrupt', `the compressed content of the page could not be read${ofCode}`],
		tooLarge: ['tooLarge', `the page is larger than ${page.maxBytes / BYTES_PER_MEGABYTE} MB`],
		forbidden: ['forbidden', "n8n's own protection does not allow this address"],
		unknownHost: ['forbidden', 'n8n itself could not find the host of the page'],
		redirects: ['redirects', 'the page redirects in circles'],
		redirectTarget: ['redirects', 'the page redirects to an address that is no page'],
	};
	return findings[reason];
}

function ofProxy(status: number): Finding {
	const { cause = 'proxy', meaning } = documentedStatus(status);
	const verb = status < 400 ? 'answered in place of the page' : 'refused';
	const words = [`the proxy ${verb}`, meaning].filter(Boolean).join(': ');
	return [cause, `${words} (status ${status})`];
}

/** What an attempt showed, with content where the page answered: who is to blame, and what comes next. */
export function classifyAttempt(
	page: PageRequest,
	visit: FetchResult,
	content: PageContent | undefined,
): AttemptResult {
	const { answer, failure, milliseconds } = visit;
	const { status, reach = 'nowhere' }: Partial<HttpAnswer> = answer ?? failure ?? {};
	const ofAnswer = () =>
		content === undefined ? ofProxy(status ?? 0) : ofPage(page, visit, content);
	const [situation, reason] = failure === undefined ? ofAnswer() : ofFailure(page, failure);
	const rule: Rule = RULES[situation];
	// What has brought a redirect works
	const isConnected = reach === 'page' || visit.redirects.length > 0;
	const fault = isConnected ? 'blocked' : 'failed';
	// Who keeps silent may serve other sites; whoever refuses a login serves none
	const isOfProxy = situation === 'login' || situation === 'expired';
	const isCertain = failure?.isProxyDown === true || (isOfProxy && reach === 'nowhere');
	return {
		...rule,
		...(failure !== undefined && rule.next === 'again' && { fault }),
		proxy: visit.proxy.address,
		milliseconds,
		reason,
		statusCode: status,
		isUnconnected: rule.isUnseen !== true && !isConnected && (isCertain || 'unclear'),
	};
}

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
 * @param verdict on the last attempt
 * @param otherAdvice in place of what follows from the attempts
 */
export function describePageFailure(
	page: PageRequest,
	verdict: AttemptResult,
	attempts: readonly AttemptResult[],
	isFinal: boolean,
	otherAdvice?: string,
): DescribedError {
	const { statusCode, message, advice = [] } = verdict;
	const count = attempts.length;
	const saysAll = message.includes('{status}') || message.includes('{size}');
	const hasOneReason = new Set(attempts.map(({ reason }) => reason)).size === 1;
	const proxies = [...new Set(attempts.map(({ proxy }) => proxy))].join(', ');
	const description = [
		hasOneReason && saysAll
			? `${shownUrl(page.url)}, through ${proxies}.`
			: `${shownUrl(page.url)}: ${reasonsInWords(attempts)}`,
		isFinal && MAY_HAVE_ARRIVED,
		...(otherAdvice === undefined
			? advice.map((one) => (typeof one === 'string' ? one : one(page, verdict, isFinal)))
			: [otherAdvice]),
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

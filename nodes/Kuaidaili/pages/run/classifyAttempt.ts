import { shortLine } from '../../../shared/fields/field';
import { sentences } from '../../../shared/wording';
import { statusesOf } from '../../proxies/products';
import { meaningOfAnswer, type ProxyFault, type ProxyStatus } from '../../proxies/proxyStatuses';
import type { PageContent } from '../content/pageContent';
import type { FetchResult } from '../http/fetchPage';
import type { HttpAnswer, RequestFailure } from '../http/httpAnswer';
import { BYTES_PER_MEGABYTE, type PageRequest } from '../request/pageRequest';
import type { Wall } from './walls';

/** The outcome of an attempt to open a page. */
export type Outcome =
	| 'opened'
	| 'proxyFailed'
	| 'proxyExpired'
	| 'tooManyRequests'
	| 'timeout'
	| 'blocked'
	| 'status'
	| 'tooLarge'
	| 'certificate';

/** The consequences of a situation. */
interface AttemptRule {
	readonly outcome: Outcome;
	/** The blame of the proxy: `failed` and `loginRefused` everywhere, `blocked` for this site only. */
	readonly blame?: ProxyFault;
	/** Set where the site has not seen the proxy, which may serve another page in place of this one. */
	readonly isUnseen?: true;
	/**
	 * - `end`: the page was opened, or another attempt would fail in the same way.
	 * - `tryAgain`: another attempt, through another proxy where this one is to blame, or no session keeps it.
	 * - `waitForOrder`: the same again with the same proxy, as the order allows no more at the moment.
	 */
	readonly nextStep: 'end' | 'tryAgain' | 'waitForOrder';
	/** The first sentence for a page that fails so, with `{status}`, `{size}`, and `{tried}`. */
	readonly message: string;
	/** Whole sentences for a page that fails so; may be empty. */
	readonly advice: string;
}

/** Statuses of a site that works and has no such page. */
export const NO_SUCH_PAGE: ReadonlySet<number | undefined> = new Set([404, 410]);

const MORE_ATTEMPTS = "Raise 'Max Attempts' in 'Options' to try more proxies.";
const LIST_STATUS =
	"If this site answers so to proxies that it blocks, add the status to 'Retry If', 'Status Codes'.";
const FEWER_BLOCKS =
	"Blocks are less likely with fewer 'Pages at a Time' in 'Options', and with 'Pages per Proxy' kept at 1.";
const LONGER = "Raise 'Attempt Timeout (Seconds)' in 'Options' for slow pages.";
const LARGER = "Raise 'Max Page Size (MB)' in 'Options' if you need it.";
const UNCOMPRESSED =
	"If it is the same through every proxy, the site itself may be at fault: ask it for an uncompressed page by 'Accept-Encoding' with the value 'identity' in 'Headers'.";
const TRUST =
	"Check in a browser that the page has a valid certificate. Many sites send an incomplete chain, which browsers complete: 'Ignore SSL Issues (Insecure)' in 'Options' opens them, unprotected.";
const LATER_OR_SLOWER =
	"Something else may use the same order. Lower 'Requests per Second' in 'Options', or try again later.";
const NEW_LOGIN =
	"If the order's password was changed in the member center a moment ago, try again in a minute.";
const NO_OTHER_PROXY =
	'The site itself sends what n8n cannot read; through another proxy it would be the same.';

const NOT_REACHED = 'The page could not be reached{tried}';
const SILENT = 'The page did not answer in time{tried}';
const REFUSED = 'The site refused to show the page{tried}';
const STATUS = 'The page answered with status {status}';
const PACKED = 'The compressed content of the page could not be read{tried}';
const UNTRUSTED = 'The certificate of the page could not be trusted{tried}';
const ORDER_BUSY = 'The order allows no more requests at the moment';

function rule(
	outcome: Outcome,
	nextStep: AttemptRule['nextStep'],
	message: string,
	advice: readonly string[] = [],
	blame?: ProxyFault,
): AttemptRule {
	return { outcome, nextStep, message, advice: advice.join(' '), blame };
}

/** The rule where the site has not seen the proxy. */
function unseen(attemptRule: AttemptRule): AttemptRule {
	return { ...attemptRule, isUnseen: true };
}

/** The consequences of each situation, in one table so that blame, output, and words cannot contradict each other. */
const ATTEMPT_RULES = {
	opened: rule('opened', 'end', ''),

	// The page answered
	missing: rule('status', 'end', STATUS),
	status: rule('status', 'end', STATUS, [LIST_STATUS]),
	listedStatus: rule('status', 'tryAgain', STATUS, [], 'blocked'),
	/** The site has nothing against this proxy. */
	serverTrouble: rule('status', 'tryAgain', STATUS),
	blocked: rule('blocked', 'tryAgain', REFUSED, [MORE_ATTEMPTS, FEWER_BLOCKS], 'blocked'),
	unlistedBlock: rule('blocked', 'end', REFUSED, [LIST_STATUS, FEWER_BLOCKS], 'blocked'),
	tooLarge: rule('tooLarge', 'end', 'The page is larger than {size} MB', [LARGER]),
	redirects: rule('status', 'end', 'The redirects of the page lead nowhere'),
	// The site sends the same through every proxy
	unknownCompression: rule('proxyFailed', 'end', PACKED, [UNCOMPRESSED]),
	largeHeaders: rule('tooLarge', 'end', 'The headers of the page are too large', [NO_OTHER_PROXY]),
	brokenHttp: rule('proxyFailed', 'end', 'The page breaks the rules of HTTP', [NO_OTHER_PROXY]),

	// The request failed after something had come from the page
	corrupt: rule('proxyFailed', 'tryAgain', PACKED, [MORE_ATTEMPTS, UNCOMPRESSED], 'blocked'),
	certificate: rule('certificate', 'tryAgain', UNTRUSTED, [TRUST], 'blocked'),
	slowPage: rule('timeout', 'tryAgain', SILENT, [LONGER, MORE_ATTEMPTS], 'blocked'),
	lostPage: rule('proxyFailed', 'tryAgain', NOT_REACHED, [MORE_ATTEMPTS], 'blocked'),

	// The request failed before
	silentProxy: rule('timeout', 'tryAgain', SILENT, [LONGER, MORE_ATTEMPTS], 'failed'),
	lostProxy: rule('proxyFailed', 'tryAgain', NOT_REACHED, [MORE_ATTEMPTS], 'failed'),

	// The proxy answered
	proxyTrouble: rule('proxyFailed', 'tryAgain', NOT_REACHED, [MORE_ATTEMPTS], 'failed'),
	proxyExpired: rule('proxyExpired', 'tryAgain', NOT_REACHED, [MORE_ATTEMPTS], 'failed'),
	loginRefused: rule('proxyFailed', 'tryAgain', NOT_REACHED, [NEW_LOGIN], 'loginRefused'),

	// No proxy is to blame
	unreachableHost: unseen(rule('proxyFailed', 'tryAgain', NOT_REACHED, [MORE_ATTEMPTS], 'blocked')),
	serviceRefusal: unseen(rule('proxyFailed', 'end', NOT_REACHED)),
	orderBusy: unseen(rule('tooManyRequests', 'waitForOrder', ORDER_BUSY, [LATER_OR_SLOWER])),
	bandwidthUsedUp: unseen(rule('proxyFailed', 'waitForOrder', NOT_REACHED, [LATER_OR_SLOWER])),
	forbidden: unseen(rule('proxyFailed', 'end', NOT_REACHED)),
} satisfies Record<string, AttemptRule>;

/** The result of one attempt to open a page. */
export interface AttemptResult extends AttemptRule {
	/** `host:port`, never with a login. */
	readonly proxy: string;
	/** In whole milliseconds, without the waiting for slots of the pace. */
	readonly milliseconds: number;
	/** The status of the page, or of the proxy where that answered. */
	readonly statusCode?: number;
	/** Such as "the page answered with status 404"; empty for a page that was opened. */
	readonly reason: string;
	/** The name of the wall that the page is, such as "Cloudflare"; undefined without a known one. */
	readonly blockedBy?: string;
	/** Whether anything came through the proxy from the page, or from one that redirected to it. */
	readonly isConnected: boolean;
	/** Whether the status of a proxy may be the page's own, which a second proxy with the same one would prove. */
	readonly isUnclear: boolean;
	/** The attempt that is to follow; undefined where none is. */
	readonly next?: {
		/** Whether the one that failed counts against *Max Attempts*. */
		readonly counts: boolean;
		/** The pause before it in milliseconds. */
		readonly pauseMs: number;
		/** Whether the proxy is kept for it. */
		readonly sameProxy: boolean;
	};
}

/** A situation with its reason, and with advice besides that of the situation. */
type Finding = readonly [situation: keyof typeof ATTEMPT_RULES, reason: string, advice?: string];

/** Why an answer of the page counts as refused, whatever its status; undefined if it does not. */
function refusalIn(
	{ contains, lacks, redirectedTo }: PageRequest['retryIf'],
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
	// What an error page lacks is no sign of anything
	if (content.answer.status >= 400) return undefined;
	const missing = lacks.find((part) => !text.includes(part));
	return missing === undefined ? undefined : `the page lacks "${shortLine(missing)}"`;
}

function pageAnswered(
	{ retryIf, url, product }: PageRequest,
	fetched: FetchResult,
	content: PageContent,
	wall: Pick<Wall, 'name'> | undefined,
): Finding {
	const { answer, compression } = content;
	const { status } = answer;
	const refusal = refusalIn(retryIf, fetched, content);
	if (refusal !== undefined) return ['blocked', refusal];
	if (wall !== undefined) {
		const { name = 'the site' } = wall;
		return ['blocked', `a page came by which ${name} keeps programs out`];
	}
	const isListed = retryIf.statuses.has(status);
	const answered = `the page answered with status ${status}`;
	if (status === 403 || status === 429) return [isListed ? 'blocked' : 'unlistedBlock', answered];
	const { meaning } = statusesOf(product)[status] ?? {};
	const mayBeOfProxy = url.startsWith('http:') && meaning !== undefined;
	const ofProxy = mayBeOfProxy ? `If a proxy said so: ${meaning}.` : undefined;
	if (isListed) {
		if (status < 500) return [status < 400 ? 'blocked' : 'listedStatus', answered];
		return ['serverTrouble', answered, ofProxy];
	}
	// The target of a redirect can be read nevertheless
	if (status < 300 && compression !== undefined) {
		const how = `compressed as "${shortLine(compression)}", which n8n cannot unpack`;
		return ['unknownCompression', `the page came ${how}`];
	}
	if (status < 400) return ['opened', ''];
	return [NO_SUCH_PAGE.has(status) ? 'missing' : 'status', answered, ofProxy];
}

function requestFailed(
	page: PageRequest,
	{ reason, code }: RequestFailure,
	timeoutMs: number,
	isConnected: boolean,
): Finding {
	const withCode = code === '' ? '' : ` (${code})`;
	switch (reason) {
		case 'timeout': {
			const words = `no answer within ${Math.round(timeoutMs / 10) / 100} s`;
			return [isConnected ? 'slowPage' : 'silentProxy', words];
		}
		case 'connection':
			return [isConnected ? 'lostPage' : 'lostProxy', `the connection failed${withCode}`];
		case 'certificate':
			return ['certificate', `the certificate cannot be trusted${withCode}`];
		case 'corrupt':
			return ['corrupt', `the compressed content of the page could not be read${withCode}`];
		case 'brokenHttp':
			return code === 'HPE_HEADER_OVERFLOW'
				? ['largeHeaders', 'its headers are larger than 16 kB']
				: ['brokenHttp', `the page answered with broken HTTP${withCode}`];
		case 'tooLarge':
			return ['tooLarge', `the page is larger than ${page.maxBytes / BYTES_PER_MEGABYTE} MB`];
		case 'forbidden':
			return ['forbidden', "n8n's own protection does not allow this address"];
		case 'unknownHost':
			return ['forbidden', 'n8n itself could not find the host of the page'];
		case 'redirects':
			return ['redirects', 'the page redirects in circles'];
		case 'redirectTarget':
			return ['redirects', 'the page redirects to an address that is no page'];
		case 'unencryptedRedirect':
			return [
				'redirects',
				'the page redirects the POST to http, where anybody could read its body',
			];
		default:
			reason satisfies never;
			return ['lostProxy', 'the connection failed'];
	}
}

/** The situation behind a status of a proxy. */
const SITUATION_OF_CAUSE = {
	busyOrder: 'orderBusy',
	bandwidth: 'bandwidthUsedUp',
	login: 'loginRefused',
	proxy: 'proxyTrouble',
	expired: 'proxyExpired',
	host: 'unreachableHost',
	service: 'serviceRefusal',
} as const satisfies Record<ProxyStatus['cause'], Finding[0]>;

function proxyAnswered(
	{ product }: PageRequest,
	answer: HttpAnswer,
	{ login }: FetchResult['proxy'],
): Finding {
	const { status } = answer;
	const { cause, meaning } = meaningOfAnswer(statusesOf(product), answer, login);
	const verb = status < 400 ? 'answered in place of the page' : 'refused';
	const words = [`the proxy ${verb}`, meaning].filter(Boolean).join(': ');
	const situation = SITUATION_OF_CAUSE[cause];
	const advice = cause === 'service' ? statusesOf(product)[status]?.advice : undefined;
	return [situation, `${words} (status ${status})`, advice];
}

/**
 * The result of an attempt: who is to blame, and what comes next.
 *
 * @param content the page's own answer; undefined where none came, or it was a proxy's
 * @param wall the one that the page is, if it is one
 */
export function classifyAttempt(
	page: PageRequest,
	fetched: FetchResult,
	content: PageContent | undefined,
	wall?: Pick<Wall, 'name'>,
): AttemptResult {
	const { reply, redirects, proxy, milliseconds } = fetched;
	const { status, source } = reply;
	// A proxy through which a redirect has come works
	const isConnected = source === 'page' || redirects.length > 0;
	const find = (): Finding => {
		if (reply.kind === 'failure') return requestFailed(page, reply, fetched.timeoutMs, isConnected);
		if (content === undefined) return proxyAnswered(page, reply, proxy);
		return pageAnswered(page, fetched, content, wall);
	};
	const [situation, reason, advice] = find();
	const attemptRule: AttemptRule = ATTEMPT_RULES[situation];
	return {
		...attemptRule,
		advice: sentences(advice, attemptRule.advice),
		proxy: proxy.address,
		milliseconds,
		reason,
		blockedBy: wall?.name,
		statusCode: status,
		isConnected,
		isUnclear: reply.kind === 'answer' && source === 'unclear' && content === undefined,
	};
}

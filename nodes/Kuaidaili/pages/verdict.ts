import { shortLine } from '../../shared/fields/invalidFieldError';
import {
	documentedCauseOf,
	meaningOf,
	type ProxyFault,
	type StatusCause,
} from '../proxies/proxyStatuses';
import type { PageContent } from './pageContent';
import { BYTES_PER_MEGABYTE, type PageRequest, type RetryIf } from './pageRequest';
import type { Visit, VisitFailure } from './visit';

/** What became of one attempt to open a page. */
export type Outcome =
	| 'opened'
	| 'proxyFailed'
	| 'proxyExpired'
	| 'tooManyRequests'
	| 'timeout'
	| 'blocked'
	| 'status'
	| 'tooLarge'
	| 'certificate'
	| 'siteGivenUp';

/** What a page that fails advises; each only where it would have changed something. */
export type Advice =
	| 'listStatus'
	| 'moreAttempts'
	| 'fewerBlocks'
	| 'longer'
	| 'larger'
	| 'encodings'
	| 'trust'
	| 'laterOrSlower'
	| 'newLogin'
	| 'ofProxies';

/** What follows from what an attempt showed. */
interface Rule {
	readonly outcome: Outcome;
	/** What the proxy is to blame for: `failed` and `loginRefused` everywhere, `blocked` for this site only. */
	readonly fault?: ProxyFault;
	/** Set where the site has not seen the proxy, which serves another page in place of this one. */
	readonly isUnseen?: true;
	/** `again`: through another proxy. `wait`: with the same one, as the order allows no more at the moment. */
	readonly next: 'done' | 'again' | 'wait' | 'giveUp';
	/** The message of a page that fails so, with {status}, {size}, and {tried}. */
	readonly message: string;
	/** Set where the message leaves nothing to say about a single reason. */
	readonly saysAll?: true;
	readonly advice?: readonly Advice[];
}

function rule(
	outcome: Outcome,
	next: Rule['next'],
	message: string,
	more: Pick<Rule, 'fault' | 'isUnseen' | 'saysAll' | 'advice'> = {},
): Rule {
	return { outcome, next, message, ...more };
}

const UNREACHED = 'The page could not be reached{tried}';
const LATE = 'The page did not answer in time{tried}';
const PACKED = 'The compressed content of the page could not be read{tried}';
const REFUSED = 'The site refused to show the page{tried}';
const STATUS = 'The page answered with status {status}';
const NOWHERE = 'The redirects of the page lead nowhere';
const UNTRUSTED = 'The certificate of the page could not be trusted{tried}';

const blocked = (...advice: Advice[]) => ({ fault: 'blocked', advice }) as const;
const failed = (...advice: Advice[]) => ({ fault: 'failed', advice }) as const;

/** By what an attempt showed. Everybody asks here, so that blame, output, and words cannot contradict each other. */
const RULES = {
	opened: rule('opened', 'done', ''),

	// What the page answered
	status: rule('status', 'giveUp', STATUS, { saysAll: true, advice: ['ofProxies', 'listStatus'] }),
	listedStatus: rule('status', 'again', STATUS, { saysAll: true, fault: 'blocked' }),
	// It has nothing against this proxy
	serverTrouble: rule('status', 'again', STATUS, { saysAll: true }),
	block: rule('blocked', 'again', REFUSED, blocked('moreAttempts', 'fewerBlocks')),
	unlistedBlock: rule('blocked', 'giveUp', REFUSED, blocked('listStatus', 'fewerBlocks')),
	tooLarge: rule('tooLarge', 'giveUp', 'The page is larger than {size} MB', {
		saysAll: true,
		advice: ['larger'],
	}),
	redirects: rule('status', 'giveUp', NOWHERE),
	redirectTarget: rule('status', 'giveUp', NOWHERE),
	// What the site sends does not depend on the proxy
	packed: rule('proxyFailed', 'giveUp', PACKED, { advice: ['encodings'] }),
	corrupt: rule('proxyFailed', 'again', PACKED, blocked('moreAttempts', 'encodings')),

	// What came of the way to the page, once the proxy had opened it
	certificate: rule('certificate', 'again', UNTRUSTED, blocked('trust')),
	slowPage: rule('timeout', 'again', LATE, blocked('longer', 'moreAttempts')),
	brokenPage: rule('proxyFailed', 'again', UNREACHED, blocked('moreAttempts')),

	// What the proxy did
	slowProxy: rule('timeout', 'again', LATE, failed('longer', 'moreAttempts')),
	brokenProxy: rule('proxyFailed', 'again', UNREACHED, failed('moreAttempts')),
	proxy: rule('proxyFailed', 'again', UNREACHED, failed('moreAttempts')),
	login: rule('proxyFailed', 'again', UNREACHED, { fault: 'loginRefused', advice: ['newLogin'] }),

	// What no proxy is to blame for
	host: rule('proxyFailed', 'again', UNREACHED, { ...blocked('moreAttempts'), isUnseen: true }),
	service: rule('proxyFailed', 'giveUp', UNREACHED, { isUnseen: true }),
	busyOrder: rule('tooManyRequests', 'wait', 'The order allows no more requests at the moment', {
		isUnseen: true,
		advice: ['laterOrSlower'],
	}),
	forbidden: rule('proxyFailed', 'giveUp', UNREACHED, { isUnseen: true }),
};

type Situation = keyof typeof RULES;

export interface Verdict extends Rule {
	/** Of the page, or of the proxy where that answered. */
	readonly statusCode?: number;
	/** What happened, as the continuation of "1.2.3.4:80: "; empty for a page that was opened. */
	readonly reason: string;
	/** Whether a proxy led to nothing: `unclear` where it may also have been a page over http that asks for a login. */
	readonly isUnconnected: boolean | 'unclear';
}

/** Statuses of a site that works and has no such page. */
export const NO_SUCH_PAGE: ReadonlySet<number | undefined> = new Set([404, 410]);

/** Why an answer of the page counts as refused, whatever its status; undefined if it does not. */
function refusalIn(
	{ contains, lacks, shorterThan, redirectedTo }: RetryIf,
	{ redirects }: Visit,
	content: PageContent,
): string | undefined {
	if (redirectedTo !== undefined && redirects.some((url) => url.includes(redirectedTo))) {
		return `the page redirected to "${shortLine(redirectedTo)}"`;
	}
	if (!content.hasReadableBody) return undefined;
	const found = contains.find((part) => content.lowerCaseText.includes(part));
	if (found !== undefined) return `the page contains "${shortLine(found)}"`;
	// What an error page says and how long it is, is no sign of anything
	if (content.status >= 400) return undefined;
	if (content.size < shorterThan) return `the page has only ${content.size} bytes`;
	const missing = lacks.find((part) => !content.lowerCaseText.includes(part));
	return missing === undefined ? undefined : `the page lacks "${shortLine(missing)}"`;
}

type Finding = readonly [situation: Situation, reason: string];

/** What the page itself answered. */
function ofPage({ retryIf }: PageRequest, visit: Visit, content: PageContent): Finding {
	const { status, compression } = content;
	const refusal = refusalIn(retryIf, visit, content);
	const isListed = retryIf.statuses.has(status);
	if (refusal !== undefined) return ['block', refusal];
	const answered = `the page answered with status ${status}`;
	if (status === 403 || status === 429) return [isListed ? 'block' : 'unlistedBlock', answered];
	if (isListed)
		return [status < 400 ? 'block' : status < 500 ? 'listedStatus' : 'serverTrouble', answered];
	// Where it redirects to can be read nevertheless
	if (status < 300 && compression !== undefined) {
		return [
			'packed',
			`the page came compressed as "${shortLine(compression)}", which n8n cannot unpack`,
		];
	}
	return status < 400 ? ['opened', ''] : ['status', answered];
}

function ofFailure({ attemptTimeoutMs, maxBytes }: PageRequest, failure: VisitFailure): Finding {
	const { reason, code, reach } = failure;
	const ofCode = code === '' ? '' : ` (${code})`;
	const isOfPage = reach === 'page';
	switch (reason) {
		case 'timeout':
			return [isOfPage ? 'slowPage' : 'slowProxy', `no answer within ${attemptTimeoutMs / 1000} s`];
		case 'connection':
			return [isOfPage ? 'brokenPage' : 'brokenProxy', `the connection failed${ofCode}`];
		case 'certificate':
			return [reason, `the certificate cannot be trusted${ofCode}`];
		case 'corrupt':
			return [reason, `the compressed content of the page could not be read${ofCode}`];
		case 'tooLarge':
			return [reason, `the page is larger than ${maxBytes / BYTES_PER_MEGABYTE} MB`];
		case 'forbidden':
			return [reason, "n8n's own protection does not allow this address"];
		case 'redirects':
			return [reason, 'the page redirects in circles'];
		case 'redirectTarget':
			return [reason, 'the page redirects to an address that is no page'];
	}
}

function ofProxy(status: number): Finding {
	const cause: StatusCause = documentedCauseOf(status) ?? 'proxy';
	const verb = status < 400 ? 'answered in place of the page' : 'refused';
	const words = [`the proxy ${verb}`, meaningOf(status)].filter(Boolean).join(': ');
	return [cause, `${words} (status ${status})`];
}

/** Outcomes of their own among the statuses of proxies. */
const OUTCOMES: Readonly<Record<number, Outcome>> = { 440: 'proxyFailed', 454: 'proxyExpired' };

/** Whether a refused login led to nothing, by who has refused it. */
const REFUSALS = { page: false, maybeProxy: 'unclear', proxy: true } as const;

/**
 * What an attempt showed: whether proxy or page answered, who is to blame, and what comes next.
 *
 * @param content of the page, where that answered
 */
export function judge(page: PageRequest, visit: Visit, content: PageContent | undefined): Verdict {
	const { answer, failure } = visit;
	const { status = 0, from = 'page' } = answer ?? {};
	const isOfProxy = failure === undefined && content === undefined;
	const [situation, reason] =
		failure !== undefined
			? ofFailure(page, failure)
			: content === undefined
				? ofProxy(status)
				: ofPage(page, visit, content);
	return {
		...RULES[situation],
		...(isOfProxy && OUTCOMES[status] !== undefined ? { outcome: OUTCOMES[status] } : {}),
		reason,
		statusCode: failure === undefined ? status : failure.status,
		isUnconnected:
			failure === undefined
				? documentedCauseOf(status) === 'login' && REFUSALS[from]
				: failure.reach === 'nowhere' && situation !== 'forbidden',
	};
}

import { shortLine } from '../../shared/fields/invalidFieldError';
import type { ProxyFault } from '../proxies/lease';
import { documentedCauseOf, meaningOf, type StatusCause } from '../proxies/proxyStatuses';
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

const UNREACHED = 'The page could not be reached{tried}';
const LATE = 'The page did not answer in time{tried}';
const PACKED = 'The compressed content of the page could not be read{tried}';
const REFUSED = 'The site refused to show the page{tried}';
const NOWHERE = 'The redirects of the page lead nowhere';
const BUSY = 'The order allows no more requests at the moment';
const OWN_STATUS = { message: 'The page answered with status {status}', saysAll: true } as const;

/** By what an attempt showed. Everybody asks here, so that blame, output, and words cannot contradict each other. */
const RULES = {
	opened: { outcome: 'opened', next: 'done', message: '' },

	// What the page answered
	status: {
		...{ outcome: 'status', next: 'giveUp', ...OWN_STATUS },
		advice: ['ofProxies', 'listStatus'],
	},
	listedStatus: { outcome: 'status', fault: 'blocked', next: 'again', ...OWN_STATUS },
	// It has nothing against this proxy
	serverTrouble: { outcome: 'status', next: 'again', ...OWN_STATUS },
	block: {
		...{ outcome: 'blocked', fault: 'blocked', next: 'again', message: REFUSED },
		advice: ['moreAttempts', 'fewerBlocks'],
	},
	unlistedBlock: {
		...{ outcome: 'blocked', fault: 'blocked', next: 'giveUp', message: REFUSED },
		advice: ['listStatus', 'fewerBlocks'],
	},
	tooLarge: {
		...{ outcome: 'tooLarge', next: 'giveUp', message: 'The page is larger than {size} MB' },
		...{ saysAll: true, advice: ['larger'] },
	},
	redirects: { outcome: 'status', next: 'giveUp', message: NOWHERE },
	redirectTarget: { outcome: 'status', next: 'giveUp', message: NOWHERE },
	// What the site sends does not depend on the proxy
	packed: { outcome: 'proxyFailed', next: 'giveUp', message: PACKED, advice: ['encodings'] },
	corrupt: {
		...{ outcome: 'proxyFailed', fault: 'blocked', next: 'again', message: PACKED },
		advice: ['moreAttempts', 'encodings'],
	},

	// What came of the way to the page, once the proxy had opened it
	certificate: {
		...{ outcome: 'certificate', fault: 'blocked', next: 'again', advice: ['trust'] },
		message: 'The certificate of the page could not be trusted{tried}',
	},
	slowPage: {
		...{ outcome: 'timeout', fault: 'blocked', next: 'again', message: LATE },
		advice: ['longer', 'moreAttempts'],
	},
	brokenPage: {
		...{ outcome: 'proxyFailed', fault: 'blocked', next: 'again', message: UNREACHED },
		advice: ['moreAttempts'],
	},

	// What the proxy did
	slowProxy: {
		...{ outcome: 'timeout', fault: 'failed', next: 'again', message: LATE },
		advice: ['longer', 'moreAttempts'],
	},
	brokenProxy: {
		...{ outcome: 'proxyFailed', fault: 'failed', next: 'again', message: UNREACHED },
		advice: ['moreAttempts'],
	},
	proxy: {
		...{ outcome: 'proxyFailed', fault: 'failed', next: 'again', message: UNREACHED },
		advice: ['moreAttempts'],
	},
	login: {
		...{ outcome: 'proxyFailed', fault: 'loginRefused', next: 'again', message: UNREACHED },
		advice: ['newLogin'],
	},

	// What no proxy is to blame for
	host: {
		...{ outcome: 'proxyFailed', fault: 'blocked', next: 'again', message: UNREACHED },
		...{ isUnseen: true, advice: ['moreAttempts'] },
	},
	service: { outcome: 'proxyFailed', next: 'giveUp', isUnseen: true, message: UNREACHED },
	busyOrder: {
		...{ outcome: 'tooManyRequests', next: 'wait', isUnseen: true, message: BUSY },
		advice: ['laterOrSlower'],
	},
	forbidden: { outcome: 'proxyFailed', next: 'giveUp', isUnseen: true, message: UNREACHED },
} as const satisfies Readonly<Record<string, Rule>>;

type Situation = keyof typeof RULES;

export interface Verdict extends Rule {
	readonly situation: Situation;
	/** Of the page, or of the proxy where that answered. */
	readonly statusCode?: number;
	/** What happened, as the continuation of "1.2.3.4:80: "; empty for a page that was opened. */
	readonly reason: string;
	/** Whether nothing but a proxy has to do with it, which has led to nothing. */
	readonly isUnconnected: boolean;
}

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
	const rule: Rule = RULES[situation];
	return {
		...rule,
		...(isOfProxy && OUTCOMES[status] !== undefined ? { outcome: OUTCOMES[status] } : {}),
		situation,
		reason,
		statusCode: failure === undefined ? status : failure.status,
		isUnconnected:
			failure === undefined
				? situation === 'login' && from === 'proxy'
				: failure.reach === 'nowhere' && situation !== 'forbidden',
	};
}

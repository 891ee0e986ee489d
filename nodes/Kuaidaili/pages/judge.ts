import { shortLine } from '../../shared/fields/invalidFieldError';
import type { ProxyFault } from '../proxies/lease';
import type { PageContent } from './pageContent';
import { BYTES_PER_MEGABYTE, type PageRequest, type RetryIf } from './pageRequest';
import { meaningOf, remedyFor, type ProxyRemedy } from '../proxies/proxyStatuses';
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
	| 'certificate';

export interface Judgement {
	readonly outcome: Outcome;
	/** Of the page, or of the proxy where that answered. */
	readonly statusCode?: number;
	/** What the proxy is to blame for. */
	readonly fault?: ProxyFault;
	/**
	 * `wait`: with the same proxy, as the order allows no more at the moment. `again`: through another proxy, although
	 * this one is not to blame if no fault is named.
	 */
	readonly next: 'done' | 'again' | 'wait' | 'giveUp';
	/** Set where the page came, but could not be unpacked. */
	readonly isCorrupt?: true;
	/** What happened, as the continuation of "1.2.3.4:80: "; empty for a page that was opened. */
	readonly reason: string;
}

const BLOCKING_STATUSES: ReadonlySet<number> = new Set([403, 429]);

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

const AFTER_REMEDY: Readonly<Record<ProxyRemedy, Pick<Judgement, 'next' | 'fault'>>> = {
	wait: { next: 'wait' },
	newLogin: { next: 'again', fault: 'loginRefused' },
	otherProxy: { next: 'again', fault: 'failed' },
	otherProxyForSite: { next: 'again', fault: 'blocked' },
	giveUp: { next: 'giveUp' },
};

function proxyRefused(statusCode: number): Judgement {
	const outcomes: Readonly<Record<number, Outcome>> = {
		441: 'tooManyRequests',
		454: 'proxyExpired',
	};
	const meaning = meaningOf(statusCode);
	return {
		outcome: outcomes[statusCode] ?? 'proxyFailed',
		statusCode,
		...AFTER_REMEDY[remedyFor(statusCode)],
		reason: ['the proxy refused', meaning].filter(Boolean).join(': ') + ` (status ${statusCode})`,
	};
}

function failed({ attemptTimeoutMs, maxBytes }: PageRequest, failure: VisitFailure): Judgement {
	const { reason, code, status: statusCode } = failure;
	const ofCode = code === '' ? '' : ` (${code})`;
	switch (reason) {
		case 'timeout':
			return {
				outcome: 'timeout',
				statusCode,
				next: 'again',
				fault: 'failed',
				reason: `no answer within ${attemptTimeoutMs / 1000} s`,
			};
		case 'certificate':
			return {
				outcome: 'certificate',
				next: 'again',
				fault: 'failed',
				reason: `the certificate cannot be trusted${ofCode}`,
			};
		case 'connection':
			return {
				outcome: 'proxyFailed',
				statusCode,
				next: 'again',
				fault: 'failed',
				reason: `the connection failed${ofCode}`,
			};
		case 'corrupt':
			return {
				outcome: 'proxyFailed',
				statusCode,
				next: 'again',
				// More likely the site's doing
				fault: 'blocked',
				isCorrupt: true,
				reason: `the compressed content of the page could not be read${ofCode}`,
			};
		case 'tooLarge':
			return {
				outcome: 'tooLarge',
				statusCode,
				next: 'giveUp',
				reason: `the page is larger than ${maxBytes / BYTES_PER_MEGABYTE} MB`,
			};
		case 'forbidden':
			return {
				outcome: 'proxyFailed',
				next: 'giveUp',
				reason: "n8n's own protection does not allow this address",
			};
		case 'redirects':
			return {
				outcome: 'status',
				statusCode,
				next: 'giveUp',
				reason: 'the page redirects in circles',
			};
		case 'redirectTarget':
			return {
				outcome: 'status',
				statusCode,
				next: 'giveUp',
				reason: 'the page redirects to an address that is no page',
			};
	}
}

/** What the page itself answered. */
function answered({ retryIf }: PageRequest, visit: Visit, content: PageContent): Judgement {
	const { status } = content;
	const refusal = refusalIn(retryIf, visit, content);
	const isRepeated = refusal !== undefined || retryIf.statuses.has(status);
	const isBlocked =
		refusal !== undefined || BLOCKING_STATUSES.has(status) || (isRepeated && status < 400);
	const { compression } = content;
	// Where it redirects to can be read nevertheless
	if (!isBlocked && status < 300 && compression !== undefined) {
		return {
			outcome: 'proxyFailed',
			statusCode: status,
			// What the site sends does not depend on the proxy
			next: 'giveUp',
			isCorrupt: true,
			reason: `the page came compressed as "${shortLine(compression)}", which n8n cannot unpack`,
		};
	}
	if (!isBlocked && status < 400) {
		return { outcome: 'opened', statusCode: status, next: 'done', reason: '' };
	}
	// A server in trouble has nothing against this proxy
	const isRefused = isBlocked || (isRepeated && status < 500);
	return {
		outcome: isBlocked ? 'blocked' : 'status',
		statusCode: status,
		...(isRefused ? { fault: 'blocked' } : {}),
		next: isRepeated ? 'again' : 'giveUp',
		reason: refusal ?? `the page answered with status ${status}`,
	};
}

/**
 * What an attempt showed: whether proxy or page answered, and who is to blame.
 *
 * @param content of the page, where that answered
 */
export function judge(
	page: PageRequest,
	visit: Visit,
	content: PageContent | undefined,
): Judgement {
	if (visit.failure !== undefined) return failed(page, visit.failure);
	if (content !== undefined) return answered(page, visit, content);
	return proxyRefused(visit.answer?.status ?? 0);
}

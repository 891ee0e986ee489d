import type { PageRequest } from '../request/pageRequest';
import type { Outcome } from '../run/classifyAttempt';
import type { PageResult } from '../run/pageResult';

export const OPENED = 'opened';

/** The status of a page that was not opened, by the outcome of its last attempt. */
const STATUSES: Readonly<Record<Outcome, string>> = {
	opened: 'not as wanted',
	proxyFailed: 'proxy failed',
	proxyExpired: 'proxy expired',
	tooManyRequests: 'order busy',
	timeout: 'timeout',
	blocked: 'blocked',
	status: 'redirects lead nowhere',
	tooLarge: 'too large',
	certificate: 'certificate not trusted',
};

/** Why a page was not tried, where its site or order was given up before, or no time was left. */
const UNTRIED = {
	site: 'site given up',
	order: 'order given up',
	time: 'out of time',
} as const;

const NOT_TRIED = 'not tried: ';

/** Whether a text is a status of a page, rather than one that the user made. */
export function isPageStatus(text: unknown): boolean {
	if (typeof text !== 'string') return false;
	if (text === OPENED || text.startsWith(NOT_TRIED)) return true;
	return Object.values(STATUSES).includes(text) || /^(?:status \d{3}$|blocked by )/.test(text);
}

/** The result of a page in a few words that a condition can compare: `opened`, `status 404`, `blocked`. */
export function pageStatusOf(
	{ error, attempts, outcome, statusCode, stop }: PageResult,
	{ urlError }: Pick<PageRequest, 'urlError'>,
): string {
	if (error === undefined) return OPENED;
	const last = attempts.at(-1);
	if (last === undefined || outcome === undefined) {
		if (urlError !== undefined) return `${NOT_TRIED}not an address`;
		return `${NOT_TRIED}${stop === undefined ? 'no proxies left' : UNTRIED[stop.kind]}`;
	}
	if (last.blockedBy !== undefined) return `blocked by ${last.blockedBy}`;
	if (last.nextStep === 'waitForOrder') return STATUSES.tooManyRequests;
	const hasStatus = outcome === 'status' && statusCode !== undefined && statusCode >= 400;
	return hasStatus ? `status ${statusCode}` : STATUSES[outcome];
}

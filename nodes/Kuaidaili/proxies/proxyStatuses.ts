/**
 * What a request showed about its proxy:
 * - `failed`: no connection, no answer in time, 454, or another status of the proxy itself. It is not handed out
 *   again before its end.
 * - `blocked`: the site refused it. It is not handed out for that site for ten minutes.
 * - `loginRefused`: 407. The login is fetched again before the next lease, and the proxy is not handed out for a minute
 *   when it refuses the same login a second time.
 */
export type ProxyFault = 'failed' | 'blocked' | 'loginRefused';

/** Whom or what a status of a proxy server is about. */
export type StatusCause =
	/** The order allows no more at the moment: waiting helps, and no other proxy does. */
	| 'busyOrder'
	/** The user name or password is not the one of the order any more. */
	| 'login'
	/** Another proxy may work, and this one does not. */
	| 'proxy'
	/** The host of the page, to which this proxy finds no way. */
	| 'host'
	/** The service does not let anybody through to this page, or not from here. */
	| 'service';

interface ProxyStatus {
	readonly cause: StatusCause;
	/** How the body begins, in lower case; of 407 it has two forms. */
	readonly beginnings: readonly string[];
	/** Continues "the proxy refused: …". */
	readonly meaning: string;
}

function status(cause: StatusCause, meaning: string, ...beginnings: string[]): ProxyStatus {
	return { cause, meaning, beginnings: beginnings.map((text) => text.toLowerCase()) };
}

const WRONG_LOGIN = 'it did not accept the user name and password of the order';
const BUSY_EXIT = 'the exit behind it was too busy';
const NOT_PASSED_ON = status('proxy', 'it could not pass the request on', 'Proxy ');

/**
 * What the proxy servers of the service answer in place of a page: to CONNECT, or to the request itself where
 * the page is not encrypted. Source: the service's tables of proxy statuses; 460 and 515 to 517 were only seen.
 */
const STATUSES: Readonly<Record<number, ProxyStatus>> = {
	407: status('login', WRONG_LOGIN, 'Proxy Authentication Failed', 'White IP Failed'),
	440: status('busyOrder', "the order's bandwidth is used up", 'Bandwidth Over Limit'),
	441: status('busyOrder', 'the order allows no more requests per second', 'Request Rate Over'),
	442: status('service', 'it does not know this way of logging in', 'Authentication Type Error'),
	443: status('service', 'it serves clients in mainland China only', 'Foreign Client Forbidden'),
	444: status('service', 'Kuaidaili does not allow downloading this content', 'Download Not'),
	445: status('service', 'Kuaidaili does not allow this request', 'illegal Request Forbidden'),
	446: status('host', 'it could not find the host of the page', 'Host DNS Failed'),
	447: status(
		'service',
		'the account has to be verified with a real name first',
		'Real-name Authentication Required',
	),
	448: status('service', "Kuaidaili does not allow the port in the page's URL", 'Target Port'),
	449: status('service', 'it reaches pages in mainland China only', 'Foreign Host Forbidden'),
	450: status(
		'service',
		'Kuaidaili does not allow an IP address in place of a host name',
		'IP As Host Forbidden',
	),
	451: status('service', 'the request names no host', 'Miss Host'),
	452: status('service', 'the page is not on a public address', 'Public Host Required'),
	453: status('service', 'its port is not the one for HTTP', 'Proxy Port Error'),
	454: status('proxy', 'its time is over', 'Proxy Authentication Expired'),
	456: status('service', 'it serves clients outside mainland China only', 'CN Client Forbidden'),
	457: status('proxy', BUSY_EXIT, 'Backend Proxy Bandwidth Over Limit'),
	458: status('proxy', BUSY_EXIT, 'Backend Proxy Refused'),
	460: status('login', WRONG_LOGIN, 'Proxy Authentication Invalid'),
	461: status('proxy', 'its IP does not belong to the order', 'Unauthorized IP Usage'),
	503: status('host', 'it could not connect to the page', 'Proxy Connect Error'),
	515: NOT_PASSED_ON,
	516: NOT_PASSED_ON,
	517: NOT_PASSED_ON,
};

/** Statuses that pages use, too: without the words of a proxy, they are a page's. */
const ALSO_OF_PAGES: ReadonlySet<number> = new Set([451, 503]);

/** The first part of a body, where the words of a proxy stand. */
const BEGINNING_BYTES = 200;

/**
 * Whether an answer over an unencrypted way may come from a proxy of the service: by the words that it begins with,
 * and without any words, as after HEAD, by the status. A page can say the same.
 */
export function mayBeOfProxy(statusCode: number, body: Buffer): boolean {
	const known = STATUSES[statusCode];
	if (statusCode === 407 || known === undefined) return statusCode === 407;
	if (body.length === 0) return !ALSO_OF_PAGES.has(statusCode);
	const text = body.subarray(0, BEGINNING_BYTES).toString('latin1').trimStart().toLowerCase();
	return known.beginnings.some((beginning) => text.startsWith(beginning));
}

/** What a status of a proxy is about; undefined for one that the proxies of the service don't answer. */
export function documentedCauseOf(statusCode: number): StatusCause | undefined {
	return STATUSES[statusCode]?.cause;
}

const FAULTS: Readonly<Partial<Record<StatusCause, ProxyFault>>> = {
	login: 'loginRefused',
	proxy: 'failed',
	host: 'blocked',
};

/** What a proxy that answers with a status is to blame for; undefined where another one would answer the same. */
export function documentedFaultOf(statusCode: number): ProxyFault | undefined {
	const cause = documentedCauseOf(statusCode);
	return cause === undefined ? undefined : FAULTS[cause];
}

/** Such as "it could not connect to the page"; undefined for a status that the service does not document. */
export function meaningOf(statusCode: number): string | undefined {
	return STATUSES[statusCode]?.meaning;
}

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
type StatusCause =
	/** The order allows no more at the moment: waiting helps, and no other proxy does. */
	| 'busyOrder'
	| 'bandwidth'
	/** The user name or password is not the one of the order any more. */
	| 'login'
	/** Another proxy may work, and this one does not. */
	| 'proxy'
	| 'expired'
	/** The host of the page, to which this proxy finds no way. */
	| 'host'
	/** The service does not let anybody through to this page, or not from here. */
	| 'service';

const WRONG_LOGIN = 'it did not accept the user name and password of the order';
const BUSY_EXIT = 'the exit behind it was too busy';
const NOT_PASSED_ON = 'it could not pass the request on';

/**
 * What the proxy servers of the service answer in place of a page: to CONNECT, or to the request itself where the page
 * is not encrypted. The meaning continues "the proxy refused: …", and the advice is a whole sentence. Source: the
 * service's tables of proxy statuses; 460 and 515 to 517 were only seen.
 */
const STATUSES: Readonly<
	Record<number, readonly [cause: StatusCause, meaning: string, advice?: string]>
> = {
	407: ['login', WRONG_LOGIN],
	440: ['bandwidth', "the order's bandwidth is used up"],
	441: ['busyOrder', 'the order allows no more requests per second'],
	442: ['service', 'it does not know this way of logging in'],
	443: [
		'service',
		'it serves clients in China only',
		"Run n8n there, or choose an overseas product in 'Product'.",
	],
	444: ['service', 'Kuaidaili does not allow downloading this content'],
	445: ['service', 'Kuaidaili does not allow this request'],
	446: ['host', 'it could not find the host of the page'],
	447: ['service', 'the account has to be verified with a real name first'],
	448: ['service', "Kuaidaili does not allow the port in the page's URL"],
	449: [
		'service',
		'it reaches pages in China only',
		"For pages elsewhere, choose an overseas product in 'Product'.",
	],
	450: ['service', 'Kuaidaili does not allow an IP address in place of a host name'],
	452: ['service', 'the page is not on a public address'],
	453: ['service', 'its port is not the one for HTTP'],
	454: ['expired', 'its time is over'],
	456: [
		'service',
		'it serves clients outside mainland China only',
		"Run n8n there, or choose 'Overseas Dynamic Proxy (FPS)' in 'Product'.",
	],
	457: ['proxy', BUSY_EXIT],
	458: ['proxy', BUSY_EXIT],
	460: ['login', WRONG_LOGIN],
	461: ['proxy', 'its IP does not belong to the order'],
	503: ['host', 'it could not connect to the page'],
	515: ['proxy', NOT_PASSED_ON],
	516: ['proxy', NOT_PASSED_ON],
	517: ['proxy', NOT_PASSED_ON],
};

/** Above them, pages answer so as well: only the words of a proxy tell. */
const LAST_OF_PROXIES = 461;

/** Whether an answer over an unencrypted way may come from a proxy of the service. A page can say the same. */
export function mayBeOfProxy(statusCode: number, body: Buffer): boolean {
	if (STATUSES[statusCode] === undefined) return false;
	return statusCode <= LAST_OF_PROXIES || /^\s*Proxy /i.test(body.toString('latin1', 0, 200));
}

/** What is documented of a status; nothing of one that the proxies of the service don't answer. */
export function documentedStatus(statusCode: number) {
	const [cause, meaning, advice] = STATUSES[statusCode] ?? [];
	return { cause, meaning, advice };
}

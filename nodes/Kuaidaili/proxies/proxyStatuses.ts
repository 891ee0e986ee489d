import { excerpt } from '../../shared/api/cleanText';
import { shortLine } from '../../shared/fields/field';
import type { UnknownRecord } from '../../shared/guards';
import type { ProxyLogin } from './logins';

/**
 * The reason why a request through a proxy failed, as far as the proxy is to blame:
 * - `failed`: no connection, no answer in time, 454, or another status of the proxy itself. The proxy is not handed out
 *   again before its end.
 * - `blocked`: the site refused the proxy. It is not handed out for that site for ten minutes.
 * - `loginRefused`: 407. The login is fetched again before the next lease, and the proxy is not handed out for a minute
 *   when it refuses the same login a second time.
 */
export type ProxyFault = 'failed' | 'blocked' | 'loginRefused';

/** The meaning of a status with which a proxy server answers in place of the page. */
export interface ProxyStatus {
	/**
	 * The subject of the status:
	 * - `busyOrder`, `bandwidth`: the order allows no more at the moment. Waiting helps, and no other proxy does.
	 * - `login`: the user name or password is not the one of the order any more.
	 * - `proxy`: another proxy may work, and this one does not. `expired`: so it is because its time is over.
	 * - `host`: this proxy finds no way to the host of the page.
	 * - `service`: the service lets nobody through to this page, or not from here.
	 */
	readonly cause: 'busyOrder' | 'bandwidth' | 'login' | 'proxy' | 'expired' | 'host' | 'service';
	/** Continues "the proxy refused: …". */
	readonly meaning: string;
	/** A whole sentence, where there is something to do about it. */
	readonly advice?: string;
	/** The beginnings of the words that come with the status, in the body or in the status line. */
	readonly words: readonly string[];
}

/** The statuses that the proxies of a product answer with. */
export type ProxyStatuses = Readonly<Record<number, ProxyStatus>>;

export function proxyStatus(
	cause: ProxyStatus['cause'],
	meaning: string,
	words: readonly string[],
	advice?: string,
): ProxyStatus {
	return { cause, meaning, words, advice };
}

const NOT_PASSED_ON = 'it could not pass the request on';
const WRONG_LOGIN = 'it did not accept the user name and password of the order';
const FORWARDING_FAILED = proxyStatus('proxy', NOT_PASSED_ON, ['Proxy Setup Failed', 'Proxy ']);

/**
 * Statuses of the proxies of every order but those of open proxies. Source: the service's table of proxy statuses.
 * 455, 460, 504, and 515 to 517 were only seen.
 */
export const COMMON_STATUSES: ProxyStatuses = {
	407: proxyStatus('login', WRONG_LOGIN, ['Proxy Authentication Failed', 'White IP Failed']),
	440: proxyStatus('bandwidth', "the order's bandwidth is used up", ['Bandwidth Over Limit']),
	441: proxyStatus('busyOrder', 'the order allows no more requests per second', [
		'Request Rate Over Limit',
	]),
	442: proxyStatus('service', 'it does not know this way of logging in', [
		'Authentication Type Error',
	]),
	446: proxyStatus('host', 'it could not find the host of the page', ['Host DNS Failed']),
	447: proxyStatus('service', 'the account has to be verified with a real name first', [
		'Real-name Authentication Required',
	]),
	451: proxyStatus('service', 'it could not read which host the page is on', ['Miss Host']),
	452: proxyStatus('service', 'the page is not on a public address', ['Public Host Required']),
	453: proxyStatus('service', 'its port is not the one for HTTP', ['Proxy Port Error']),
	454: proxyStatus('expired', 'its time is over', ['Proxy Authentication Expired']),
	455: proxyStatus('service', 'Kuaidaili does not allow this host', ['Risk Host Forbidden']),
	460: proxyStatus('login', WRONG_LOGIN, ['Proxy Authentication Invalid']),
	503: proxyStatus('host', 'it could not connect to the page', [
		'Proxy Connect Error',
		'Connect Timeout',
	]),
	504: proxyStatus('proxy', 'it had no capacity left', ['Lack of Resource']),
	515: FORWARDING_FAILED,
	516: FORWARDING_FAILED,
	517: FORWARDING_FAILED,
};

/** Statuses of proxies in China. Source: as above. */
export const DOMESTIC_STATUSES: ProxyStatuses = {
	...COMMON_STATUSES,
	443: proxyStatus(
		'service',
		'it serves clients in China only',
		['Foreign Client Forbidden'],
		"Run n8n there, or choose an overseas product in 'Product'.",
	),
	444: proxyStatus('service', 'Kuaidaili does not allow downloading this content', [
		'Download Not Allowed',
	]),
	445: proxyStatus('service', 'Kuaidaili does not allow this request', [
		'illegal Request Forbidden',
	]),
	448: proxyStatus('service', "Kuaidaili does not allow the port in the page's URL", [
		'Target Port Forbidden',
	]),
	449: proxyStatus(
		'service',
		'it reaches pages in China only',
		['Foreign Host Forbidden'],
		"For pages elsewhere, choose an overseas product in 'Product'.",
	),
	450: proxyStatus('service', 'Kuaidaili does not allow an IP address in place of a host name', [
		'IP As Host Forbidden',
	]),
};

/** Statuses that pages answer with as well, so that without the words of a proxy they are the page's. */
const STATUSES_OF_PAGES: ReadonlySet<number> = new Set([429, 451, 502, 503, 504, 515, 516, 517]);

/** An answer to a request that was not encrypted, whoever it comes from. */
export interface UnprovenAnswer {
	readonly status: number;
	/** The reason phrase of the status line; may be empty. */
	readonly statusText: string;
	/** Headers by their names in lower case. */
	readonly headers: UnknownRecord;
	readonly body: Buffer;
}

/** The documented words are far shorter. */
const LONGEST_WORDS = 200;

/** The words that an answer begins with: those of the status line, and the first line of the body. */
function beginningsOf({ statusText, body }: Pick<UnprovenAnswer, 'statusText' | 'body'>): string[] {
	const [line] = body
		.toString('latin1', 0, LONGEST_WORDS)
		.trim()
		.split(/[\r\n]/, 1);
	return [statusText.slice(0, LONGEST_WORDS).trim(), line];
}

/**
 * Tells whether an answer over http is the proxy's: `certain` where it has the words of a proxy in its body or status
 * line, or its `Server` header; `possible` where its status is one of a proxy, and a page could say the same.
 */
export function answerOfProxy(
	statuses: ProxyStatuses,
	answer: UnprovenAnswer,
): 'certain' | 'possible' | 'no' {
	const { status, headers } = answer;
	if (status < 400) return 'no';
	if (/^kdl\//i.test(String(headers.server))) return 'certain';
	const { words = ['Proxy '] } = statuses[status] ?? {};
	const isSaid = beginningsOf(answer).some((text) =>
		words.some((word) => text.toLowerCase().startsWith(word.toLowerCase())),
	);
	if (isSaid) return 'certain';
	return status in statuses && !STATUSES_OF_PAGES.has(status) ? 'possible' : 'no';
}

/** The words of the reason phrases that HTTP itself has for the statuses of gateways; they say nothing. */
const PLAIN_PHRASE = /^(?:Bad Gateway|Service Unavailable|Gateway Time-?out|Too Many Requests|)$/i;

/**
 * The meaning of a proxy's answer. An unknown status blames no proxy, because the host of the page may be one that none
 * reaches; its words are the meaning.
 *
 * @param login of the proxy, which its words may hold
 */
export function meaningOfAnswer(
	statuses: ProxyStatuses,
	answer: Pick<UnprovenAnswer, 'status' | 'statusText' | 'body'>,
	login?: ProxyLogin,
): ProxyStatus {
	const { status } = answer;
	if (status in statuses) return statuses[status];
	const said = beginningsOf(answer).find(
		(text) => !PLAIN_PHRASE.test(text) && !text.startsWith('<'),
	);
	if (said === undefined) return proxyStatus('host', '', []);
	const { username = '', password = '' } = login ?? {};
	const encoded = Buffer.from(`${username}:${password}`).toString('base64');
	const shown = shortLine(excerpt(said, [encoded, password, username]));
	return proxyStatus('host', `it said "${shown}"`, []);
}

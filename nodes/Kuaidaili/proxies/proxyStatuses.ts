/** What a status of a proxy server asks for. */
export type ProxyRemedy =
	/** The order allows no more at the moment: waiting helps, and no other proxy does. */
	| 'wait'
	/** The user name or password is not the one of the order any more. */
	| 'newLogin'
	/** Another proxy may work, and this one does not. */
	| 'otherProxy'
	/** This proxy does not get to the site; others may. */
	| 'otherProxyForSite'
	/** The service does not let anybody through to this page, or not from here. */
	| 'giveUp';

interface ProxyStatus {
	/** How the body begins; of 407 it has two forms. */
	readonly beginnings: readonly string[];
	readonly remedy: ProxyRemedy;
	/** Continues "The proxy refused: …". */
	readonly meaning: string;
}

/**
 * What the proxy servers of the service answer in place of a page: to CONNECT, or to the request itself where
 * the page is not encrypted. Source: the service's tables of proxy statuses; 460 and 515 to 517 were only seen.
 */
const STATUSES: Readonly<Record<number, ProxyStatus>> = {
	407: {
		beginnings: ['Proxy Authentication Failed', 'White IP Failed'],
		remedy: 'newLogin',
		meaning: 'it did not accept the user name and password of the order',
	},
	440: {
		beginnings: ['Bandwidth Over Limit'],
		remedy: 'wait',
		meaning: "the order's bandwidth is used up",
	},
	441: {
		beginnings: ['Request Rate Over Limit'],
		remedy: 'wait',
		meaning: 'the order allows no more requests per second',
	},
	442: {
		beginnings: ['Authentication Type Error'],
		remedy: 'giveUp',
		meaning: 'it does not know this way of logging in',
	},
	443: {
		beginnings: ['Foreign Client Forbidden'],
		remedy: 'giveUp',
		meaning: 'it serves clients in mainland China only',
	},
	444: {
		beginnings: ['Download Not Allowed'],
		remedy: 'giveUp',
		meaning: 'Kuaidaili does not allow downloading this content',
	},
	445: {
		beginnings: ['illegal Request Forbidden'],
		remedy: 'giveUp',
		meaning: 'Kuaidaili does not allow this request',
	},
	446: {
		beginnings: ['Host DNS Failed'],
		remedy: 'otherProxyForSite',
		meaning: 'it could not find the host of the page',
	},
	447: {
		beginnings: ['Real-name Authentication Required'],
		remedy: 'giveUp',
		meaning: 'the account has to be verified with a real name first',
	},
	448: {
		beginnings: ['Target Port Forbidden'],
		remedy: 'giveUp',
		meaning: "Kuaidaili does not allow the port in the page's URL",
	},
	449: {
		beginnings: ['Foreign Host Forbidden'],
		remedy: 'giveUp',
		meaning: 'it reaches pages in mainland China only',
	},
	450: {
		beginnings: ['IP As Host Forbidden'],
		remedy: 'giveUp',
		meaning: 'Kuaidaili does not allow an IP address in place of a host name',
	},
	451: { beginnings: ['Miss Host'], remedy: 'giveUp', meaning: 'the request names no host' },
	452: {
		beginnings: ['Public Host Required'],
		remedy: 'giveUp',
		meaning: 'the page is not on a public address',
	},
	453: {
		beginnings: ['Proxy Port Error'],
		remedy: 'giveUp',
		meaning: 'its port is not the one for HTTP',
	},
	454: {
		beginnings: ['Proxy Authentication Expired'],
		remedy: 'otherProxy',
		meaning: 'its time is over',
	},
	456: {
		beginnings: ['CN Client Forbidden'],
		remedy: 'giveUp',
		meaning: 'it serves clients outside mainland China only',
	},
	457: {
		beginnings: ['Backend Proxy Bandwidth Over Limit'],
		remedy: 'otherProxy',
		meaning: 'the exit behind it was too busy',
	},
	458: {
		beginnings: ['Backend Proxy Refused'],
		remedy: 'otherProxy',
		meaning: 'the exit behind it was too busy',
	},
	460: {
		beginnings: ['Proxy Authentication Invalid'],
		remedy: 'newLogin',
		meaning: 'it did not accept the user name and password of the order',
	},
	461: {
		beginnings: ['Unauthorized IP Usage'],
		remedy: 'otherProxy',
		meaning: 'its IP does not belong to the order',
	},
	503: {
		beginnings: ['Proxy Connect Error'],
		remedy: 'otherProxyForSite',
		meaning: 'it could not connect to the page',
	},
	515: {
		beginnings: ['Proxy '],
		remedy: 'otherProxy',
		meaning: 'it could not pass the request on',
	},
	516: {
		beginnings: ['Proxy '],
		remedy: 'otherProxy',
		meaning: 'it could not pass the request on',
	},
	517: {
		beginnings: ['Proxy '],
		remedy: 'otherProxy',
		meaning: 'it could not pass the request on',
	},
};

/** Statuses that pages use, too: without the words of a proxy, they are a page's. */
const ALSO_OF_PAGES: ReadonlySet<number> = new Set([451, 503]);

/** The first part of a body, where the words of a proxy stand. */
const BEGINNING_BYTES = 200;

/**
 * Whether an answer over an unencrypted way comes from a proxy of the service: by the words that it begins with,
 * and without any words, as after HEAD, by the status.
 */
export function looksLikeProxy(status: number, body: Buffer): boolean {
	// No page answers so: it is about the proxy by definition
	if (status === 407) return true;
	const known = STATUSES[status];
	if (known === undefined) return false;
	if (body.length === 0) return !ALSO_OF_PAGES.has(status);
	const text = body.subarray(0, BEGINNING_BYTES).toString('latin1').trimStart().toLowerCase();
	return known.beginnings.some((beginning) => text.startsWith(beginning.toLowerCase()));
}

/** What helps against a status of a proxy; undefined for one that the proxies of the service don't answer. */
export function documentedRemedyFor(status: number): ProxyRemedy | undefined {
	return STATUSES[status]?.remedy;
}

/** What helps against a status of a proxy, known or not. */
export function remedyFor(status: number): ProxyRemedy {
	return documentedRemedyFor(status) ?? 'otherProxy';
}

/** Such as "it could not connect to the page"; undefined for a status that the service does not document. */
export function meaningOf(status: number): string | undefined {
	return STATUSES[status]?.meaning;
}

/**
 * Statuses after which the request may have got through to the page all the same: what a proxy says of its
 * content, or of the way behind it.
 */
const MAY_HAVE_ARRIVED: ReadonlySet<number> = new Set([440, 444, 457, 515, 516, 517]);

/** Whether a proxy that answers so has certainly kept the request to itself. */
export function keptFromPage(status: number): boolean {
	return STATUSES[status] !== undefined && !MAY_HAVE_ARRIVED.has(status);
}

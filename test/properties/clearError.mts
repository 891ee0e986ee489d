import type { IDataObject } from 'n8n-workflow';

import type { RunResult } from '../engine/support/engine.mts';

/**
 * What a failure may be called. Anything else, such as a message of JavaScript itself, tells the user
 * nothing.
 */
const KNOWN_MESSAGES = [
	/^'(?:Doesn't Contain|[^']{2,60})' can't be .+$/,
	/^'(?:Body|Proxy)' holds something that cannot be used$/,
	/^'(?:Doesn't Contain|[^']{2,60})' is empty$/,
	/^'URL' is (?:the address of a proxy|(?:an address without a site|text, not an address): .+)$/,
	/^'(?:Doesn't Contain|[^']{2,60})' is missing in '(?:Doesn't Contain|[^']{2,60})'$/,
	/^'[^']{2,60}' doesn't go with .+$/,
	/^'Max Extractions per Execution' allows only [\d,]+$/,
	/^This node has no operation '.*' for '.*'$/,
	/^This operation needs the (?:account|order)'s key pair, but the credential's 'Key Type' is '(?:Order|Account)'$/,
	/^This run would make [\d,]+ purchases, and 'Max Orders per Execution' allows [\d,]+$/,
	/^The account has [\d.-]+ yuan.*$/,
	/^An order's key pair can't read the account's balance, so '[^']+' can't be kept$/,
	/^'Budget per Execution \(Yuan\)' is [\d,.]+, .+$/,
	/^'(?:Budget per Execution|Balance to Keep) \(Yuan\)' needs 'Expected Cost \(Yuan\)'$/,
	/^'Max Orders per Execution' allows [\d,]+, and this execution (?:has|would have) made [\d,]+$/,
	/^The node (?:can't tell whether another order is needed: .+|doesn't know the pay type '.*' of .+)$/,
	/^Kuaidaili doesn't say what kind of order .+ is$/,
	/^The order has no expiry time, so the node can't tell whether it is expiring$/,
	/^This node can't read the expiry of order .+$/,
	/^The credential cannot be used$/,
	/^Kuaidaili's response (?:is|has|holds|contains|contradicts|could|confirms|does not say) .+$/,
	/^Kuaidaili answered with HTTP status \d+$/,
	/^Kuaidaili was called too often \(HTTP status 429\)$/,
	/^Kuaidaili is unavailable right now \(HTTP status 5\d\d\)$/,
	/^The proxy that this n8n uses asks for a login \(HTTP status 407\)$/,
	/^Kuaidaili redirected to another address \(HTTP status 3\d\d\), and this node does not follow redirects$/,
	/^Kuaidaili refused the request with code -?\d+: .+$/,
	/^The connection to \S+ was lost before the whole response arrived$/,
	/^The request to \S+ got no response$/,
	/^\S+ did not answer within \d+ seconds?$/,
	/^The page (?:could not be reached|did not answer in time)(?: in \d+ attempts)?$/,
	/^No proxy is available for this page$/,
	/^The (?:order may have been (?:placed|renewed)|(?:IPs|traffic) may have been bought): .+$/,
];

const LONGEST_SERVICE_TEXT = 500;
const LONGEST_MESSAGE = 700;
const LONGEST_DESCRIPTION = 2500;

/** What the service or n8n said, where it is shown. */
const QUOTES = [
	/The response began with: (.*)$/s,
	/Kuaidaili said: (.*) \(code -?\d+\)\./s,
	/refused the request with code -?\d+: (.*)$/s,
	/n8n said: "(.*)"\./s,
];

interface Told {
	readonly message: string;
	readonly description: string;
}

/** A value that is rejected before anything is sent. */
export const REFUSED_HERE =
	/^'(?:Doesn't Contain|[^']+)' (?:is empty|can't be .+|holds something that cannot be used)$/;

/** What is said about the only item of a run, which needs no number. */
export function toldBy({ error }: RunResult): Told {
	if (error === undefined) throw new Error('There is no error');
	const { message, description } = error;
	expect(message).not.toMatch(/\[item \d+\]$/);
	return { message, description: description ?? '' };
}

/**
 * The same of the one item of a page, when no proxy was tried: nothing but why.
 *
 * @returns undefined for any other items
 */
export function toldByUnopened(items: readonly IDataObject[]): Told | undefined {
	const [first = {}, ...more] = items;
	const { pageDetails, pageStatus, error: ofItem, details: _ofError, ...page } = first;
	const { url: _asked, depth: _start, pageNumber: _ofList, ...others } = page;
	// Where not even the order's key pair could be had, there is no page to tell of
	if (typeof ofItem === 'string') {
		expect([others, more]).toEqual([{}, []]);
		return toldIn(ofItem);
	}
	if (typeof pageDetails !== 'object' || pageDetails === null) return undefined;
	const { url, attempts, error, outcome, ...details } = { ...pageDetails } as IDataObject;
	if (!Array.isArray(attempts) || attempts.length > 0) return undefined;
	const brought = Object.values(others).filter((value) => value !== null && String(value) !== '');
	expect([brought, more, details]).toEqual([[], [], {}]);
	expect([typeof url, typeof error, outcome]).toEqual(['string', 'string', 'notTried']);
	expect(pageStatus).toMatch(/^not tried: /);
	return toldIn(String(error));
}

function toldIn(text: string): Told {
	const [message, ...description] = text.split('. ');
	return { message, description: description.join('. ') };
}

/**
 * Whether an error is one that a user can work with: known words, one line, not too long, and nothing
 * secret.
 *
 * @param known further messages, of codes of the service for example
 */
export function expectClear(
	{ message, description }: Told,
	secrets: readonly string[],
	known: readonly RegExp[] = [],
): void {
	if (![...KNOWN_MESSAGES, ...known].some((pattern) => pattern.test(message))) {
		throw new Error(`This says nothing to a user: ${message}. ${description}`);
	}
	for (const text of [message, description]) {
		if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)) {
			throw new Error(`There is a control character in ${JSON.stringify(text)}`);
		}
		for (const secret of secrets) {
			if (text.includes(secret) || text.includes(encodeURIComponent(secret))) {
				throw new Error(`There is a secret in ${text}`);
			}
		}
		for (const quote of QUOTES) {
			const [, quoted = ''] = quote.exec(text) ?? [];
			// One more for the mark that something was left out
			if (Array.from(quoted).length > LONGEST_SERVICE_TEXT + 1) {
				throw new Error(`Kuaidaili is quoted at a length of ${quoted.length}: ${quoted}`);
			}
		}
	}
	if (message.length > LONGEST_MESSAGE || description.length > LONGEST_DESCRIPTION) {
		throw new Error(`This is too long to be read: ${message}. ${description}`);
	}
}

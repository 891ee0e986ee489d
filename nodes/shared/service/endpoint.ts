import type { HostName } from './hosts';

/** The kind of key pair that an endpoint accepts. */
export type KeyKind = 'account' | 'order' | 'either';

/** What the node does by itself when the service refuses a call with this code. */
export type RetryAction =
	/** too fast: wait, sign again, repeat */
	| 'backOff'
	/** the order's cap per minute is used up: waiting up to a minute helps */
	| 'minuteCap'
	/** the order was placed a moment ago: it can be used within a minute */
	| 'newOrder'
	/** get a new token, or the key pair that an order has now, repeat once */
	| 'authenticateAgain'
	/** sign again with the current time, repeat once */
	| 'signAgain';

export interface CodeMeaning {
	/** What happened. One that begins with "This order" names the order where its number is known. */
	readonly message: string;
	/** What to do next. */
	readonly description: string;
	readonly retry?: RetryAction;
	/** Nothing matched: the result is empty rather than an error. */
	readonly isEmptyResult?: true;
	/** The refusal leaves open whether something was done; every other documented one proves the contrary. */
	readonly leavesOpen?: true;
}

/** The meanings of the codes that an endpoint may answer. */
export type CodeTable = Readonly<Record<number, CodeMeaning>>;

/** One row: all that the node knows about an endpoint of the service. */
export interface Endpoint {
	readonly path: string;
	readonly host: HostName;
	readonly method: 'GET' | 'POST';
	readonly key: KeyKind;
	/**
	 * Shortest time between two calls with one key, in milliseconds.
	 * Where the order's plan decides, the call brings its own interval.
	 */
	readonly intervalMs: number;
	/**
	 * Whether sending the call a second time is harmless. The HTTP method does not tell:
	 * the service places orders by GET.
	 */
	readonly repeatable: boolean;
	/** Whether answers hold a secret, so that not even the beginning of one may be shown. */
	readonly secretAnswer?: true;
	/** Whether answers hold names in Chinese that are put out, and must not arrive garbled. */
	readonly holdsNames?: true;
	/** Its own codes; the same number means different things on different endpoints. */
	readonly codes: CodeTable;
}

/** What a row has to say; the rest is as it is for most endpoints. */
type Row = Pick<Endpoint, 'key'> & Partial<Omit<Endpoint, 'path' | 'repeatable'>>;

function endpoint(path: string, repeatable: boolean, row: Row): Endpoint {
	return { host: 'baseUrl', method: 'GET', intervalMs: 1000, codes: {}, ...row, path, repeatable };
}

/** Changes nothing at the service. */
export function read(path: string, row: Row): Endpoint {
	return endpoint(path, true, row);
}

/** Sets a state; setting it twice changes nothing more. */
export function setting(path: string, row: Row): Endpoint {
	return endpoint(path, true, row);
}

/** A request that was sent once may be delivered twice on its way: then the other one was carried out. */
const REPETITION: CodeMeaning = {
	message: 'The service took the request for a duplicate of an earlier one',
	description: 'The earlier one may have been carried out.',
	leavesOpen: true,
};

/** Uses up something of the order, so it is never sent again after an unclear answer. */
export function quota(path: string, row: Row): Endpoint {
	return endpoint(path, false, { ...row, codes: { [-114]: REPETITION, ...row.codes } });
}

/** Spends money, so it is never sent a second time without proof that the first was not carried out. */
export function purchase(path: string, row: Row): Endpoint {
	return endpoint(path, false, row);
}

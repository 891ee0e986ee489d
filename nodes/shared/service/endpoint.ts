import type { HostName } from './hosts';

export type KeyKind = 'account' | 'order' | 'either';

/** The node's own reaction to a refusal with this code. */
export type RetryAction =
	/** too fast: wait, sign again, repeat */
	| 'backOff'
	/** it is unclear what was done: wait, and repeat what changes nothing */
	| 'repeat'
	/** not yet, because of what happened within the last minute: waiting until that is over helps */
	| 'notYet'
	/** get a new token, or the key pair that an order has now, repeat once */
	| 'authenticateAgain'
	/** sign again with the current time, repeat once */
	| 'signAgain';

export interface CodeMeaning {
	/** The event. One that begins with "This order" names the order where its number is known. */
	readonly message: string;
	readonly description: string;
	readonly retry?: RetryAction;
	/** The account can't pay: the message goes with the balance, where that is known. */
	readonly isLowBalance?: true;
	/** Nothing matched, which is no error. */
	readonly isEmptyResult?: true;
	/** It is unclear whether anything was done; every other documented code proves that nothing was. */
	readonly outcomeUnknown?: true;
}

/**
 * The effect of a call on the account. The HTTP method doesn't show it: the service places orders by GET.
 * When it is unclear whether the first one was carried out, only a `read` or a `setting` is sent again.
 */
export type CallKind =
	| 'read'
	/** sets a state, so that a second one changes nothing */
	| 'setting'
	/** uses up something of the order */
	| 'quota'
	| 'purchase';

export type CodeTable = Readonly<Record<number, CodeMeaning>>;

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
	readonly kind: CallKind;
	/** Whether a second call changes nothing, so that one may follow when it is unclear what became of the first. */
	readonly isRepeatable: boolean;
	/** Whether responses contain a secret, so that not even an excerpt may be shown. */
	readonly secretAnswer?: true;
	/** Whether it knows the text format, in which no envelope proves what an answer is. */
	readonly knowsText?: true;
	/** The likely reason for a code that the service doesn't document, and the cure, in whole sentences. */
	readonly otherwise?: string;
	/** Its own codes; the same number means different things on different endpoints. */
	readonly codes: CodeTable;
}

/** The part of an endpoint that a row has to state; the rest has defaults. */
type EndpointRow = Pick<Endpoint, 'key'> &
	Partial<Omit<Endpoint, 'path' | 'kind' | 'isRepeatable'>>;

function endpoint(path: string, kind: CallKind, row: EndpointRow): Endpoint {
	const isRepeatable = kind === 'read' || kind === 'setting';
	return {
		host: 'baseUrl',
		method: 'GET',
		intervalMs: 1000,
		codes: {},
		...row,
		path,
		kind,
		isRepeatable,
	};
}

export function read(path: string, row: EndpointRow): Endpoint {
	return endpoint(path, 'read', row);
}

export function setting(path: string, row: EndpointRow): Endpoint {
	return endpoint(path, 'setting', row);
}

/** A request that was sent once may be delivered twice on its way: then the other one was carried out. */
const REPETITION: CodeMeaning = {
	message: 'Kuaidaili took the request for a duplicate of an earlier one',
	description: 'The earlier one may have been carried out.',
	outcomeUnknown: true,
};

function unrepeatable(path: string, kind: 'quota' | 'purchase', row: EndpointRow): Endpoint {
	return endpoint(path, kind, { ...row, codes: { [-114]: REPETITION, ...row.codes } });
}

/** Uses up something of the order, so it is never sent again after an unclear answer. */
export function quota(path: string, row: EndpointRow): Endpoint {
	return unrepeatable(path, 'quota', row);
}

/** Spends money. It is resent only with proof that the first one was not carried out. */
export function purchase(path: string, row: EndpointRow): Endpoint {
	return unrepeatable(path, 'purchase', row);
}

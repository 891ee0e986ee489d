/** What the node does by itself when the service refuses a call with this code. */
export type RetryAction =
	/** too fast: wait, sign again, repeat */
	| 'backOff'
	/** the order's cap per minute is used up: waiting up to a minute helps */
	| 'minuteCap'
	/** get a new secret token, repeat once */
	| 'refreshToken'
	/** sign again with the current time, repeat once */
	| 'signAgain';

export interface CodeMeaning {
	/** What happened. */
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
export type CodeTable = ReadonlyMap<number, CodeMeaning>;

/** What the node does by itself when the service refuses a call with this code. */
export type Reaction =
	/** too fast: wait, sign again, repeat */
	| 'slowDown'
	/** the order's cap per minute is used up: waiting up to a minute helps */
	| 'minuteCap'
	/** get a new secret token, repeat once */
	| 'renewToken'
	/** sign again with the current time, repeat once */
	| 'signAgain'
	/** a fault of the answer as a whole: nothing matched, so the result is empty */
	| 'nothingFound';

export interface CodeMeaning {
	/** What happened. */
	readonly message: string;
	/** What to do next. */
	readonly cure: string;
	readonly reaction?: Reaction;
	/** The refusal leaves open whether something was done; every other documented one proves the contrary. */
	readonly leavesOpen?: true;
}

/** The meanings of the codes that an endpoint may answer. */
export type CodeTable = ReadonlyMap<number, CodeMeaning>;

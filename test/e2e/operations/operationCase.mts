import type { LoggedRequest, Payment } from '../../../sandbox/sandbox.mts';
import type { KeyName } from '../keys.mts';

/** One way to use an operation, and what has to come of it. */
export interface OperationCase {
	readonly resource: string;
	readonly operation: string;
	/** What is special about this way. */
	readonly what: string;
	/** The key pair in the credential. */
	readonly key: KeyName;
	/** The order that is chosen in 'Order', by its key pair. */
	readonly order?: KeyName;
	readonly parameters?: Readonly<Record<string, unknown>>;
	/** The endpoint that does the work, asked exactly once. */
	readonly path: string;
	/** How many times money is taken; never if not given. */
	readonly payments?: number;
	/** Throws when the outcome is not right. */
	prove(outcome: Outcome): void;
}

export interface Outcome {
	/** What the node put out, without n8n's wrapping. */
	readonly records: readonly unknown[];
	/** Texts at the output. */
	readonly hints: readonly unknown[];
	/** The request that did the work. */
	readonly request: LoggedRequest;
	readonly payments: readonly Payment[];
}

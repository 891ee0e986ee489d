import type { EpochMs } from './chinaTime';

/** Parameters as they are sent: flat, every value a text, nothing URL-encoded. */
export type FlatParameters = Readonly<Record<string, string>>;

/** The time of an answer. */
export interface Answered {
	/** The moment by the clock that calls are signed with: this machine's, corrected where the service refused its time. */
	readonly answeredAt: EpochMs;
}

/** A well-formed answer of the service with code 0. */
export interface ServiceAnswer extends Answered {
	readonly msg: string;
	readonly data: unknown;
	/** The whole answer in the text format, which has neither `msg` nor `data`. */
	readonly plainText?: string;
}

/** The content of a successful extraction, in the requested format or another one. */
export type ExtractionAnswer = Pick<ServiceAnswer, 'data' | 'plainText'>;

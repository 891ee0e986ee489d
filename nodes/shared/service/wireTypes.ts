import type { EpochMs } from './chinaTime';
import type { Endpoint } from './endpoint';

/** Parameters as they are sent: flat, every value a text, nothing URL-encoded. */
export type FlatParameters = Readonly<Record<string, string>>;

/** The time of an answer, by both clocks. */
export interface Answered {
	/** The moment by the clock of this machine, or by the one that calls are signed with. */
	readonly answeredAt: EpochMs;
	/**
	 * The service's clock minus the one above, in milliseconds; undefined where nothing says it, and where an
	 * accepted timestamp has proved that one right.
	 */
	readonly clockDifferenceMs?: number;
}

/** The time of an answer, and nothing else of it. */
export function answeredOf({ answeredAt, clockDifferenceMs }: Answered): Answered {
	return { answeredAt, clockDifferenceMs };
}

/** A well-formed answer of the service with code 0. */
export interface ServiceAnswer extends Answered {
	readonly msg: string;
	readonly data: unknown;
	/** The whole answer in the text format, which has neither `msg` nor `data`. */
	readonly text?: string;
}

/** How a call of an endpoint is made. */
export interface CallSettings {
	readonly endpoint: Endpoint;
	/** The time between two calls where the order's plan decides; else the endpoint's own. */
	readonly intervalMs?: number;
	/** Whether to wait and repeat where too many addresses call with the order, 65 seconds at most. */
	readonly waitForCallers?: boolean;
	/** Whether to wait and repeat when the order is too new to be used, 65 seconds at most. */
	readonly waitForNewOrder?: boolean;
	/** A signal after which nothing is sent any more. What was sent before is not lost. */
	readonly wantedUntil?: AbortSignal;
}

/** The content of a successful extraction, in the requested format or another one. */
export type ExtractionAnswer = Pick<ServiceAnswer, 'data' | 'text'>;

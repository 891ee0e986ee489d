import { InvalidResponseError } from '../errors/callErrors';
import { cleanServiceText, excerptOfData, type Secrets } from '../errors/cleanText';
import type { Endpoint } from '../service/endpoint';
import { isList, isRecord, type UnknownRecord } from '../guards';
import type { EpochMs } from '../service/chinaTime';

/** Parameters as they are sent: flat, every value a text, nothing URL-encoded. */
export type FlatParameters = Readonly<Record<string, string>>;

export interface Answered {
	/** The moment by the clock of this machine, or by the one that calls are signed with. */
	readonly answeredAt: EpochMs;
	/**
	 * The service's clock minus the one above, in milliseconds; undefined where nothing says it, and where an
	 * accepted timestamp has proved that one right.
	 */
	readonly clockDifferenceMs?: number;
}

export function answeredOf({ answeredAt, clockDifferenceMs }: Answered): Answered {
	return { answeredAt, clockDifferenceMs };
}

export interface ServiceAnswer extends Answered {
	readonly msg: string;
	readonly data: unknown;
	/** In the text format, which has neither `msg` nor `data`. */
	readonly text?: string;
}

export interface CallSettings {
	readonly endpoint: Endpoint;
	/** Between two calls, where the order's plan decides; else the endpoint's own. */
	readonly intervalMs?: number;
	/** Wait and repeat where too many addresses call with the order, 65 seconds at most. */
	readonly waitForCallers?: boolean;
	/** Wait and repeat when the order is too new to be used, 65 seconds at most. */
	readonly waitForNewOrder?: boolean;
	/** Once it has aborted, nothing is sent any more. What was sent before is not lost. */
	readonly wantedUntil?: AbortSignal;
}

export interface Query<T> extends CallSettings {
	/** Adds the parameters that the service requires beyond those the user chose. */
	readonly complete?: (parameters: FlatParameters) => FlatParameters;
	/** @throws InvalidResponseError */
	readonly parse: (answer: ServiceAnswer, secrets: Secrets) => T;
}

/**
 * A call that returns one thing.
 *
 * @param what it is, as the end of "The service's response contains no …"
 * @param toResult undefined where the data of the response don't hold it
 */
export function dataQuery<T>(
	endpoint: Endpoint,
	what: string,
	toResult: (data: unknown) => T | undefined,
): Query<T> {
	return {
		endpoint,
		parse({ data }, secrets) {
			const result = toResult(data);
			if (result !== undefined) return result;
			const excerpt = endpoint.secretAnswer === true ? '' : excerptOfData(data, secrets);
			throw new InvalidResponseError(`contains no ${what}`, excerpt);
		},
	};
}

/** A call that sets a state and returns only a message. */
export function settingQuery(endpoint: Endpoint, parameters: FlatParameters = {}): Query<string> {
	return {
		endpoint,
		complete: (others) => ({ ...parameters, ...others }),
		parse: ({ msg }, secrets) => cleanServiceText(msg, secrets),
	};
}

/** The content of a successful extraction, in the requested format or another one. */
export type ExtractionAnswer = Pick<ServiceAnswer, 'data' | 'text'>;

/** Makes the call with the key pair that the endpoint needs. Throws what `callService` throws. */
export type RunQuery = <T>(query: Query<T>, parameters?: FlatParameters) => Promise<T>;

/** Throws InvalidResponseError for `data` that is no list of wanted records; an empty one is fine. */
export function parseRecords<T extends UnknownRecord>(
	{ data }: Pick<ServiceAnswer, 'data'>,
	isWanted: (record: UnknownRecord) => record is T,
	secrets: Secrets,
): T[] {
	if (!isList(data))
		throw new InvalidResponseError('contains no list', excerptOfData(data, secrets));
	return data.map((entry) => {
		if (isRecord(entry) && isWanted(entry)) return entry;
		throw new InvalidResponseError(
			'contains an entry with missing fields',
			excerptOfData(entry, secrets),
		);
	});
}

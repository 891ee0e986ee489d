import { InvalidResponseError } from './callErrors';
import { cleanServiceText, excerptOfData, type Secrets } from './cleanText';
import type { Endpoint } from '../service/endpoint';
import { isList, isRecord, type UnknownRecord } from '../guards';
import type { CallSettings, FlatParameters, ServiceAnswer } from '../service/wireTypes';

/** A call of the service, and how its answer is read. */
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

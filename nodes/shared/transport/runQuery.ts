import type { FlatParameters } from '../credential/signature';
import type { ExtractionQuery, Query } from '../service/query';
import type { Caller } from './caller';
import { callExtraction, callService } from './callService';

/** Makes one call and reads its answer. Throws what `callService` throws. */
export async function runQuery<T>(
	caller: Caller,
	{ endpoint, complete, parse }: Query<T>,
	parameters: FlatParameters = {},
): Promise<T> {
	const answer = await callService(caller, {
		endpoint,
		parameters: complete === undefined ? parameters : complete(parameters),
	});
	return parse(answer, caller.secrets());
}

/** The same for an endpoint that also knows the text format. */
export async function runExtraction<T>(
	caller: Caller,
	{ parse, ...call }: ExtractionQuery<T>,
	parameters: FlatParameters,
): Promise<T> {
	const answer = await callExtraction(caller, { ...call, parameters });
	return parse(answer, caller.secrets());
}

import { GET_PROXY_SVIP } from '../../../../../nodes/shared/service/endpoints/openProxy.ts';
import { runQuery, type Query } from '../../../../../nodes/shared/api/call.ts';
import type { ApiClient } from '../../../../../nodes/shared/api/client.ts';
import type {
	FlatParameters,
	ServiceAnswer,
} from '../../../../../nodes/shared/service/wireTypes.ts';
import { reply, type FakeCaller } from '../../../support/fakeCaller.mts';

export const SUCCESS = reply({ code: 0, msg: '', data: { count: 0 } });
export interface TestedCall extends Omit<Query<ServiceAnswer>, 'parse'> {
	readonly parameters: FlatParameters;
}

export const CALL: TestedCall = { endpoint: GET_PROXY_SVIP, parameters: { num: '5' } };

beforeEach(() => {
	jest.useFakeTimers();
	// Its own timers are not those of the test
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
		const controller = new AbortController();
		setTimeout(() => controller.abort(), ms);
		return controller.signal;
	});
});
afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
});

/** Makes a call, whose whole answer is the result. */
export async function answerTo(
	client: ApiClient,
	{ parameters, ...settings }: TestedCall,
): Promise<ServiceAnswer> {
	return await runQuery(client, { ...settings, parse: (answer) => answer }, parameters);
}

/** Lets the time pass until the call has an outcome, which is what comes back. */
export async function outcomeOf(caller: FakeCaller, call = CALL, ms = 200_000): Promise<unknown> {
	let outcome: unknown = 'nothing yet';
	void answerTo(caller, call).then(
		(answer) => (outcome = answer),
		(error: unknown) => (outcome = error),
	);
	await jest.advanceTimersByTimeAsync(ms);
	return outcome;
}

export function gaps(times: readonly number[]): number[] {
	return times.slice(1).map((time, index) => time - times[index]);
}

export const networkError = (code: string) => Object.assign(new Error('x'), { code });

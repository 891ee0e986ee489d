import {
	CallError,
	CancelledError,
	HttpStatusError,
	NetworkError,
	ApiError,
	InvalidResponseError,
	WrongKeyTypeError,
} from '../../../../../nodes/shared/transport/callErrors.ts';
import { GET_ACCOUNT_BALANCE } from '../../../../../nodes/shared/service/endpoints/account.ts';
import { GET_DPS, GET_FPS_IP } from '../../../../../nodes/shared/service/endpoints/extraction.ts';
import {
	GET_PROXY,
	GET_PROXY_SVIP,
} from '../../../../../nodes/shared/service/endpoints/openProxy.ts';
import {
	CLOSE_ORDER,
	SET_AUTO_RENEW,
} from '../../../../../nodes/shared/service/endpoints/order.ts';
import {
	CREATE_ORDER,
	RENEW_ORDER,
} from '../../../../../nodes/shared/service/endpoints/purchase.ts';
import { GET_SECRET_TOKEN } from '../../../../../nodes/shared/service/endpoints/token.ts';
import { CHANGE_TPS_IP } from '../../../../../nodes/shared/service/endpoints/tunnel.ts';
import type { ServiceCall } from '../../../../../nodes/shared/transport/caller.ts';
import { callService } from '../../../../../nodes/shared/transport/callService.ts';
import { freshCredential } from '../../../support/credential.mts';
import {
	fakeCaller,
	inTurn,
	refusal,
	reply,
	type FakeCaller,
	type Outcome,
} from '../../../support/fakeCaller.mts';

const SUCCESS = reply({ code: 0, msg: '', data: { count: 0 } });
const CALL: ServiceCall = { endpoint: GET_PROXY_SVIP, parameters: { num: '5' } };

/** Timers of deadlines that have not passed; Node.js forgets them together with their calls. */
let deadlines: number;

beforeEach(() => {
	jest.useFakeTimers();
	deadlines = 0;
	// Its own timers are not those of the test
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
		const controller = new AbortController();
		deadlines++;
		setTimeout(() => {
			deadlines--;
			controller.abort();
		}, ms);
		return controller.signal;
	});
});
afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
});

function expectNoTimerLeft(): void {
	expect(jest.getTimerCount()).toBe(deadlines);
}

/** Lets the time pass until the call has an outcome, which is what comes back. */
async function outcomeOf(caller: FakeCaller, call = CALL, ms = 200_000): Promise<unknown> {
	let outcome: unknown = 'nothing yet';
	void callService(caller, call).then(
		(answer) => (outcome = answer),
		(error: unknown) => (outcome = error),
	);
	await jest.advanceTimersByTimeAsync(ms);
	return outcome;
}

function gaps(times: readonly number[]): number[] {
	return times.slice(1).map((time, index) => time - times[index]);
}

describe('a call', () => {
	it('goes to the host of its endpoint, with its parameters and options', async () => {
		const credential = freshCredential({ customHosts: true, svipUrl: 'http://127.0.0.1:5000' });
		const caller = fakeCaller(inTurn(SUCCESS), { credential, timeoutMs: 7000 });
		await outcomeOf(caller);
		expect(caller.requests).toEqual([
			{
				method: 'GET',
				url: 'http://127.0.0.1:5000/api/getproxy',
				qs: { num: '5' },
				timeout: 5000,
				encoding: 'text',
				json: false,
				returnFullResponse: true,
				ignoreHttpStatusErrors: true,
				disableFollowRedirect: true,
			},
		]);
	});

	it('gives the success', async () => {
		const caller = fakeCaller(inTurn(SUCCESS));
		expect(await outcomeOf(caller)).toEqual({
			answeredAt: expect.any(Number),
			kind: 'envelope',
			code: 0,
			msg: '',
			data: { count: 0 },
		});
	});

	it('leaves no timer behind', async () => {
		await outcomeOf(fakeCaller(inTurn(SUCCESS)), CALL, 0);
		expectNoTimerLeft();
	});

	it('keeps the pace of its endpoint with one key, and none between two keys', async () => {
		const credential = freshCredential();
		const callers = [credential, credential, freshCredential()].map((one) =>
			fakeCaller(inTurn(SUCCESS), { credential: one }),
		);
		const switchOff: ServiceCall = { endpoint: SET_AUTO_RENEW, parameters: { autorenew: '0' } };
		const calls = Promise.all(callers.map(async (caller) => await callService(caller, switchOff)));
		await jest.advanceTimersByTimeAsync(1100);
		await calls;
		expect(callers[0].times[0]).toBe(0);
		expect(callers[1].times[0]).toBeGreaterThan(1000);
		expect(callers[1].times[0]).toBeLessThanOrEqual(1060);
		expect(callers[2].times[0]).toBe(0);
	});

	it('keeps the pace of the order where that decides', async () => {
		const caller = fakeCaller(inTurn(SUCCESS));
		await outcomeOf(caller, { ...CALL, intervalMs: 5000 }, 0);
		await outcomeOf(caller, { ...CALL, intervalMs: 5000 }, 6000);
		expect(gaps(caller.times)[0]).toBeGreaterThan(5000);
	});

	it.each([
		{ keyType: 'account', endpoint: SET_AUTO_RENEW, needed: 'order' },
		{ keyType: 'order', endpoint: CREATE_ORDER, needed: 'account' },
	] as const)(
		'with the key of the $keyType is not sent to $endpoint.path',
		async ({ keyType, endpoint, needed }) => {
			const caller = fakeCaller(inTurn(SUCCESS), { credential: freshCredential({ keyType }) });
			const outcome = await outcomeOf(caller, { endpoint, parameters: {} });
			expect(outcome).toBeInstanceOf(WrongKeyTypeError);
			expect(outcome).toMatchObject({ needed });
			expect(caller.requests).toEqual([]);
		},
	);

	it('keeps no pace between two endpoints', async () => {
		const caller = fakeCaller(inTurn(SUCCESS));
		await outcomeOf(caller, CALL, 0);
		await outcomeOf(caller, { endpoint: GET_PROXY, parameters: {} }, 0);
		expect(caller.times).toEqual([0, 0]);
	});
});

describe('a refusal', () => {
	it.each([2, 3, -1, -3, -23, -101, -104, -108, -121, -123, -999])(
		'with the code %d is told at once',
		async (code) => {
			const caller = fakeCaller(inTurn(refusal(code)));
			const error = await outcomeOf(caller, CALL, 0);
			expect(error).toBeInstanceOf(ApiError);
			expect(error).toMatchObject({ code, endpoint: GET_PROXY_SVIP });
			expect(caller.requests).toHaveLength(1);
		},
	);

	it.each([-112, -114])('with the code %d is answered by one more, newly signed', async (code) => {
		const caller = fakeCaller(inTurn(refusal(code), SUCCESS));
		expect(await outcomeOf(caller)).toMatchObject({ code: 0 });
		expect(caller.requests).toHaveLength(2);
		// A fresh one: what `send` makes of the first must not reach the second
		expect(caller.requests[1]).toEqual(caller.requests[0]);
		expect(caller.requests[1]).not.toBe(caller.requests[0]);
		expect(caller.requests[1].qs).not.toBe(caller.requests[0].qs);
	});

	it.each([-112, -114])('with the code %d twice is told', async (code) => {
		const caller = fakeCaller(inTurn(refusal(code)));
		expect(await outcomeOf(caller)).toMatchObject({ code });
		expect(caller.requests).toHaveLength(2);
	});

	it('of the token is answered by one more with a new token', async () => {
		const caller = fakeCaller(inTurn(refusal(-107), SUCCESS), { usesToken: true });
		expect(await outcomeOf(caller)).toMatchObject({ code: 0 });
		expect(caller.requests).toHaveLength(2);
		expect(caller.renewals).toBe(1);
	});

	it('of the token twice is told', async () => {
		const caller = fakeCaller(inTurn(refusal(-107)), { usesToken: true });
		expect(await outcomeOf(caller)).toMatchObject({ code: -107 });
		expect(caller.requests).toHaveLength(2);
		expect(caller.renewals).toBe(1);
	});

	it('of the token is told at once where there is no token', async () => {
		const caller = fakeCaller(inTurn(refusal(-107)));
		expect(await outcomeOf(caller)).toMatchObject({ code: -107 });
		expect(caller.requests).toHaveLength(1);
	});

	it.each([-120, -21, -22])(
		'with the code %d is answered by three more, ever later',
		async (code) => {
			const caller = fakeCaller(inTurn(refusal(code)));
			expect(await outcomeOf(caller)).toMatchObject({ code });
			expect(caller.requests).toHaveLength(4);
			const shortest = [1000, 2500, 6250];
			gaps(caller.times).forEach((gap, index) => {
				expect(gap).toBeGreaterThanOrEqual(shortest[index]);
				expect(gap).toBeLessThanOrEqual(2 * shortest[index] + 10);
			});
		},
	);

	it('for the pace waits 20 seconds at most, however long the interval is', async () => {
		const caller = fakeCaller(inTurn(refusal(-22)));
		await outcomeOf(caller, { ...CALL, intervalMs: 5000 });
		const [first, ...later] = gaps(caller.times);
		expect(first).toBeGreaterThanOrEqual(5_000);
		expect(first).toBeLessThanOrEqual(10_010);
		for (const gap of later) {
			expect(gap).toBeGreaterThanOrEqual(10_000);
			expect(gap).toBeLessThanOrEqual(20_010);
		}
		expect(later[0]).not.toBe(later[1]);
	});

	it('for the pace waits at least the interval of the order', async () => {
		const caller = fakeCaller(inTurn(refusal(-22), SUCCESS));
		await outcomeOf(caller, { ...CALL, intervalMs: 5000 });
		expect(gaps(caller.times)[0]).toBeGreaterThan(5000);
	});

	it('for the pace holds back all who call with that key', async () => {
		const credential = freshCredential();
		const first = fakeCaller(inTurn(refusal(-120), SUCCESS), { credential });
		const second = fakeCaller(inTurn(SUCCESS), { credential });
		void callService(first, CALL);
		await jest.advanceTimersByTimeAsync(0);
		void callService(second, CALL);
		await jest.advanceTimersByTimeAsync(5000);
		expect(second.times[0]).toBeGreaterThanOrEqual(1000);
	});

	it('of different kinds may each be answered', async () => {
		const outcomes = inTurn(refusal(-107), refusal(-114), refusal(-120), SUCCESS);
		const caller = fakeCaller(outcomes, { usesToken: true });
		expect(await outcomeOf(caller)).toMatchObject({ code: 0 });
		expect(caller.requests).toHaveLength(4);
	});
});

describe("the order's limit per minute", () => {
	it('is told at once', async () => {
		const caller = fakeCaller(inTurn(refusal(-51)));
		expect(await outcomeOf(caller, CALL, 0)).toMatchObject({ code: -51 });
		expect(caller.requests).toHaveLength(1);
	});

	it('is waited for when that is wanted', async () => {
		const caller = fakeCaller(inTurn(refusal(-51), refusal(-51), SUCCESS));
		expect(await outcomeOf(caller, { ...CALL, waitForCallers: true })).toMatchObject({ code: 0 });
		expect(caller.requests).toHaveLength(3);
	});

	it('is waited for 65 seconds at most', async () => {
		const caller = fakeCaller(inTurn(refusal(-51)));
		const error = await outcomeOf(caller, { ...CALL, waitForCallers: true });
		expect(error).toMatchObject({ code: -51 });
		const waited = caller.times.at(-1) ?? 0;
		expect(waited).toBeGreaterThanOrEqual(60_000);
		expect(waited).toBeLessThanOrEqual(65_100);
	});

	it('is no longer waited for after a cancellation', async () => {
		const controller = new AbortController();
		const caller = fakeCaller(inTurn(refusal(-51)), { signal: controller.signal });
		const outcome = outcomeOf(caller, { ...CALL, waitForCallers: true }, 2000);
		await jest.advanceTimersByTimeAsync(1000);
		controller.abort();
		expect(await outcome).toBeInstanceOf(CancelledError);
		expectNoTimerLeft();
		expect(caller.requests).toHaveLength(1);
	});
});

describe('an HTTP status', () => {
	it.each([301, 401, 404, 500, 501])('of %d is told at once', async (status) => {
		const caller = fakeCaller(inTurn(reply('x', { status })));
		const error = await outcomeOf(caller, CALL, 0);
		expect(error).toBeInstanceOf(HttpStatusError);
		expect(caller.requests).toHaveLength(1);
	});

	it.each([
		['7', 7000],
		['20', 20_000],
	])('of 429 that asks for %s seconds is answered after %d ms', async (seconds, ms) => {
		const limited = reply('', { status: 429, headers: { 'retry-after': seconds } });
		const caller = fakeCaller(inTurn(limited, SUCCESS));
		expect(await outcomeOf(caller)).toMatchObject({ code: 0 });
		expect(gaps(caller.times)[0]).toBeGreaterThanOrEqual(ms);
		expect(gaps(caller.times)[0]).toBeLessThan(ms + 10);
	});

	it('of 429 that asks for more time than the call has is told at once', async () => {
		const limited = reply('', { status: 429, headers: { 'retry-after': '30' } });
		const caller = fakeCaller(inTurn(limited, SUCCESS));
		expect(await outcomeOf(caller)).toMatchObject({ status: 429 });
		expect(caller.requests).toHaveLength(1);
	});
});

const networkError = (code: string) => Object.assign(new Error('x'), { code });

/** What may pass by itself, but leaves open whether the call was carried out, or was never sent. */
const PASSING: ReadonlyArray<[name: string, outcome: Outcome]> = [
	['a lost connection', networkError('ECONNRESET')],
	['half an answer before the connection was lost', networkError('ERR_BAD_RESPONSE')],
	['silence', networkError('ECONNABORTED')],
	['a refused connection', networkError('ECONNREFUSED')],
	['a host that is not found', networkError('EAI_AGAIN')],
	['the status 502', reply('', { status: 502 })],
	['the status 503', reply('', { status: 503 })],
	['the status 504', reply('', { status: 504 })],
	['the status 429', reply('', { status: 429 })],
	['a fault of the service', refusal(-109)],
];

describe.each(PASSING)('after %s', (_name, failure) => {
	it('a read is tried again twice, ever later', async () => {
		const caller = fakeCaller(inTurn(failure));
		expect(await outcomeOf(caller)).toBeInstanceOf(CallError);
		expect(caller.requests).toHaveLength(3);
		const [first, second] = gaps(caller.times);
		expect(first).toBeGreaterThanOrEqual(1000);
		expect(first).toBeLessThanOrEqual(2010);
		expect(second).toBeGreaterThanOrEqual(2500);
		expect(second).toBeLessThanOrEqual(5010);
	});

	it('a read gives what comes the third time', async () => {
		const caller = fakeCaller(inTurn(failure, failure, SUCCESS));
		expect(await outcomeOf(caller)).toMatchObject({ code: 0 });
	});

	it.each([SET_AUTO_RENEW, CLOSE_ORDER])(
		'a setting gives what comes the third time: $path',
		async (endpoint) => {
			const caller = fakeCaller(inTurn(failure, failure, SUCCESS));
			expect(await outcomeOf(caller, { endpoint, parameters: {} })).toMatchObject({ code: 0 });
		},
	);

	it('a read is not tried again when no time is left for it', async () => {
		const caller = fakeCaller(inTurn(failure), { timeoutMs: 1000 });
		expect(await outcomeOf(caller)).toBeInstanceOf(CallError);
		expect(caller.requests).toHaveLength(1);
	});
});

describe.each(PASSING.filter(([name]) => !/refused|not found/.test(name)))(
	'after %s',
	(_name, failure) => {
		it.each(
			[RENEW_ORDER, GET_DPS, GET_FPS_IP, CHANGE_TPS_IP].map(
				(endpoint) => [endpoint.path, endpoint] as const,
			),
		)('%s is not sent again', async (_path, endpoint) => {
			const caller = fakeCaller(inTurn(failure, SUCCESS));
			expect(await outcomeOf(caller, { endpoint, parameters: {} })).toBeInstanceOf(CallError);
			expect(caller.requests).toHaveLength(1);
		});
	},
);

describe('the time of a read', () => {
	/** Each attempt takes as long as this before it fails. */
	function slowCaller(ms: number, timeoutMs: number): FakeCaller {
		const caller = fakeCaller(inTurn(networkError('ECONNABORTED')), { timeoutMs });
		const { send } = caller;
		caller.send = async (request) => {
			await new Promise((resolve) => setTimeout(resolve, ms));
			return await send(request);
		};
		return caller;
	}

	it('is for all attempts together', async () => {
		const caller = slowCaller(9000, 20_000);
		expect(await outcomeOf(caller)).toBeInstanceOf(NetworkError);
		expect(caller.requests).toHaveLength(2);
		expect(caller.requests[0].timeout).toBe(6666);
		expect(caller.requests[1].timeout).toBeLessThanOrEqual(6666);
	});

	it('leaves less to later attempts', async () => {
		const caller = slowCaller(6000, 20_000);
		await outcomeOf(caller);
		expect(caller.requests).toHaveLength(3);
		expect(caller.requests[2].timeout).toBeGreaterThan(0);
		expect(caller.requests[2].timeout).toBeLessThan(5000);
		expect(Number.isInteger(caller.requests[2].timeout)).toBe(true);
	});

	it('does not begin before its turn', async () => {
		const credential = freshCredential();
		const call: ServiceCall = { endpoint: GET_PROXY, parameters: {} };
		const first = fakeCaller(inTurn(SUCCESS), { credential });
		const second = fakeCaller(inTurn(reply('', { status: 502 }), SUCCESS), {
			credential,
			timeoutMs: 4000,
		});
		const both = Promise.all([callService(first, call), callService(second, call)]);
		await jest.advanceTimersByTimeAsync(20_000);
		await both;
		expect(second.times[0]).toBeGreaterThanOrEqual(5000);
		expect(second.requests).toHaveLength(2);
	});

	it('is all of it for a purchase, which has one attempt', async () => {
		const caller = fakeCaller(inTurn(SUCCESS), { timeoutMs: 30_000 });
		await outcomeOf(caller, { endpoint: RENEW_ORDER, parameters: {} });
		expect(caller.requests[0].timeout).toBe(30_000);
	});
});

describe('no answer', () => {
	it('that n8n reports is told with its kind', async () => {
		const caller = fakeCaller(inTurn(networkError('ECONNREFUSED')), { timeoutMs: 7000 });
		const error = await outcomeOf(caller);
		expect(error).toBeInstanceOf(NetworkError);
		expect(error).toMatchObject({
			failure: { kind: 'refused' },
			host: 'svip.kdlapi.com',
			timeoutMs: 7000,
		});
	});

	it('within the time-out ends the call, although n8n itself does not', async () => {
		const caller = fakeCaller(inTurn('silence'), { timeoutMs: 7000 });
		let outcome: unknown;
		void callService(caller, CALL).catch((error: unknown) => (outcome = error));
		await jest.advanceTimersByTimeAsync(7000);
		expect(outcome).toBeUndefined();
		await jest.advanceTimersByTimeAsync(500);
		expect(outcome).toBeInstanceOf(NetworkError);
		expect(outcome).toMatchObject({ failure: { kind: 'timeout' } });
		expectNoTimerLeft();
		expect(caller.requests).toHaveLength(1);
	});

	it('that can be read is told, and not repeated', async () => {
		const caller = fakeCaller(inTurn(reply('{"code":')));
		expect(await outcomeOf(caller, CALL, 0)).toBeInstanceOf(InvalidResponseError);
		expect(caller.requests).toHaveLength(1);
	});
});

describe('a cancellation', () => {
	it('before the call sends nothing', async () => {
		const caller = fakeCaller(inTurn(SUCCESS), { signal: AbortSignal.abort() });
		expect(await outcomeOf(caller, CALL, 0)).toBeInstanceOf(CancelledError);
		expect(caller.requests).toHaveLength(0);
	});

	it('ends a call that waits for an answer at once', async () => {
		const controller = new AbortController();
		const caller = fakeCaller(inTurn('silence'), { signal: controller.signal });
		const outcome = callService(caller, CALL).catch((error: unknown) => error);
		await jest.advanceTimersByTimeAsync(500);
		expect(caller.requests).toHaveLength(1);
		controller.abort();
		expect(await outcome).toBeInstanceOf(CancelledError);
		expect(await outcome).toHaveProperty('inFlight', true);
		expectNoTimerLeft();
	});

	it('ends a call that waits to repeat at once, and nothing more is sent', async () => {
		const controller = new AbortController();
		const caller = fakeCaller(inTurn(refusal(-120)), { signal: controller.signal });
		const outcome = callService(caller, CALL).catch((error: unknown) => error);
		await jest.advanceTimersByTimeAsync(900);
		controller.abort();
		expect(await outcome).toBeInstanceOf(CancelledError);
		expect(await outcome).toHaveProperty('inFlight', false);
		await jest.advanceTimersByTimeAsync(100_000);
		expect(caller.requests).toHaveLength(1);
		expectNoTimerLeft();
	});

	it('is told as such, whatever n8n makes of it', async () => {
		const controller = new AbortController();
		const caller = fakeCaller(
			() => {
				controller.abort();
				return new Error('canceled');
			},
			{ signal: controller.signal },
		);
		expect(await outcomeOf(caller, CALL, 0)).toBeInstanceOf(CancelledError);
	});

	it('does not undo a success that has arrived', async () => {
		const controller = new AbortController();
		const caller = {
			...fakeCaller(inTurn(SUCCESS), { signal: controller.signal }),
			secrets() {
				controller.abort();
				return [];
			},
		};
		expect(await outcomeOf(caller, CALL, 0)).toMatchObject({ code: 0 });
	});
});

describe('the kind of the key pair', () => {
	it.each([
		{ keyType: 'order', endpoint: GET_PROXY, isSent: true },
		{ keyType: 'account', endpoint: GET_PROXY, isSent: false },
		{ keyType: 'order', endpoint: GET_ACCOUNT_BALANCE, isSent: false },
		{ keyType: 'account', endpoint: GET_ACCOUNT_BALANCE, isSent: true },
		{ keyType: 'order', endpoint: GET_SECRET_TOKEN, isSent: true },
		{ keyType: 'account', endpoint: GET_SECRET_TOKEN, isSent: true },
		{ keyType: 'order', endpoint: CREATE_ORDER, isSent: false },
		{ keyType: 'account', endpoint: RENEW_ORDER, isSent: false },
	] as const)(
		'$keyType on $endpoint.path is sent: $isSent',
		async ({ keyType, endpoint, isSent }) => {
			const caller = fakeCaller(inTurn(SUCCESS), { credential: freshCredential({ keyType }) });
			const outcome = await outcomeOf(caller, { endpoint, parameters: {} }, 0);
			expect(outcome instanceof WrongKeyTypeError).toBe(!isSent);
			expect(caller.requests).toHaveLength(isSent ? 1 : 0);
		},
	);
});

describe('a purchase', () => {
	const purchase: ServiceCall = { endpoint: RENEW_ORDER, parameters: { time_type: 'MONTH' } };

	it.each([
		['a time-out', networkError('ECONNABORTED')],
		['a broken connection', networkError('ECONNRESET')],
		['something unknown', new Error('x')],
		['the status 502', reply('', { status: 502 })],
		['the status 429', reply('', { status: 429, headers: { 'retry-after': '1' } })],
		['half an answer', reply('{"code":')],
		['a fault of the service', refusal(-109)],
		['an unknown code', refusal(-999)],
		['too little money', refusal(-5)],
	])('is never sent again after %s', async (_name, outcome) => {
		const caller = fakeCaller(inTurn(outcome, SUCCESS));
		expect(await outcomeOf(caller, purchase)).toBeInstanceOf(CallError);
		expect(caller.requests).toHaveLength(1);
	});

	it('is never sent again when no answer comes', async () => {
		const caller = fakeCaller(inTurn('silence'), { timeoutMs: 1000 });
		expect(await outcomeOf(caller, purchase)).toMatchObject({
			failure: { kind: 'timeout', mayHaveArrived: true },
		});
		expect(caller.requests).toHaveLength(1);
	});

	it.each([
		['the token has expired', refusal(-107)],
		['the signature is too old', refusal(-112)],
		['calls come too fast', refusal(-120)],
		['the connection is refused', networkError('ECONNREFUSED')],
		['the host is not found', networkError('ENOTFOUND')],
	])('is sent again when %s, which proves that nothing was done', async (_name, outcome) => {
		const caller = fakeCaller(inTurn(outcome, SUCCESS), { usesToken: true });
		expect(await outcomeOf(caller, purchase)).toMatchObject({ code: 0 });
		expect(caller.requests).toHaveLength(2);
	});

	it('is tried four times without a connection, ever later', async () => {
		const caller = fakeCaller(inTurn(networkError('ECONNREFUSED')));
		expect(await outcomeOf(caller, purchase)).toBeInstanceOf(NetworkError);
		expect(gaps(caller.times).map((gap) => Math.floor(gap / 1000))).toEqual([1, 2, 3]);
	});

	it('is tried four times at most for all reasons together', async () => {
		const outcomes = inTurn(
			refusal(-107),
			refusal(-112),
			refusal(-120),
			networkError('ECONNREFUSED'),
			SUCCESS,
		);
		const caller = fakeCaller(outcomes, { usesToken: true });
		expect(await outcomeOf(caller, purchase)).toBeInstanceOf(NetworkError);
		expect(caller.requests).toHaveLength(4);
	});
});

import {
	CallError,
	CancelledError,
	NetworkError,
	WrongKeyTypeError,
} from '../../../../../nodes/shared/errors/callErrors.ts';
import { failureOf } from '../../../../../nodes/shared/errors/transportFailure.ts';
import {
	GET_ACCOUNT_BALANCE,
	GET_SECRET_TOKEN,
} from '../../../../../nodes/shared/service/endpoints/account.ts';
import { GET_PROXY } from '../../../../../nodes/shared/service/endpoints/openProxy.ts';
import {
	CREATE_ORDER,
	RENEW_ORDER,
} from '../../../../../nodes/shared/service/endpoints/purchase.ts';
import { callService, runExtraction } from '../../../../../nodes/shared/transport/callService.ts';
import type { ServiceCall } from '../../../../../nodes/shared/transport/caller.ts';
import { deliveryStateOf } from '../../../../../nodes/shared/transport/retryPolicy.ts';
import { freshCredential } from '../../../support/credential.mts';
import {
	fakeCaller,
	inTurn,
	refusal,
	reply,
	type FakeCaller,
} from '../../../support/fakeCaller.mts';
import { CALL, SUCCESS, expectNoTimerLeft, gaps, networkError, outcomeOf } from './serviceCall.mts';

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
				encoding: 'stream',
				abortSignal: expect.any(AbortSignal),
				json: false,
				returnFullResponse: true,
				ignoreHttpStatusErrors: true,
				disableFollowRedirect: true,
			},
		]);
	});

	it('keeps the pace of the order where that decides', async () => {
		const caller = fakeCaller(inTurn(SUCCESS));
		await outcomeOf(caller, { ...CALL, intervalMs: 5000 }, 0);
		await outcomeOf(caller, { ...CALL, intervalMs: 5000 }, 6000);
		expect(gaps(caller.times)[0]).toBeGreaterThan(5000);
	});
});

describe('what a call needs first, such as a token', () => {
	it.each([failureOf('broken'), failureOf('timeout')])(
		'leaves no doubt about a purchase where it does not come: $kind',
		async (failure) => {
			const caller = fakeCaller(inTurn(SUCCESS));
			caller.prepare = async () => await Promise.reject(new NetworkError(failure, 'auth', 1000));
			const outcome = await outcomeOf(caller, { endpoint: RENEW_ORDER, parameters: {} });
			expect(outcome).toBeInstanceOf(NetworkError);
			expect(outcome).toHaveProperty('isBeforeRequest', true);
			expect(outcome instanceof CallError && deliveryStateOf(outcome)).toBe('notSent');
			expect(caller.requests).toEqual([]);
		},
	);
});

describe('an extraction that nobody wants any more', () => {
	it('is not sent when its turn comes', async () => {
		const credential = freshCredential();
		const wanted = new AbortController();
		const [first, second] = [1, 2].map(() => fakeCaller(inTurn(SUCCESS), { credential }));
		const { parameters, ...call } = { ...CALL, intervalMs: 5000, parse: () => 'read' };
		const unwanted = { ...call, wantedUntil: wanted.signal };
		const calls = [
			runExtraction(first, call, parameters),
			runExtraction(second, unwanted, parameters).catch((error: unknown) => error),
		];
		await jest.advanceTimersByTimeAsync(1000);
		wanted.abort();
		await jest.advanceTimersByTimeAsync(10_000);
		expect((await Promise.all(calls))[1]).toBeInstanceOf(CancelledError);
		expect([first, second].map(({ requests }) => requests.length)).toEqual([1, 0]);
	});
});

describe("the order's limit per minute", () => {
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

describe('no answer', () => {
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
		['something unknown', new Error('x')],
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
		['the signature is too old', refusal(-112)],
		['calls come too fast', refusal(-120)],
		['the connection is refused', networkError('ECONNREFUSED')],
		['the host is not found', networkError('ENOTFOUND')],
	])('is sent again when %s, which proves that nothing was done', async (_name, outcome) => {
		const caller = fakeCaller(inTurn(outcome, SUCCESS), { usesToken: true });
		expect(await outcomeOf(caller, purchase)).toMatchObject({ code: 0 });
		expect(caller.requests).toHaveLength(2);
	});

	it('is tried four times at most for all reasons together', async () => {
		const outcomes = inTurn(
			refusal(-120),
			refusal(-112),
			networkError('ENOTFOUND'),
			networkError('ECONNREFUSED'),
			SUCCESS,
		);
		const caller = fakeCaller(outcomes);
		expect(await outcomeOf(caller, purchase)).toBeInstanceOf(NetworkError);
		expect(caller.requests).toHaveLength(4);
	});
});

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

describe('a cancellation', () => {
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

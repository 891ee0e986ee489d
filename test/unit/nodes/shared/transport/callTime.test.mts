import { CancelledError, NetworkError } from '../../../../../nodes/shared/errors/callErrors.ts';
import { GET_PROXY } from '../../../../../nodes/shared/service/endpoints/openProxy.ts';
import { RENEW_ORDER } from '../../../../../nodes/shared/service/endpoints/purchase.ts';
import type { ServiceCall } from '../../../../../nodes/shared/transport/caller.ts';
import { callService } from '../../../../../nodes/shared/transport/callService.ts';
import { freshCredential } from '../../../support/credential.mts';
import {
	fakeCaller,
	inTurn,
	refusal,
	reply,
	type FakeCaller,
} from '../../../support/fakeCaller.mts';
import { CALL, expectNoTimerLeft, networkError, outcomeOf, SUCCESS } from './serviceCall.mts';

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
		await jest.advanceTimersByTimeAsync(150);
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

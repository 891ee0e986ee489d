import {
	ApiError,
	CallError,
	CancelledError,
	DescribedError,
	HttpStatusError,
	InvalidResponseError,
	NetworkError,
	WrongKeyTypeError,
	failureOf,
} from '../../../../../nodes/shared/api/errors.ts';
import {
	GET_ORDER_SECRET,
	GET_SECRET_TOKEN,
} from '../../../../../nodes/shared/service/endpoints/account.ts';
import { GET_UA } from '../../../../../nodes/shared/service/endpoints/lookup.ts';
import { GET_PROXY } from '../../../../../nodes/shared/service/endpoints/openProxy.ts';
import {
	CREATE_ORDER,
	RENEW_ORDER,
} from '../../../../../nodes/shared/service/endpoints/purchase.ts';
import {
	dataQuery,
	runQuery,
	type DeliveryState,
	deliveryStateOf,
} from '../../../../../nodes/shared/api/call.ts';
import { freshCredential } from '../../../support/credential.mts';
import {
	fakeCaller,
	type FakeCaller,
	inTurn,
	refusal,
	reply,
} from '../../../support/fakeCaller.mts';
import {
	answerTo,
	CALL,
	gaps,
	networkError,
	outcomeOf,
	SUCCESS,
	type TestedCall,
} from './serviceCall.mts';

it.each([
	['data that may be secret', GET_ORDER_SECRET, ''],
	['any others', GET_UA, '{"key":"value"}'],
])('an error about what a response lacks shows, or not, %s', (_what, endpoint, excerpt) => {
	const { parse } = dataQuery(endpoint, 'thing', () => undefined);
	const read = () => parse({ msg: '', data: { key: 'value' }, answeredAt: 0 }, []);
	expect(read).toThrow(expect.objectContaining({ reason: 'contains no thing', excerpt }));
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
			runQuery(first, call, parameters),
			runQuery(second, unwanted, parameters).catch((error: unknown) => error),
		];
		await jest.advanceTimersByTimeAsync(1000);
		wanted.abort();
		await jest.advanceTimersByTimeAsync(10_000);
		expect((await Promise.all(calls))[1]).toBeInstanceOf(CancelledError);
		expect([first, second].map(({ requests }) => requests.length)).toEqual([1, 0]);
	});
});

describe('the time of a read', () => {
	/** Each attempt takes as long as this before it fails. */
	function slowCaller(ms: number, timeoutMs: number): FakeCaller {
		const caller = fakeCaller(inTurn(networkError('ECONNABORTED')), { timeoutMs });
		const { send } = caller;
		caller.send = async (...request) => {
			await new Promise((resolve) => setTimeout(resolve, ms));
			return await send(...request);
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
		const call: TestedCall = { endpoint: GET_PROXY, parameters: {} };
		const first = fakeCaller(inTurn(SUCCESS), { credential });
		const second = fakeCaller(inTurn(reply('', { status: 502 }), SUCCESS), {
			credential,
			timeoutMs: 4000,
		});
		const both = Promise.all([answerTo(first, call), answerTo(second, call)]);
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

describe('a refusal', () => {
	it('for the pace waits at least the interval of the order, and longer by chance', async () => {
		const random = jest.spyOn(Math, 'random').mockReturnValue(0.9);
		const caller = fakeCaller(inTurn(refusal(-22), SUCCESS));
		await outcomeOf(caller, { ...CALL, intervalMs: 5000 });
		random.mockReturnValue(0);
		const other = fakeCaller(inTurn(refusal(-22), SUCCESS));
		await outcomeOf(other, { ...CALL, intervalMs: 5000 });
		random.mockRestore();
		expect(gaps(caller.times)[0]).toBeGreaterThan(7500);
		expect(gaps(other.times)[0]).toBeGreaterThan(5000);
		expect(gaps(other.times)[0]).toBeLessThan(5500);
	});

	it('for the pace is answered at once again after a call that got through', async () => {
		const refusals = Array.from({ length: 8 }, () => refusal(-120));
		const caller = fakeCaller(inTurn(...refusals, SUCCESS, refusal(-120), SUCCESS));
		await outcomeOf(caller);
		await outcomeOf(caller);
		const pauses = gaps(caller.times);
		expect(pauses[7]).toBeGreaterThan(3000);
		expect(pauses.at(-1)).toBeLessThan(500);
	});
});

function refused(code: number): CallError {
	return new ApiError(CREATE_ORDER, code, '');
}

function noAnswer(mayHaveArrived: boolean): CallError {
	return new NetworkError({ ...failureOf('other'), mayHaveArrived }, 'host', 1000);
}

function beforeSending(error: CallError): CallError {
	return Object.assign(error, { isBeforeRequest: true as const });
}

it.each<[string, CallError, DeliveryState]>([
	['an expired token', refused(-107), 'refusedForNow'],
	['an old signature', refused(-112), 'refusedForNow'],
	['a repetition', refused(-114), 'unclear'],
	['calls that are too fast', refused(-120), 'refusedForNow'],
	['a wrong value', refused(-2), 'refused'],
	['too little money', refused(-4), 'refused'],
	['a wrong signature', refused(-104), 'refusedForNow'],
	['a wrong kind of key', refused(-123), 'refused'],
	['an internal fault', refused(-109), 'unclear'],
	['a fault while opening the order', refused(-72), 'unclear'],
	['an unknown code', refused(-999), 'refused'],
	['an unknown positive code', refused(1), 'refused'],
	['a request that never arrived', noAnswer(false), 'notSent'],
	['a request that may have arrived', noAnswer(true), 'unclear'],
	['a cancellation before sending', new CancelledError(), 'notSent'],
	['a cancellation after sending', new CancelledError(true), 'unclear'],
	['an HTTP status', new HttpStatusError(502, ''), 'unclear'],
	['too many requests', new HttpStatusError(429, ''), 'unclear'],
	['an answer that cannot be read', new InvalidResponseError('is empty', ''), 'unclear'],
	['an unusable credential', new DescribedError({ message: 'x', description: '' }), 'notSent'],
	['the other kind of key pair', new WrongKeyTypeError('account'), 'notSent'],
	['a token that could not be fetched', beforeSending(new HttpStatusError(502, '')), 'notSent'],
	['a wrong key', beforeSending(new ApiError(GET_SECRET_TOKEN, -2, '')), 'notSent'],
	['a token that took too long', beforeSending(noAnswer(true)), 'notSent'],
])('after %s the purchase was (%#)', (_name, error, proof) => {
	expect(deliveryStateOf(error)).toBe(proof);
});

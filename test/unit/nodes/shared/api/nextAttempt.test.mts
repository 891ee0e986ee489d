import {
	ApiError,
	CancelledError,
	HttpStatusError,
	InvalidResponseError,
	NetworkError,
	type CallError,
	failureOf,
} from '../../../../../nodes/shared/api/errors.ts';
import { nextAttempt, type Action } from '../../../../../nodes/shared/api/call.ts';
import type { Endpoint } from '../../../../../nodes/shared/service/endpoint.ts';
import { GET_ACCOUNT_BALANCE } from '../../../../../nodes/shared/service/endpoints/account.ts';
import { GET_DPS } from '../../../../../nodes/shared/service/endpoints/extraction.ts';
import { ADD_WHITE_IP } from '../../../../../nodes/shared/service/endpoints/order.ts';
import { CREATE_ORDER } from '../../../../../nodes/shared/service/endpoints/purchase.ts';

const READ = GET_ACCOUNT_BALANCE;
const SETTING = ADD_WHITE_IP;
const QUOTA = GET_DPS;
const PURCHASE = CREATE_ORDER;

const LONG_MS = 600_000;

const code =
	(number: number) =>
	(endpoint: Endpoint): CallError =>
		new ApiError(endpoint, number, '');
const lost = () => new NetworkError(failureOf('broken'), 'host', 1000);
const silent = () => new NetworkError(failureOf('timeout'), 'host', 1000);
const refused = () => new NetworkError(failureOf('refused'), 'host', 1000);
const badCertificate = () => new NetworkError(failureOf('tls'), 'host', 1000);
const status = (number: number) => () => new HttpStatusError(number, '');
const unread = (isBroken: boolean) => () => new InvalidResponseError('is odd', '', isBroken);
const noToken = () => Object.assign(lost(), { isBeforeRequest: true as const });

interface Before {
	readonly retries?: Partial<Record<Action, number>>;
	readonly tooFastForMs?: number;
	readonly leftMs?: number;
}

function decide(failure: (endpoint: Endpoint) => CallError, endpoint: Endpoint, before: Before) {
	const { retries = {}, tooFastForMs = 0, leftMs = LONG_MS } = before;
	const counts = {
		retries: new Map(Object.entries(retries) as Array<[Action, number]>),
		tooFastForMs,
	};
	return nextAttempt(failure(endpoint), endpoint, counts, leftMs);
}

beforeAll(() => void jest.spyOn(Math, 'random').mockReturnValue(0));
afterAll(() => void jest.restoreAllMocks());

describe('another attempt', () => {
	it.each<
		[
			what: string,
			failure: (endpoint: Endpoint) => CallError,
			endpoint: Endpoint,
			action: Action,
			pauseMs: number,
			before?: Before,
		]
	>([
		['a lost connection of a read', lost, READ, 'repeat', 1000],
		['the same again, later', lost, READ, 'repeat', 2500, { retries: { repeat: 1 } }],
		['a lost connection of a setting', lost, SETTING, 'repeat', 1000],
		['silence', silent, READ, 'repeat', 1000],
		...[500, 502, 503, 504, 520, 521, 522, 523, 524].map(
			(number): [string, () => CallError, Endpoint, Action, number] => [
				String(number),
				status(number),
				READ,
				'repeat',
				1000,
			],
		),
		['429', status(429), SETTING, 'repeat', 1000],
		['an answer that was cut', unread(true), READ, 'repeat', 1000],
		['a fault of the service', code(-109), READ, 'repeat', 1000],
		['a refused connection of an extraction', refused, QUOTA, 'reconnect', 1000],
		['the same again, later', refused, QUOTA, 'reconnect', 2000, { retries: { reconnect: 1 } }],
		['a refused connection of a purchase', refused, PURCHASE, 'reconnect', 1000],
		['a token that did not come, of a purchase', noToken, PURCHASE, 'repeat', 1000],
		['a pace that was too fast', code(-120), READ, 'backOff', 0],
		['the same for long', code(-120), READ, 'backOff', 0, { retries: { backOff: 50 } }],
		['the same of a purchase', code(-120), PURCHASE, 'backOff', 0],
		['an old signature', code(-112), QUOTA, 'signAgain', 0],
		['an old signature of a purchase', code(-112), PURCHASE, 'signAgain', 0],
		['what may be a repetition of a read', code(-114), READ, 'signAgain', 0],
		['a stale token', code(-107), READ, 'authenticateAgain', 0],
		['a new order', code(-2), QUOTA, 'notYet', 13_000],
		[
			'too many callers, three retries later',
			code(-51),
			QUOTA,
			'notYet',
			13_000,
			{ retries: { signAgain: 1, authenticateAgain: 1, reconnect: 1 } },
		],
		['a whitelist that is being changed', code(-1), SETTING, 'notYet', 13_000],
	])('follows %s (%#)', (_what, failure, endpoint, action, pauseMs, before = {}) => {
		expect(decide(failure, endpoint, before)).toMatchObject({ action, pauseMs });
	});
});

describe('no other attempt', () => {
	it.each<
		[what: string, failure: (endpoint: Endpoint) => CallError, endpoint: Endpoint, before?: Before]
	>([
		['a read that failed three times', lost, READ, { retries: { repeat: 2 } }],
		['a read without time', lost, READ, { leftMs: 1400 }],
		['a certificate', badCertificate, READ],
		...[404, 501, 505, 519, 525].map((number): [string, () => CallError, Endpoint] => [
			String(number),
			status(number),
			READ,
		]),
		['an answer that is none', unread(false), READ],
		['a wrong value', code(-4), SETTING],
		['an extraction without an answer', lost, QUOTA],
		['an extraction with 503', status(503), QUOTA],
		['an extraction with a fault', code(-109), QUOTA],
		['a purchase without an answer', silent, PURCHASE],
		['a purchase with 429', status(429), PURCHASE],
		['a purchase with a fault', code(-109), PURCHASE],
		['a purchase that may be a repetition', code(-114), PURCHASE],
		['an extraction that may be a repetition', code(-114), QUOTA],
		['a purchase that was too fast three times', code(-120), PURCHASE, { retries: { backOff: 3 } }],
		['a purchase after three other retries', code(-120), PURCHASE, { retries: { reconnect: 3 } }],
		['a fourth refused connection', refused, QUOTA, { retries: { reconnect: 3 } }],
		['what is too fast for three minutes', code(-120), READ, { tooFastForMs: 180_000 }],
		['a second stale token', code(-107), READ, { retries: { authenticateAgain: 1 } }],
		['a second old signature', code(-112), READ, { retries: { signAgain: 1 } }],
		['a minute of waiting', code(-2), QUOTA, { retries: { notYet: 5 } }],
		['a cancellation', () => new CancelledError(true), READ],
		['an unknown code', code(-999), READ],
	])('follows %s (%#)', (_what, failure, endpoint, before = {}) => {
		expect(decide(failure, endpoint, before)).toBeUndefined();
	});
});

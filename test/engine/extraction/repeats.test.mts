import type { Fault, LoggedRequest } from '../../../sandbox/sandbox.mts';
import type { RunResult } from '../support/engine.mts';
import { sleep } from '../support/sleep.mts';
import { PROXIES, TestBed, type Extraction } from '../support/testBed.mts';

interface Outcome {
	result: RunResult;
	calls: readonly LoggedRequest[];
	/** Between two calls each, in milliseconds. */
	waits: number[];
	/** From the cancellation on. */
	endedAfterMs: number;
}

/** One extraction, with a sandbox of its own because a fault strikes every call of a sandbox. */
async function withFaults(faults: Fault[], extraction: Extraction = {}): Promise<Outcome> {
	const bed = await TestBed.start();
	bed.sandbox.faults.add(...faults.map((fault) => ({ path: PROXIES, ...fault })));
	const cancelled = extraction.cancelWhen?.then(() => performance.now());
	const result = await bed.extract({ num: 2, ...extraction });
	const ended = performance.now();
	const endedAfterMs = ended - ((await cancelled) ?? ended);
	// Whatever still wants to be sent after the end has time to
	if (cancelled !== undefined) await sleep(1500);
	const calls = [...bed.extractions];
	await bed.close();
	const arrivals = calls.map(({ arrival }) => arrival);
	const waits = arrivals.slice(1).map((arrival, index) => arrival - arrivals[index]);
	return { result, calls, waits, endedAfterMs };
}

const TOO_MANY_REQUESTS = 'HTTP status 429';

/** Between two calls with the key of the order that is used here. */
const SVIP_INTERVAL_MS = 200;

const TOO_FAST: ReadonlyArray<[name: string, fault: Fault]> = [
	['-21', { kind: 'code', code: -21 }],
	['-22', { kind: 'code', code: -22 }],
	['-120', { kind: 'code', code: -120 }],
	[TOO_MANY_REQUESTS, { kind: 'status', status: 429, body: 'Too Many Requests' }],
];

const waitingForTheCap: Extraction = { options: { waitForCallers: true } };

const RUNS: Readonly<Record<string, () => Promise<Outcome>>> = {
	...Object.fromEntries(
		TOO_FAST.flatMap(([name, fault]) => [
			[`${name} twice`, () => withFaults([{ ...fault, times: 2 }])],
			[`${name} always`, () => withFaults([fault])],
		]),
	),
	'Retry-After': () => withFaults([{ kind: 'status', status: 429, retryAfter: '3', times: 1 }]),
	'-51': () => withFaults([{ kind: 'code', code: -51 }]),
	'-51 once, waiting': () => withFaults([{ kind: 'code', code: -51, times: 1 }], waitingForTheCap),
	'-51 cancelled': () =>
		withFaults([{ kind: 'code', code: -51 }], {
			...waitingForTheCap,
			settings: { onError: 'continueRegularOutput' },
			cancelWhen: sleep(1000),
		}),
	'-112 once': () => withFaults([{ kind: 'code', code: -112, times: 1 }]),
	'-112 while behind': () => withFaults([{ kind: 'clockOffset', seconds: 3600 }]),
	'-112 while ahead': () => withFaults([{ kind: 'clockOffset', seconds: -(2 * 3600 + 300) }]),
	'-112 always, behind': () =>
		withFaults([
			{ kind: 'dateOffset', seconds: 3600 },
			{ kind: 'code', code: -112 },
		]),
	'-112 always, ahead': () =>
		withFaults([
			{ kind: 'dateOffset', seconds: -(2 * 3600 + 300) },
			{ kind: 'code', code: -112 },
		]),
	'-112 for no reason': () => withFaults([{ kind: 'code', code: -112 }]),
	'-114 once': () => withFaults([{ kind: 'code', code: -114, times: 1 }]),
	'-114 always': () => withFaults([{ kind: 'code', code: -114 }]),
};

function expectSuccess({ result, calls }: Outcome, callCount: number): void {
	expect(result.error).toBeUndefined();
	expect(result.status).toBe('success');
	expect(result.items).toHaveLength(2);
	expect(calls).toHaveLength(callCount);
	expectSignedAfresh(calls);
}

function expectSignedAfresh(calls: readonly LoggedRequest[]): void {
	const nonces = calls.map(({ parameters }) => parameters.nonce);
	const signatures = calls.map(({ parameters }) => parameters.signature);
	expect(new Set(nonces).size).toBe(calls.length);
	expect(new Set(signatures).size).toBe(calls.length);
}

describe('an answer that says "too fast"', () => {
	it.each(TOO_FAST)(
		'%s is waited for, and the call repeated until it works',
		async (name) => {
			const outcome = await RUNS[`${name} twice`]();
			expectSuccess(outcome, 3);
			// Longer each time, and never so short that it would be too fast again
			const first = name === TOO_MANY_REQUESTS ? 1000 : SVIP_INTERVAL_MS;
			const growth = name === TOO_MANY_REQUESTS ? 2 : 1.5;
			expect(outcome.waits[0]).toBeGreaterThanOrEqual(first);
			expect(outcome.waits[1]).toBeGreaterThanOrEqual(first * growth);
		},
		15_000,
	);
});

describe('the limit of addresses that call within a minute', () => {
	it('ends in an error at once', async () => {
		const { result, calls } = await RUNS['-51']();
		expect(result.error).toMatchObject({ httpCode: '-51' });
		expect(result.error?.message).toMatch(/different IP addresses .*within a minute/);
		expect(result.error?.description).toContain("'Wait on Caller Limit'");
		// It does not count calls, so calling more slowly would not help
		expect(calls).toHaveLength(1);
	});

	it('is waited for on request', async () => {
		const outcome = await RUNS['-51 once, waiting']();
		expectSuccess(outcome, 2);
		expect(outcome.waits[0]).toBeGreaterThan(10_000);
		expect(outcome.waits[0]).toBeLessThan(20_000);
	}, 30_000);
});

describe('a signature that is too old for the service', () => {
	it('is made again once', async () => {
		expectSuccess(await RUNS['-112 once'](), 2);
	});

	it.each([
		['behind', 3600],
		['ahead', -7500],
	])(
		'is made again by the clock of Kuaidaili when that of this machine is %s',
		async (name, seconds) => {
			const outcome = await RUNS[`-112 while ${name}`]();
			expectSuccess(outcome, 2);
			const [first, second] = outcome.calls.map(({ parameters }) => Number(parameters.timestamp));
			expect(Math.abs(second - first - seconds)).toBeLessThanOrEqual(2);
		},
	);

	it.each([
		// The service tells whole seconds only
		['behind', /is (1 hour( 1 second)?|59 minutes 5[89] seconds) behind Kuaidaili's clock\./],
		['ahead', /is 2 hours [45] minutes ahead of Kuaidaili's clock\./],
	])('is told with how far the clock is off, when it is %s', async (name, difference) => {
		const { result, calls } = await RUNS[`-112 always, ${name}`]();
		expect(result.error).toMatchObject({ httpCode: '-112' });
		expect(result.error?.description).toMatch(difference);
		expect(result.error?.description).toMatch(/correct the clock/i);
		expect(calls).toHaveLength(2);
		expectSignedAfresh(calls);
	});

	it('says nothing about a clock that is right', async () => {
		const { result, calls } = await RUNS['-112 for no reason']();
		expect(result.error).toMatchObject({ httpCode: '-112' });
		expect(result.error?.description).not.toContain('clock of Kuaidaili');
		expect(calls).toHaveLength(2);
	});
});

describe('a request that the service takes for a repetition', () => {
	it('is signed again once', async () => {
		expectSuccess(await RUNS['-114 once'](), 2);
	});

	it('ends in an error the second time', async () => {
		const { result, calls } = await RUNS['-114 always']();
		expect(result.error).toMatchObject({ httpCode: '-114' });
		expect(calls).toHaveLength(2);
		expectSignedAfresh(calls);
	});
});

import type { INode } from 'n8n-workflow';

import type { Fault, LoggedRequest } from '../../../sandbox/sandbox.mts';
import type { RunResult } from '../support/engine.mts';
import { sleep } from '../support/sleep.mts';
import { TestBed, TOKENS, type Extraction } from '../support/testBed.mts';
import { until } from '../support/until.mts';

/** Longer than any wait of the node that is cancelled here: what it still sent would have arrived. */
const AFTERWARDS_MS = 6000;

interface Outcome {
	result: RunResult;
	endedAfterMs: number;
	/** All that arrived until long after the end. */
	requests: readonly LoggedRequest[];
}

const THREE_ITEMS: Extraction = { items: [{}, {}, {}] };

/** Runs an extraction, and cancels it a moment after its first request arrived. */
async function cancelled(
	extraction: Extraction,
	faults: Fault[] = [],
	firstPath?: string,
): Promise<Outcome> {
	const bed = await TestBed.start();
	bed.sandbox.faults.add(...faults);
	let cancelledAt = NaN;
	const cancelWhen = until(() => bed.sandbox.log.count(firstPath) > 0)
		.then(async () => await sleep(200))
		.then(() => (cancelledAt = performance.now()));
	const result = await bed.extract({ ...extraction, cancelWhen });
	const endedAfterMs = performance.now() - cancelledAt;
	await sleep(AFTERWARDS_MS);
	const requests = [...bed.sandbox.log.entries()];
	await bed.close();
	return { result, endedAfterMs, requests };
}

const SETTINGS: ReadonlyArray<[name: string, settings: Partial<INode>]> = [
	['the usual settings', {}],
	['the setting "continue"', { onError: 'continueRegularOutput' }],
	['the setting "continue (using error output)"', { onError: 'continueErrorOutput' }],
	['the setting "continue" of older versions', { continueOnFail: true }],
	['Retry On Fail', { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 }],
];

const WAITS: ReadonlyArray<[name: string, extraction: Extraction, faults: Fault[]]> = [
	['waiting for the pace', { ...THREE_ITEMS, plan: 'regular' }, []],
	['waiting for an answer', THREE_ITEMS, [{ kind: 'hang' }]],
	['waiting for the rest of an answer', THREE_ITEMS, [{ kind: 'drip', ms: 400, bytes: 1 }]],
	['waiting after "too fast"', THREE_ITEMS, [{ kind: 'code', code: -22 }]],
];

const RUNS: Readonly<Record<string, () => Promise<Outcome>>> = {
	...Object.fromEntries(
		SETTINGS.flatMap(([setting, settings]) =>
			WAITS.map(([wait, extraction, faults]) => [
				`${wait} with ${setting}`,
				() => cancelled({ ...extraction, settings }, faults),
			]),
		),
	),
	'waiting for a token': () =>
		cancelled(
			{ ...THREE_ITEMS, credential: { signType: 'token' } },
			[{ kind: 'hang', path: TOKENS }],
			TOKENS,
		),
};

function expectEnd({ result, endedAfterMs, requests }: Outcome): void {
	expect(endedAfterMs).toBeLessThan(500);
	expect(requests).toHaveLength(1);
	expect(result.status).not.toBe('success');
	expect(result.errorItems).toEqual([]);
}

describe.each(WAITS)('an execution that is cancelled while it is %s', (wait) => {
	it.each(SETTINGS)(
		'ends at once and sends nothing more, with %s',
		async (setting) => {
			expectEnd(await RUNS[`${wait} with ${setting}`]());
		},
		20_000,
	);
});

it('ends at once and sends nothing more when it is cancelled while it waits for a token', async () => {
	expectEnd(await RUNS['waiting for a token']());
}, 20_000);

it('gives its place in the line to those behind it', async () => {
	const bed = await TestBed.start();
	const order = bed.newOrder('vip');
	const credentialId = bed.addCredential(order.keys);
	const extraction: Extraction = { plan: 'vip', credentialId };

	const first = bed.extract({ ...extraction, num: 1 });
	await until(() => bed.extractions.length === 1);
	const second = bed.extract({ ...extraction, num: 2, cancelWhen: sleep(100) });
	const third = bed.extract({ ...extraction, num: 3 });
	const results = await Promise.all([first, second, third]);
	const calls = [...bed.extractions];
	await bed.close();

	expect(results.map(({ status }) => status === 'success')).toEqual([true, false, true]);
	expect(calls.map(({ parameters }) => parameters.num)).toEqual(['1', '3']);
	// One interval, not two
	expect(calls[1].arrival - calls[0].arrival).toBeLessThan(1500);
});

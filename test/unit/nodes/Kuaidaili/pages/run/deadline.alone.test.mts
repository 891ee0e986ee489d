import '../../../../../virtualTime.mts';

import type { IExecuteFunctions } from 'n8n-workflow';

import { CircuitBreaker } from '../../../../../../nodes/Kuaidaili/pages/run/circuitBreaker.ts';
import { PageRun } from '../../../../../../nodes/Kuaidaili/pages/run/pageRun.ts';
import { fakeProxies, fakeSender, NO_LIMIT, pageRequest, type Reaction } from './fakePages.mts';

/**
 * Opens pages, two at a time, in an execution that has 20 seconds, of which five are left to put out what came; tells when
 * and how each ended.
 */
async function openAll(react: Reaction, count: number) {
	const end = Date.now() + 20_000;
	const { send, requests } = fakeSender(react);
	const { proxies, inUse } = fakeProxies();
	const context = {
		helpers: { httpRequest: send },
		additionalData: { executionTimeoutTimestamp: end },
		getNode: () => ({ name: 'Kuaidaili', type: 'kuaidaili', parameters: {} }),
		getContext: () => ({}),
		getExecutionId: () => '1',
		getWorkflowDataProxy: () => ({ $runIndex: 0 }),
		logger: { debug() {} },
	} as unknown as IExecuteFunctions;
	const run = new PageRun(context);
	const route = { orderKey: 'order', proxies, pace: NO_LIMIT, breaker: new CircuitBreaker() };
	const page = pageRequest({ pagesAtATime: 2, attemptTimeoutMs: 60_000 });
	const opening = Array.from({ length: count }, async () =>
		run.open(route, page, async ({ stop, outcome, attempts }) => ({
			left: Math.round((end - Date.now()) / 1000),
			stop: stop?.kind,
			outcome,
			reason: attempts.at(-1)?.reason,
		})),
	);
	return { results: await Promise.all(opening), requests, inUse };
}

it('gives an attempt the time that is left, and begins none with less than three seconds', async () => {
	const { results, requests, inUse } = await openAll(() => 'silence', 5);
	expect(requests).toHaveLength(2);
	const tried = { left: 5, stop: 'time', outcome: 'timeout', reason: 'no answer within 15 s' };
	expect(results.slice(0, 2)).toEqual([tried, tried]);
	const untried = { left: 5, stop: 'time', outcome: undefined, reason: undefined };
	expect(results.slice(2)).toEqual([untried, untried, untried]);
	expect([...inUse]).toEqual([]);
});

it('leaves no page alone for longer than that', async () => {
	const busy = { status: 429, headers: { 'retry-after': '25' } };
	const { results, requests } = await openAll(() => busy, 1);
	expect(requests).toHaveLength(1);
	expect(results).toMatchObject([{ left: 8, stop: 'time', outcome: 'blocked' }]);
});

import type { ProxyLease } from '../../../../../nodes/Kuaidaili/proxies/lease.ts';
import { reply } from '../../../support/fakeCaller.mts';
import { addresses, listReply, runOf, SITE } from './sourceRun.mts';

/* Extractions whose answer gets lost may have used proxies up that nobody gets. */

const LOST = reply('<html>', { status: 502 });

/** The address that a page gets, or the name of the error. */
async function outcomeOf(lease: Promise<ProxyLease>): Promise<string> {
	return await lease.then(
		({ proxy }) => proxy.address,
		(error: unknown) => (error instanceof Error ? error.name : String(error)),
	);
}

/** What pages that are opened one after the other get. */
async function outcomesOf(source: ReturnType<typeof runOf>['source'], pages: number) {
	const proxies = await source();
	const outcomes: string[] = [];
	for (let page = 0; page < pages; page += 1) outcomes.push(await outcomeOf(proxies.lease(SITE)));
	return outcomes;
}

it('are five at most in a row, each after a longer pause, however many pages there are', async () => {
	const times: number[] = [];
	const { source } = runOf({}, () => {
		times.push(performance.now());
		return LOST;
	});
	expect(new Set(await outcomesOf(source, 8))).toEqual(new Set(['HttpStatusError']));
	expect(times).toHaveLength(5);
	const pauses = times.slice(1).map((time, index) => time - times[index]);
	for (const [index, leastMs] of [490, 990, 1990, 3990].entries()) {
		expect(pauses[index]).toBeGreaterThan(leastMs);
	}
});

it('do not end a run in which others bring proxies', async () => {
	const { caller, source } = runOf({}, (num, call) =>
		call % 2 === 0 ? LOST : listReply(addresses(call, num)),
	);
	const expected = Array.from({ length: 12 }, (_, call) =>
		call % 2 === 0 ? 'HttpStatusError' : addresses(call, 1)[0],
	);
	expect(await outcomesOf(source, 12)).toEqual(expected);
	expect(caller.requests).toHaveLength(12);
});

it('do not hold up the end of a run', async () => {
	const { caller, source, endRun } = runOf({}, () => LOST);
	const proxies = await source();
	for (let page = 0; page < 4; page += 1) await outcomeOf(proxies.lease(SITE));
	// The next one would leave after four seconds
	const waiting = outcomeOf(proxies.lease(SITE));
	const endedAt = performance.now();
	endRun();
	expect(await waiting).toBe('CancelledError');
	expect(performance.now() - endedAt).toBeLessThan(2000);
	expect(caller.requests).toHaveLength(4);
});

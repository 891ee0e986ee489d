import { sleep } from '../engine/support/sleep.mts';
import { useTestBed, type Extraction } from '../engine/support/testBed.mts';
import { until } from '../engine/support/until.mts';

/*
 * The engine's other tests run on virtual time, which cannot show that the timers of the machine do the
 * same. What is measured here allows for a busy machine.
 */

const INTERVAL_MS = 200;
const CALLS = 20;

// What is refused as too fast is tested on virtual time: here a busy machine may deliver late what left in time
const bed = useTestBed({ rateLimits: false });

/** Loads what is loaded with a first call: it would make that call arrive late, and the next one early. */
beforeAll(async () => {
	await bed().extract();
});

/** How long the machine itself takes for so many intervals, one after the other. */
async function plainWait(): Promise<number> {
	const begin = performance.now();
	for (let interval = 1; interval < CALLS; interval += 1) await sleep(INTERVAL_MS);
	return performance.now() - begin;
}

it('calls of many executions leave one interval after the other, and hardly slower', async () => {
	const credentialId = bed().addCredential(bed().newOrder().keys);
	await bed().extract({ credentialId });
	const executions = Array.from({ length: CALLS }, () => bed().extract({ credentialId }));
	const [plain, ...runs] = await Promise.all([plainWait(), ...executions]);

	expect(runs.map(({ error }) => error)).toEqual(runs.map(() => undefined));
	const arrivals = bed().extractions.slice(-CALLS);
	const took = arrivals[CALLS - 1].arrival - arrivals[0].arrival;
	expect(took).toBeGreaterThan(INTERVAL_MS * (CALLS - 2));
	expect(took).toBeLessThan(plain * 1.2);
});

it.each<[what: string, extraction: Extraction]>([
	['the pace', { plan: 'regular', items: [{}, {}, {}] }],
	['an answer', { items: [{}, {}, {}] }],
])('a cancelled execution waits no longer for %s', async (what, extraction) => {
	if (what === 'an answer') bed().sandbox.faults.add({ kind: 'hang' });
	const requests = bed().extractions.length;
	let cancelledAt = Number.NaN;
	const cancelWhen = until(() => bed().extractions.length > requests)
		.then(async () => await sleep(200))
		.then(() => (cancelledAt = performance.now()));
	const { status } = await bed().extract({ ...extraction, cancelWhen });
	expect(performance.now() - cancelledAt).toBeLessThan(1000);
	expect(status).not.toBe('success');
	expect(bed().extractions).toHaveLength(requests + 1);
});

it('a service that does not answer is given up after the time-out', async () => {
	bed().sandbox.faults.add({ kind: 'hang' });
	const begin = performance.now();
	const { error } = await bed().extract({ options: { timeout: 1 } });
	const took = performance.now() - begin;
	expect(error?.message).toContain('did not answer within 1 second');
	expect(took).toBeGreaterThan(950);
	expect(took).toBeLessThan(3000);
});

it('silence is broken off early enough to ask once more', async () => {
	bed().sandbox.faults.add({ kind: 'hang', times: 1 });
	const begin = performance.now();
	const { error, items } = await bed().extract({ options: { timeout: 9 } });
	const took = performance.now() - begin;
	expect(error).toBeUndefined();
	expect(items).toHaveLength(1);
	expect(took).toBeGreaterThan(5900);
	expect(took).toBeLessThan(9000);
});

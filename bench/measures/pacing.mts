import { randomBytes } from 'node:crypto';
import { credentialData } from '../../harness/credentials.mts';
import type { Measure } from '../measure.mts';
import { newSvipOrder, quickSandbox } from '../quickSandbox.mts';
import { ratioOf, type Pair } from '../statistics.mts';

const CALLS = 21;
const SAMPLES = 7;
/** Of an SVIP order, as the service documents it. */
const INTERVAL_MS = 200;
/** On a busy machine the sandbox notices a call so much later than it came; the next one then seems too early. */
const NOTICED_LATE_MS = 100;

export const pacing: Measure = {
	name: 'pacing-vs-limit',
	compares: `${CALLS} calls of Proxy: Extract with one key in one execution / the time that the limit of one call per ${INTERVAL_MS} ms forces. The sandbox refuses what comes too fast; one refusal is a failure.`,
	goal: 1.06,
	async measure() {
		const { runInEngine } = await import('../engine.mts');
		const sandbox = await quickSandbox({ toleranceMs: NOTICED_LATE_MS });
		const sample = async (): Promise<Pair> => {
			const { keys } = newSvipOrder(sandbox, `pace-${randomBytes(4).toString('hex')}`);
			const { nodeMs, items } = await runInEngine({
				parameters: { resource: 'proxy', operation: 'extract', plan: 'svip', num: 1 },
				credential: credentialData(sandbox.hosts, keys, 'order'),
				oneKey: true,
				itemCount: CALLS,
			});
			if (items.length !== CALLS) throw new Error(`${items.length} items came out`);
			const forced = (CALLS - 1) * INTERVAL_MS;
			if (nodeMs < forced) throw new Error('The calls were sooner than the limit allows');
			return { ours: nodeMs, other: forced };
		};
		await sample();
		const pairs: Pair[] = [];
		for (let taken = 0; taken < SAMPLES; taken++) pairs.push(await sample());
		const refusals = sandbox.log.refusals().length;
		if (refusals > 0) throw new Error(`The sandbox refused ${refusals} calls as too fast`);
		return { ...ratioOf(pairs), callsPerSample: CALLS, refusals };
	},
};

import { randomBytes } from 'node:crypto';
import { credentialData } from '../../harness/credentials.mts';
import { newOpenProxyOrder, type Sandbox } from '../../sandbox/sandbox.mts';
import type { Measure } from '../measure.mts';
import { quickSandbox } from '../quickSandbox.mts';
import { ratioOf, type Pair } from '../statistics.mts';

const JITTER_MS = 20;

/** Calls with one key in one execution, and the limit that they have to keep. */
interface Pace {
	readonly plan: 'vip' | 'svip';
	readonly calls: number;
	readonly samples: number;
	/** As the service documents it for an order of the plan. */
	readonly intervalMs: number;
}

/** The limit of nearly every endpoint that changes or lists something. */
const ONCE_PER_SECOND: Pace = { plan: 'vip', calls: 21, samples: 3, intervalMs: 1_000 };
/** Five percent of this are less than the jitter. */
const FIVE_PER_SECOND: Pace = { plan: 'svip', calls: 21, samples: 7, intervalMs: 200 };

async function samplesOf({ store, hosts, keys, clock }: Sandbox, pace: Pace): Promise<Pair[]> {
	const { runInEngine } = await import('../engine.mts');
	const { plan, calls, samples, intervalMs } = pace;
	const forced = (calls - 1) * intervalMs;
	const pairs: Pair[] = [];
	while (pairs.length < samples) {
		const order = store.addOrder(
			newOpenProxyOrder(
				`pace-${randomBytes(4).toString('hex')}`,
				store.account(keys.account.secretId),
				clock.now(),
				{ plan: plan === 'vip' ? 'VIP' : 'SVIP' },
			),
		);
		const { nodeMs, items } = await runInEngine({
			parameters: { resource: 'proxy', operation: 'extract', product: 'OPS', plan, num: 1 },
			credential: credentialData(hosts, order.keys, 'order'),
			oneKey: true,
			itemCount: calls,
		});
		if (items.length !== calls) throw new Error(`${items.length} items came out`);
		if (nodeMs < forced) throw new Error('The calls were sooner than the limit allows');
		pairs.push({ ours: nodeMs, other: forced });
	}
	return pairs;
}

export const pacing: Measure = {
	name: 'pacing-vs-limit',
	compares: `${ONCE_PER_SECOND.calls} calls of Proxy: Extract with one key in one execution / the time that the limit of one call per second forces. The sandbox judges arrivals as if the network had held up each by up to ${JITTER_MS} ms, and one rejected call is a failure. Beside it, the same at five calls per second.`,
	goal: 1.06,
	async measure() {
		const sandbox = await quickSandbox({ rateLimitJitterMs: JITTER_MS });
		const pairs = await samplesOf(sandbox, ONCE_PER_SECOND);
		const rejected = sandbox.log.refusals().length;
		if (rejected > 0) throw new Error(`The sandbox rejected ${rejected} calls as too fast`);
		const calls = sandbox.log.count();

		const faster = ratioOf(await samplesOf(sandbox, FIVE_PER_SECOND));
		return {
			...ratioOf(pairs),
			calls,
			rejected,
			fivePerSecond: {
				ratio: faster.ratio,
				calls: sandbox.log.count() - calls,
				rejected: sandbox.log.refusals().length,
			},
		};
	},
};

import {
	lessHelper,
	rawCall,
	requestHelperOnly,
	shares,
	takeRounds,
	type ToItems,
} from '../besideHelper.mts';
import type { EngineNode } from '../engine.mts';
import type { Measure } from '../measure.mts';
import { timeOf } from '../pairs.mts';
import { quickSandbox } from '../quickSandbox.mts';
import { record } from '../recorded.mts';
import { ratioOf } from '../statistics.mts';

const CALLS = 100;

const toItems: ToItems = (answer, item) => [{ json: Object(answer), pairedItem: { item } }];

export const callOverhead: Measure = {
	name: 'call-overhead-vs-raw',
	compares: `Account: Get Balance, ${CALLS} items in one execution, less what n8n's own request helper needs beyond fetch for them / as many times fetch and JSON.parse. The same signed call with the same answer.`,
	goal: 1.5,
	async measure() {
		const { runInEngine } = await import('../engine.mts');
		const sandbox = await quickSandbox(false);
		const { url, credential } = await record(sandbox, {
			host: sandbox.hosts.baseUrl,
			path: '/api/getaccountbalance',
			keyType: 'account',
			keys: sandbox.keys.account,
		});
		const raw = async () => {
			for (let call = 0; call < CALLS; call++) await rawCall(url, toItems, call);
		};
		const run = async (execute?: EngineNode['execute']) => {
			const { nodeMs, items } = await runInEngine({
				parameters: { resource: 'account', operation: 'getBalance' },
				credential,
				itemCount: CALLS,
				execute,
			});
			if (items.length !== CALLS) throw new Error(`${items.length} items came out`);
			return nodeMs;
		};
		const helperOnly = requestHelperOnly(url, toItems);

		const rounds = await takeRounds({
			node: async () => await run(),
			helper: async () => await run(helperOnly),
			raw: async () => await timeOf(raw),
			rounds: 31,
			warmUps: 10,
		});
		return { ...ratioOf(lessHelper(rounds)), callsPerSample: CALLS, ...shares(rounds) };
	},
};

import { MANUAL_TRIGGER } from '../../harness/realN8n/workflows.mts';
import {
	durationOf,
	extractStep,
	inARow,
	openBenchN8n,
	requireItems,
	workflowOf,
	type Link,
	type Step,
} from '../inN8n.mts';
import type { Measure } from '../measure.mts';
import { takePairs, type Sample } from '../pairs.mts';
import { newSvipOrder, quickSandbox } from '../quickSandbox.mts';
import { ratioOf } from '../statistics.mts';

const ITEMS = 1_000;
/** Of an SVIP order, as the service documents it. */
const INTERVAL_MS = 200;

interface Way {
	readonly name: string;
	readonly steps: readonly Step[];
	readonly links?: readonly Link[];
}

const forEachInput: Way = {
	name: 'For each input',
	steps: [extractStep({ plan: 'svip', output: 'forEachInput' })],
};

function mergeByPosition(): Way {
	const steps: Step[] = [
		{ ...extractStep({ plan: 'svip', num: ITEMS }), executeOnce: true },
		{
			name: 'Merge',
			type: 'n8n-nodes-base.merge',
			typeVersion: 3,
			parameters: { mode: 'combine', combineBy: 'combineByPosition', options: {} },
		},
	];
	return {
		name: 'Merge by position',
		steps,
		links: [...inARow(steps.slice(0, 1)), [MANUAL_TRIGGER, 'Merge', 0], ['Kuaidaili', 'Merge', 1]],
	};
}

export const attach: Measure = {
	name: 'attach-1000',
	compares: `In a real n8n, 'One Proxy for Each Input Item' for ${ITEMS.toLocaleString('en-US')} input items with open proxies of an SVIP order / the time that the limit of one call per ${INTERVAL_MS} ms forces on one call for each item. Beside it, against as many proxies in one call and a Merge node by position.`,
	goal: 0.05,
	async measure(say) {
		const sandbox = await quickSandbox({ rateLimits: false });
		const order = newSvipOrder(sandbox, 'bench-attach');
		const n8n = await openBenchN8n(sandbox, 'order', order.keys, say);
		const sampler = async ({ name, steps, links }: Way): Promise<Sample> => {
			const id = await n8n.createWorkflow(workflowOf(name, steps, { links, itemCount: ITEMS }));
			return async () => {
				const run = await n8n.runWorkflow(id, MANUAL_TRIGGER);
				requireItems(run, steps, ITEMS);
				return durationOf(run, steps);
			};
		};
		const pairs = await takePairs({
			ours: await sampler(forEachInput),
			other: await sampler(mergeByPosition()),
			pairs: 11,
			warmUps: 2,
		});
		const forced = (ITEMS - 1) * INTERVAL_MS;
		const { ratio: toMerge } = ratioOf(pairs);
		return { ...ratioOf(pairs.map(({ ours }) => ({ ours, other: forced }))), toMerge };
	},
};

import type { IExecuteFunctions } from 'n8n-workflow';

import { isTool, runIndexOf } from '../../../nodeRun';
import type { Extracted } from './extractProxies';
import { RunQuota } from './runQuota';

/** What a run of the node used up; it lives on while n8n repeats the run for 'Retry On Fail'. */
export class RunMemory {
	readonly quota = new RunQuota();

	private readonly extracted = new Map<string, Extracted>();

	/** @param key the item, and everything that decides about what is extracted for it */
	async once(key: string, extract: () => Promise<Extracted>): Promise<Extracted> {
		const known = this.extracted.get(key);
		if (known !== undefined) return known;
		const extracted = await extract();
		this.extracted.set(key, extracted);
		return extracted;
	}
}

interface LastRun {
	readonly runIndex: string;
	readonly memory: RunMemory;
}

/** By n8n's data of the node in an execution. Not in that data: n8n saves it, and logins don't belong there. */
const lastRuns = new WeakMap<object, LastRun>();

/** The memory of this run, or of the one that n8n repeats with it. */
export function runMemoryOf(context: IExecuteFunctions): RunMemory {
	// n8n numbers the calls of a tool anew for each agent, so two of them may look the same
	if (isTool(context)) return new RunMemory();
	const execution: object = context.getContext('node');
	const runIndex = runIndexOf(context);
	const last = lastRuns.get(execution);
	if (last?.runIndex === runIndex) return last.memory;
	const memory = new RunMemory();
	lastRuns.set(execution, { runIndex, memory });
	return memory;
}

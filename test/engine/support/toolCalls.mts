import { NodeConnectionTypes } from '../../../harness/engine/n8n.mts';
import type { Calls } from './otherNodes.mts';

/** Agents that call the node as their tool at the same moment, with arguments of their own. */
export function callsOfAgents(
	calls: ReadonlyArray<Readonly<Record<string, unknown>>>,
	outputs: string[],
): Calls {
	return async (context) => {
		await Promise.all(
			calls.map(async (args) => {
				const tools: unknown = await context.getInputConnectionData(NodeConnectionTypes.AiTool, 0);
				const [tool] = tools as Array<{ invoke(input: object): Promise<unknown> }>;
				const said: unknown = await tool.invoke(args).catch((error: unknown) => String(error));
				outputs.push(typeof said === 'string' ? said : JSON.stringify(said));
			}),
		);
	};
}

/**
 * An agent that calls the node as its tool, so many times.
 *
 * @param outputs gets what the model would read, a failure included
 */
export function toolCalls(count: number, outputs: string[], how: 'atOnce' | 'oneByOne'): Calls {
	return async (context) => {
		const call = async () => {
			const tools: unknown = await context.getInputConnectionData(NodeConnectionTypes.AiTool, 0);
			const [tool] = tools as Array<{ invoke(input: object): Promise<unknown> }>;
			const said: unknown = await tool.invoke({}).catch((error: unknown) => String(error));
			outputs.push(typeof said === 'string' ? said : JSON.stringify(said));
		};
		const all = Array.from({ length: count }, () => call);
		if (how === 'atOnce') await Promise.all(all.map(async (each) => await each()));
		else for (const each of all) await each();
	};
}

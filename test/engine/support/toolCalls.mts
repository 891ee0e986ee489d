import { NodeConnectionTypes } from '../../../harness/engine/n8n.mts';
import type { Calls } from './otherNodes.mts';

interface Tool {
	invoke(input: object): Promise<unknown>;
}

async function toolFor(context: Parameters<Calls>[0]): Promise<Tool> {
	const tools: unknown = await context.getInputConnectionData(NodeConnectionTypes.AiTool, 0);
	const [tool] = tools as Tool[];
	return tool;
}

/** @param outputs gets what the model would read, a failure included */
async function invoke(tool: Tool, args: object, outputs: string[]): Promise<void> {
	const said: unknown = await tool.invoke(args).catch((error: unknown) => String(error));
	outputs.push(typeof said === 'string' ? said : JSON.stringify(said));
}

/** Agents that call the node as their tool at the same moment, with arguments of their own. */
export function callsOfAgents(calls: readonly object[], outputs: string[]): Calls {
	return async (context) => {
		await Promise.all(
			calls.map(async (args) => await invoke(await toolFor(context), args, outputs)),
		);
	};
}

/** An agent whose model calls the node several times in one answer, with arguments of its own each time. */
export function callsOfOneAnswer(calls: readonly object[], outputs: string[]): Calls {
	return async (context) => {
		const tool = await toolFor(context);
		await Promise.all(calls.map(async (args) => await invoke(tool, args, outputs)));
	};
}

/** An agent that calls the node as its tool, so many times. */
export function toolCalls(count: number, outputs: string[], how: 'atOnce' | 'oneByOne'): Calls {
	return async (context) => {
		const call = async () => await invoke(await toolFor(context), {}, outputs);
		const all = Array.from({ length: count }, () => call);
		if (how === 'atOnce') await Promise.all(all.map(async (each) => await each()));
		else for (const each of all) await each();
	};
}

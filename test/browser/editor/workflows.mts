import { useCredential } from '../../../harness/credentials.mts';
import type { RestClient } from '../../../harness/realN8n/index.mts';

export type NodeParameters = Readonly<Record<string, unknown>>;

export interface NewNode {
	readonly name: string;
	/** 'kuaidaili' or 'kuaidailiTrigger'. */
	readonly type: string;
	readonly parameters: NodeParameters;
	readonly credential: { readonly id: string; readonly name: string };
}

const NODES_PER_ROW = 12;

/**
 * A workflow with these nodes, each connected to the next one.
 *
 * @returns its id
 */
export async function createChain(
	n8n: RestClient,
	name: string,
	nodes: readonly NewNode[],
): Promise<string> {
	const links = nodes
		.slice(1)
		.map((node, index): [string, unknown] => [
			nodes[index].name,
			{ main: [[{ node: node.name, type: 'main', index: 0 }]] },
		]);
	return await n8n.createWorkflow({
		name,
		nodes: nodes.map(({ credential, type, ...node }, index) => ({
			...node,
			id: `node-${index}`,
			type: `n8n-nodes-kuaidaili.${type}`,
			typeVersion: 1,
			position: [(index % NODES_PER_ROW) * 220, Math.floor(index / NODES_PER_ROW) * 200],
			credentials: useCredential(credential),
		})),
		connections: Object.fromEntries(links),
		settings: { executionOrder: 'v1' },
	});
}

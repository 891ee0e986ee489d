/** The name that n8n gives to the trigger behind 'Execute workflow'. */
export const MANUAL_TRIGGER = 'When clicking ‘Execute workflow’';

interface ManualWorkflow {
	readonly name: string;
	/** Behind the trigger. */
	readonly nodes: readonly object[];
	/** Those of the trigger among them, under the name of each node. */
	readonly connections: Readonly<Record<string, unknown>>;
	/** How many items the trigger gives, numbered as `n`; one empty item if not given. */
	readonly itemCount?: number;
}

/** A workflow that starts with 'Execute workflow', as n8n saves it. */
export function manualWorkflow({ name, nodes, connections, itemCount }: ManualWorkflow) {
	const items = Array.from({ length: itemCount ?? 0 }, (_none, n) => ({ json: { n } }));
	return {
		name,
		nodes: [
			{
				id: 'trigger',
				name: MANUAL_TRIGGER,
				type: 'n8n-nodes-base.manualTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters: {},
			},
			...nodes,
		],
		connections,
		settings: { executionOrder: 'v1' },
		...(itemCount === undefined ? {} : { pinData: { [MANUAL_TRIGGER]: items } }),
	};
}

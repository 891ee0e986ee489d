import type { INode } from 'n8n-workflow';

/** The node in a workflow, as far as errors name it. */
export const node: INode = {
	id: '1',
	name: 'Kuaidaili',
	type: 'kuaidaili',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

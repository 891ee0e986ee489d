import { setTimeout as sleep } from 'node:timers/promises';
import { useCredential } from '../credentials.mts';
import type { FinishedRun } from './finishedRun.mts';
import type { OpenN8n } from './openN8n.mts';
import type { RestClient } from './restClient.mts';

/** The name that n8n gives to the trigger behind 'Execute workflow'. */
export const MANUAL_TRIGGER = 'When clicking ‘Execute workflow’';
export const KUAIDAILI = 'Kuaidaili';
export const WEBHOOK = 'Webhook';

type Values = Readonly<Record<string, unknown>>;

export interface NewNode {
	readonly name: string;
	readonly type: string;
	readonly typeVersion: number;
	readonly parameters?: Values;
	readonly credentials?: Values;
	readonly webhookId?: string;
	readonly onError?: 'continueRegularOutput' | undefined;
}

/** The node of this package. */
export function kuaidaili(
	parameters: Values,
	credential: { readonly id: string; readonly name: string },
): NewNode {
	return {
		name: KUAIDAILI,
		type: 'n8n-nodes-kuaidaili.kuaidaili',
		typeVersion: 1,
		parameters,
		credentials: useCredential(credential),
	};
}

/** A node that puts its items into a data table, each field into the column of its name. */
export function insertRows(table: string): NewNode {
	return {
		name: 'Data table',
		type: 'n8n-nodes-base.dataTable',
		typeVersion: 1.1,
		parameters: {
			resource: 'row',
			operation: 'insert',
			dataTableId: { __rl: true, mode: 'name', value: table },
			columns: { mappingMode: 'autoMapInputData', value: {}, matchingColumns: [], schema: [] },
			options: {},
		},
	};
}

const NODES_PER_ROW = 12;

/** A workflow as n8n saves it. Without connections, its nodes are connected one behind the other. */
export function workflowOf(name: string, nodes: readonly NewNode[], connections?: Values) {
	const links = nodes
		.slice(1)
		.map((node, index): [string, unknown] => [
			nodes[index].name,
			{ main: [[{ node: node.name, type: 'main', index: 0 }]] },
		]);
	return {
		name,
		nodes: nodes.map((node, index) => ({
			id: `node-${index}`,
			position: [(index % NODES_PER_ROW) * 220, Math.floor(index / NODES_PER_ROW) * 200],
			parameters: {},
			...node,
		})),
		connections: connections ?? Object.fromEntries(links),
		settings: { executionOrder: 'v1' },
	};
}

/** One that starts with 'Execute workflow', which gives these items. */
export function manualWorkflow(
	name: string,
	nodes: readonly NewNode[],
	{ items, connections }: { items?: readonly Values[]; connections?: Values } = {},
) {
	const trigger = {
		name: MANUAL_TRIGGER,
		type: 'n8n-nodes-base.manualTrigger',
		typeVersion: 1,
	};
	const pinned = items?.map((json) => ({ json }));
	return {
		...workflowOf(name, [trigger, ...nodes], connections),
		...(pinned && { pinData: { [MANUAL_TRIGGER]: pinned } }),
	};
}

/** So many items, numbered as `n`. */
export function numbered(count: number): Array<{ n: number }> {
	return Array.from({ length: count }, (_none, n) => ({ n }));
}

export interface TrialRun {
	/** How many items the node gets; one if not given. */
	readonly itemCount?: number;
	/** Stops the run when it resolves. */
	readonly stopWhen?: Promise<unknown>;
}

/**
 * A workflow of its own for one node, after a manual trigger.
 *
 * @returns the id of the workflow
 */
export async function createTrial(n8n: RestClient, node: NewNode, itemCount = 1): Promise<string> {
	const items = numbered(itemCount);
	return await n8n.createWorkflow(manualWorkflow(`Trial: ${node.name}`, [node], { items }));
}

/** Runs one node after a manual trigger, in a workflow of its own. */
export async function runTrial(
	n8n: RestClient,
	node: NewNode,
	{ itemCount, stopWhen }: TrialRun = {},
): Promise<FinishedRun> {
	return await n8n.runWorkflow(await createTrial(n8n, node, itemCount), MANUAL_TRIGGER, stopWhen);
}

/** A workflow that is switched on: each call of its address is one execution. */
export interface Webhook {
	readonly workflowId: string;
	/** @param body what the nodes read as `$json.body` */
	call(body: Values): Promise<WebhookAnswer>;
}

/** What the last node put out, or how n8n says that the run failed. */
export interface WebhookAnswer {
	readonly status: number;
	readonly text: string;
}

const ANSWER_LIMIT_MS = 180_000;
const REGISTERED_LIMIT_MS = 20_000;
const ASK_EVERY_MS = 250;

/** Makes a workflow that a call starts, as by another system; what its last node puts out is the answer. */
export async function serveWebhook(
	{ n8n, server }: Pick<OpenN8n, 'n8n' | 'server'>,
	name: string,
	nodes: readonly NewNode[],
): Promise<Webhook> {
	const path = name.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase();
	const webhook = {
		name: WEBHOOK,
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		webhookId: path,
		parameters: {
			httpMethod: 'POST',
			path,
			responseMode: 'lastNode',
			responseData: 'allEntries',
		},
	};
	const workflowId = await n8n.createWorkflow(workflowOf(name, [webhook, ...nodes]));
	await n8n.activate(workflowId);
	const url = `${server.url}/webhook/${path}`;
	return { workflowId, call: async (body) => await callWebhook(url, body) };
}

async function callWebhook(url: string, body: Values): Promise<WebhookAnswer> {
	const registeredUntil = Date.now() + REGISTERED_LIMIT_MS;
	for (;;) {
		const answer = await fetch(url, {
			method: 'POST',
			headers: { 'content-type': 'application/json', connection: 'close' },
			body: JSON.stringify(body),
			signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
		});
		const text = await answer.text();
		// n8n registers the address after it has said that the workflow is switched on
		if (answer.status !== 404 || Date.now() >= registeredUntil) {
			return { status: answer.status, text };
		}
		await sleep(ASK_EVERY_MS);
	}
}

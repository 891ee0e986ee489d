import { setTimeout as sleep } from 'node:timers/promises';
import { useCredential } from '../../harness/credentials.mts';
import { isRecord } from '../../harness/outsideData.mts';
import type { QueueSession } from './session.mts';

const ANSWER_LIMIT_MS = 180_000;
const REGISTERED_LIMIT_MS = 20_000;
const ASK_EVERY_MS = 250;

export const WEBHOOK_NODE = 'Webhook';
export const KUAIDAILI_NODE = 'Kuaidaili';
const WAIT_NODE = 'Wait';
const ITEMS_NODE = 'Items';

/**
 * n8n's main never answers the caller of a run that a worker ends before the main has noted that it is in
 * the queue: seen in n8n 2.41.1 with runs of 40 ms while the main was busy.
 */
const SHORTEST_RUN_S = 0.5;

/** What came back from a call. */
export interface WebhookAnswer {
	readonly status: number;
	/** What the last node put out; empty when the run failed. */
	readonly items: readonly unknown[];
}

/** A workflow that is switched on: each call of its address is one execution. */
export interface Webhook {
	readonly workflowId: string;
	/** @param body what the node reads as `$json.body` */
	call(body?: Readonly<Record<string, unknown>>): Promise<WebhookAnswer>;
}

/** How a workflow differs from one that buys for a single item and fails with it. */
interface Differences {
	/** Whether the node gets one item for each of `orders` in the body of the call. */
	readonly hasItems?: boolean;
	readonly onError?: 'continueRegularOutput';
}

/**
 * Makes a workflow of a webhook, a short wait, and the Kuaidaili node, which answers with what the node puts out. It
 * is saved, as n8n demands of one whose nodes keep records.
 */
export async function serveWebhook(
	{ n8n, server }: QueueSession,
	name: string,
	parameters: Readonly<Record<string, unknown>>,
	credential: { readonly id: string; readonly name: string },
	{ hasItems = false, onError }: Differences = {},
): Promise<Webhook> {
	const path = name.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase();
	const workflowId = await n8n.createWorkflow({
		name,
		nodes: [
			{
				id: 'webhook',
				name: WEBHOOK_NODE,
				type: 'n8n-nodes-base.webhook',
				typeVersion: 2,
				position: [0, 0],
				webhookId: path,
				parameters: {
					httpMethod: 'POST',
					path,
					responseMode: 'lastNode',
					responseData: 'allEntries',
				},
			},
			{
				id: 'wait',
				name: WAIT_NODE,
				type: 'n8n-nodes-base.wait',
				typeVersion: 1.1,
				position: [165, 0],
				webhookId: `${path}-wait`,
				parameters: { resume: 'timeInterval', amount: SHORTEST_RUN_S, unit: 'seconds' },
			},
			{
				id: 'items',
				name: ITEMS_NODE,
				type: 'n8n-nodes-base.splitOut',
				typeVersion: 1,
				position: [330, 0],
				parameters: { fieldToSplitOut: 'body.orders', options: {} },
			},
			{
				id: 'kuaidaili',
				name: KUAIDAILI_NODE,
				type: 'n8n-nodes-kuaidaili.kuaidaili',
				typeVersion: 1,
				position: [495, 0],
				parameters,
				...(onError && { onError }),
				credentials: useCredential(credential),
			},
		],
		connections: {
			[WEBHOOK_NODE]: { main: [[{ node: WAIT_NODE, type: 'main', index: 0 }]] },
			[WAIT_NODE]: {
				main: [[{ node: hasItems ? ITEMS_NODE : KUAIDAILI_NODE, type: 'main', index: 0 }]],
			},
			[ITEMS_NODE]: { main: [[{ node: KUAIDAILI_NODE, type: 'main', index: 0 }]] },
		},
		settings: { executionOrder: 'v1' },
	});
	await n8n.activate(workflowId);
	const url = `${server.url}/webhook/${path}`;
	return { workflowId, call: async (body = {}) => await callWebhook(url, body) };
}

async function callWebhook(
	url: string,
	body: Readonly<Record<string, unknown>>,
): Promise<WebhookAnswer> {
	const registeredUntil = Date.now() + REGISTERED_LIMIT_MS;
	for (;;) {
		const answer = await fetch(url, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
			signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
		});
		const text = await answer.text();
		// n8n registers the address after it has said that the workflow is switched on
		if (answer.status === 404 && Date.now() < registeredUntil) {
			await sleep(ASK_EVERY_MS);
			continue;
		}
		return { status: answer.status, items: answer.ok ? itemsIn(text) : [] };
	}
}

function itemsIn(text: string): readonly unknown[] {
	const content: unknown = JSON.parse(text);
	if (Array.isArray(content)) return content;
	return isRecord(content) ? [content] : [];
}

import { isRecord } from '../../harness/outsideData.mts';
import { kuaidaili, serveWebhook } from '../../harness/realN8n/workflows.mts';
import type { QueueSession } from './session.mts';

/**
 * n8n's main never answers the caller of a run that a worker ends before the main has noted that it is in
 * the queue: seen in n8n 2.41.1 with runs of 40 ms while the main was busy.
 */
const SHORTEST_RUN_S = 0.5;

/** What came back from a call. */
export interface RunAnswer {
	readonly status: number;
	/** What the last node put out; empty when the run failed. */
	readonly items: readonly unknown[];
}

/** A workflow that is switched on: each call of its address is one execution. */
export interface Served {
	readonly workflowId: string;
	/** @param body what the node reads as `$json.body` */
	call(body?: Readonly<Record<string, unknown>>): Promise<RunAnswer>;
}

/**
 * Makes a workflow of a webhook, a short wait, and the Kuaidaili node, which answers with what the node puts out. It
 * is saved, as n8n demands of one whose nodes keep records.
 *
 * @param hasItems whether the node gets one item for each of `orders` in the body of the call
 */
export async function serve(
	session: QueueSession,
	name: string,
	parameters: Readonly<Record<string, unknown>>,
	credential: { readonly id: string; readonly name: string },
	hasItems = false,
): Promise<Served> {
	const wait = {
		name: 'Wait',
		type: 'n8n-nodes-base.wait',
		typeVersion: 1.1,
		webhookId: `${name.replaceAll(/\W+/g, '-')}-wait`,
		parameters: { resume: 'timeInterval', amount: SHORTEST_RUN_S, unit: 'seconds' },
	};
	const items = {
		name: 'Items',
		type: 'n8n-nodes-base.splitOut',
		typeVersion: 1,
		parameters: { fieldToSplitOut: 'body.orders', options: {} },
	};
	const nodes = [wait, ...(hasItems ? [items] : []), kuaidaili(parameters, credential)];
	const { workflowId, call } = await serveWebhook(session, name, nodes);
	return {
		workflowId,
		async call(body = {}) {
			const { status, text } = await call(body);
			return { status, items: status === 200 ? itemsIn(text) : [] };
		},
	};
}

function itemsIn(text: string): readonly unknown[] {
	const content: unknown = JSON.parse(text);
	if (Array.isArray(content)) return content;
	return isRecord(content) ? [content] : [];
}

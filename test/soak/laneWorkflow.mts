import { setTimeout as sleep } from 'node:timers/promises';
import { useCredential } from '../../harness/credentials.mts';
import { at, excerpt, isRecord } from '../../harness/outsideData.mts';
import type { OpenN8n } from '../../harness/realN8n/index.mts';

const ANSWER_LIMIT_MS = 120_000;
const REGISTERED_LIMIT_MS = 20_000;
const ASK_EVERY_MS = 250;

/** Starts the workflow once with these items. @returns what the Kuaidaili node put out */
export type StartWorkflow = (items: readonly unknown[]) => Promise<Array<Record<string, unknown>>>;

/**
 * Makes a workflow that is switched on and started by a call, as by another system: the items of the
 * call go through the Kuaidaili node, and its output is the answer.
 */
export async function serveWorkflow(
	{ n8n, server }: Pick<OpenN8n, 'n8n' | 'server'>,
	name: string,
	parameters: Readonly<Record<string, unknown>>,
	credential: { readonly id: string; readonly name: string },
): Promise<StartWorkflow> {
	const path = `soak-${name.replaceAll(/\W+/g, '-').toLowerCase()}`;
	const node = (id: string, type: string, typeVersion: number, more: Record<string, unknown>) => ({
		id,
		name: id,
		type,
		typeVersion,
		position: [0, 0],
		...more,
	});
	const to = (target: string) => ({ main: [[{ node: target, type: 'main', index: 0 }]] });
	const id = await n8n.createWorkflow({
		name: `Soak: ${name}`,
		nodes: [
			node('Webhook', 'n8n-nodes-base.webhook', 2, {
				webhookId: path,
				parameters: {
					httpMethod: 'POST',
					path,
					responseMode: 'lastNode',
					responseData: 'allEntries',
				},
			}),
			node('Split Out', 'n8n-nodes-base.splitOut', 1, {
				parameters: { fieldToSplitOut: 'body.items', options: { destinationFieldName: 'item' } },
			}),
			node('Kuaidaili', 'n8n-nodes-kuaidaili.kuaidaili', 1, {
				parameters,
				credentials: useCredential(credential),
			}),
		],
		connections: { Webhook: to('Split Out'), 'Split Out': to('Kuaidaili') },
		settings: { executionOrder: 'v1' },
	});
	await n8n.activate(id);
	const url = `${server.url}/webhook/${path}`;
	return async (items) => await start(url, items);
}

async function start(
	url: string,
	items: readonly unknown[],
): Promise<Array<Record<string, unknown>>> {
	const registeredUntil = Date.now() + REGISTERED_LIMIT_MS;
	for (;;) {
		const answer = await fetch(url, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ items }),
			signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
		});
		// n8n registers the address after it has said that the workflow is switched on
		if (answer.status === 404 && Date.now() < registeredUntil) {
			await answer.body?.cancel();
			await sleep(ASK_EVERY_MS);
			continue;
		}
		if (answer.ok) return records(await answer.json());
		throw new Error(`the run failed: ${answer.status} ${excerpt(await answer.text())}`);
	}
}

function records(content: unknown): Array<Record<string, unknown>> {
	const list: unknown[] = Array.isArray(content) ? content : [content];
	return list.map((entry) => {
		if (!isRecord(entry)) throw new Error(`the output is ${excerpt(content)}`);
		const error = at(entry, 'error');
		if (error !== undefined) throw new Error(`an item failed: ${excerpt(error)}`);
		return entry;
	});
}

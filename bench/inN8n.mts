import { randomBytes } from 'node:crypto';
import { credentialData } from '../harness/credentials.mts';
import { at } from '../harness/outsideData.mts';
import {
	itemsOf,
	openN8n,
	sessionFolder,
	type FinishedRun,
	type RestClient,
} from '../harness/realN8n/index.mts';
import type { NewNode } from '../harness/realN8n/workflows.mts';
import type { KeyPair, Sandbox } from '../sandbox/sandbox.mts';

const CREDENTIAL = { id: 'kdlBenchKey', name: 'Bench' };

/** The node under measurement, with the key pair that n8n was opened with. */
export function kuaidailiStep(
	name: string,
	parameters: Readonly<Record<string, unknown>>,
): NewNode {
	return {
		name,
		type: 'n8n-nodes-kuaidaili.kuaidaili',
		typeVersion: 1,
		parameters,
		credentials: { kuaidailiApi: CREDENTIAL },
	};
}

/** By n8n's own record, in milliseconds. */
export function durationOf({ saved }: FinishedRun, { name }: NewNode): number {
	return Number(at(saved, 'data', 'resultData', 'runData', name, 0, 'executionTime'));
}

/** @throws Error if the run failed, or the node gave another number of items */
export function requireItems(run: FinishedRun, { name }: NewNode, count: number): void {
	const items = itemsOf(run, name).length;
	if (items !== count) throw new Error(`'${name}' gave ${items} items, not ${count}`);
}

/** A real n8n with the package and that key pair in it. */
export async function openBenchN8n(
	{ hosts }: Sandbox,
	keyType: 'account' | 'order',
	keys: KeyPair,
	say: (line: string) => void,
): Promise<RestClient> {
	const { n8n } = await openN8n({
		userFolder: sessionFolder(`bench-${randomBytes(4).toString('hex')}`),
		logLevel: 'info',
		credentials: [
			{
				...CREDENTIAL,
				type: 'kuaidailiApi',
				data: credentialData(hosts, keys, keyType),
			},
		],
		say,
	});
	return n8n;
}

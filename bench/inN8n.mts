import { randomBytes } from 'node:crypto';
import { credentialData } from '../harness/credentials.mts';
import { at, readList } from '../harness/outsideData.mts';
import {
	openN8n,
	sessionFolder,
	type FinishedRun,
	type RestClient,
} from '../harness/realN8n/index.mts';
import {
	MANUAL_TRIGGER,
	manualWorkflow,
	numbered,
	type NewNode,
} from '../harness/realN8n/workflows.mts';
import type { KeyPair, Sandbox } from '../sandbox/sandbox.mts';

const CREDENTIAL = { id: 'kdlBenchKey', name: 'Bench' };

/** A node of a workflow that is measured. */
export interface Step extends NewNode {
	readonly executeOnce?: true;
	readonly onError?: 'continueErrorOutput';
}

/** The node under measurement, with the key pair that n8n was opened with. */
export function kuaidailiStep(name: string, parameters: Readonly<Record<string, unknown>>): Step {
	return {
		name,
		type: 'n8n-nodes-kuaidaili.kuaidaili',
		typeVersion: 1,
		parameters,
		credentials: { kuaidailiApi: CREDENTIAL },
	};
}

/** From an output of one node to an input of another. */
export type Link = readonly [from: string, to: string, input?: number, output?: number];

/** One node after the other, behind the trigger. */
export function inARow(steps: readonly Step[]): Link[] {
	const names = [MANUAL_TRIGGER, ...steps.map(({ name }) => name)];
	return names.slice(1).map((to, index) => [names[index] ?? '', to]);
}

/** The usual one, and that of errors. */
const OUTPUTS = [0, 1];

export function workflowOf(
	name: string,
	steps: readonly Step[],
	{ links = inARow(steps), itemCount = 1 }: { links?: readonly Link[]; itemCount?: number } = {},
): Record<string, unknown> {
	const from = new Set(links.map(([source]) => source));
	const connections = Object.fromEntries(
		[...from].map((source) => [
			source,
			{
				main: OUTPUTS.map((output) =>
					links
						.filter(([other, , , which = 0]) => other === source && which === output)
						.map(([, node, index = 0]) => ({ node, type: 'main', index })),
				),
			},
		]),
	);
	return manualWorkflow(name, steps, { items: numbered(itemCount), connections });
}

/** By n8n's own record, from the start of the first step to the end of the last. */
export function durationOf({ saved }: FinishedRun, steps: readonly Step[]): number {
	const taken = (step: Step | undefined, field: string) =>
		Number(at(saved, 'data', 'resultData', 'runData', step?.name ?? '', 0, field));
	const last = steps.at(-1);
	return taken(last, 'startTime') + taken(last, 'executionTime') - taken(steps[0], 'startTime');
}

/** @throws Error if the run failed, or its last step gave another number of items */
export function requireItems(run: FinishedRun, steps: readonly Step[], count: number): void {
	const node = steps.at(-1)?.name ?? '';
	const path = ['data', 'resultData', 'runData', node, 0, 'data', 'main', 0];
	if (run.status !== 'success') throw new Error(`The run of '${node}' ended with ${run.status}`);
	const items = readList(run.saved, ...path).length;
	if (items !== count) throw new Error(`'${node}' gave ${items} items, not ${count}`);
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

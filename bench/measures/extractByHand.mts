import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentialData } from '../../harness/credentials.mts';
import { at, readList } from '../../harness/outsideData.mts';
import { openN8n, type FinishedRun } from '../../harness/realN8n/index.mts';
import { MANUAL_TRIGGER } from '../../harness/realN8n/trialWorkflow.mts';
import type { Order, Sandbox } from '../../sandbox/sandbox.mts';
import type { Measure } from '../measure.mts';
import { takePairs } from '../pairs.mts';
import { newSvipOrder, quickSandbox } from '../quickSandbox.mts';
import { ratioOf } from '../statistics.mts';

const PROXIES = 2_000;
const CREDENTIAL = { id: 'kdlBenchKey', name: 'Bench' };

interface Step {
	readonly name: string;
	readonly type: string;
	readonly typeVersion: number;
	readonly parameters: Readonly<Record<string, unknown>>;
	readonly credentials?: Readonly<Record<string, unknown>>;
}

function ourSteps(): Step[] {
	return [
		{
			name: 'Kuaidaili',
			type: 'n8n-nodes-kuaidaili.kuaidaili',
			typeVersion: 1,
			parameters: { resource: 'proxy', operation: 'extract', plan: 'svip', num: PROXIES },
			credentials: { kuaidailiApi: CREDENTIAL },
		},
	];
}

/** The key stands in the workflow, which is the fastest way and no good one. */
function stepsByHand({ hosts }: Sandbox, { keys }: Order): Step[] {
	const query = `format=json&nonce={{ $execution.id }}&num=${PROXIES}&secret_id=${keys.secretId}&sign_type=hmacsha1`;
	const time = '{{ $json.timestamp }}';
	return [
		{
			name: 'Time',
			type: 'n8n-nodes-base.set',
			typeVersion: 3.4,
			parameters: {
				assignments: {
					assignments: [
						{
							id: 'time',
							name: 'timestamp',
							type: 'string',
							value: '={{ Math.floor($now.toSeconds()) }}',
						},
					],
				},
				options: {},
			},
		},
		{
			name: 'Sign',
			type: 'n8n-nodes-base.crypto',
			typeVersion: 1,
			parameters: {
				action: 'hmac',
				type: 'SHA1',
				encoding: 'base64',
				dataPropertyName: 'signature',
				secret: keys.secretKey,
				value: `=GET/api/getproxy?${query}&timestamp=${time}`,
			},
		},
		{
			name: 'Ask',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				url: `=${hosts.svipUrl}/api/getproxy?${query}&timestamp=${time}&signature={{ encodeURIComponent($json.signature) }}`,
				options: {},
			},
		},
		{
			name: 'Split',
			type: 'n8n-nodes-base.splitOut',
			typeVersion: 1,
			parameters: { fieldToSplitOut: 'data.proxy_list', options: {} },
		},
	];
}

function workflowOf(name: string, steps: readonly Step[]): Record<string, unknown> {
	const names = [MANUAL_TRIGGER, ...steps.map((step) => step.name)];
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
			...steps.map((step, index) => ({ id: step.name, position: [220 * (index + 1), 0], ...step })),
		],
		connections: Object.fromEntries(
			names
				.slice(0, -1)
				.map((from, index) => [
					from,
					{ main: [[{ node: names[index + 1], type: 'main', index: 0 }]] },
				]),
		),
		settings: { executionOrder: 'v1' },
	};
}

/** By n8n's own record, from the start of the first node behind the trigger to the end of the last. */
function durationOf({ saved }: FinishedRun, steps: readonly Step[]): number {
	const taken = (step: Step | undefined, field: string) =>
		Number(at(saved, 'data', 'resultData', 'runData', step?.name ?? '', 0, field));
	const last = steps.at(-1);
	return taken(last, 'startTime') + taken(last, 'executionTime') - taken(steps[0], 'startTime');
}

function requireItems(run: FinishedRun, node: string): void {
	const path = ['data', 'resultData', 'runData', node, 0, 'data', 'main', 0];
	if (run.status !== 'success') throw new Error(`The run of '${node}' ended with ${run.status}`);
	const items = readList(run.saved, ...path).length;
	if (items !== PROXIES) throw new Error(`'${node}' gave ${items} items, not ${PROXIES}`);
}

export const extractByHand: Measure = {
	name: 'extract-2000-vs-by-hand',
	compares: `In a real n8n, Proxy: Extract of ${PROXIES.toLocaleString('en-US')} proxies / Edit Fields, Crypto, HTTP Request and Split Out one after the other, with as many items. By n8n's own record of when the nodes started and how long they ran.`,
	goal: 1,
	async measure(say) {
		const sandbox = await quickSandbox(false);
		const order = newSvipOrder(sandbox, 'bench-by-hand');
		const { n8n } = await openN8n({
			userFolder: join(tmpdir(), `kuaidaili-bench-${randomBytes(4).toString('hex')}`),
			logLevel: 'info',
			credentials: [
				{
					...CREDENTIAL,
					type: 'kuaidailiApi',
					data: credentialData(sandbox.hosts, order.keys, 'order', 'hmacsha1'),
				},
			],
			say,
		});
		const sampler = async (name: string, steps: readonly Step[]) => {
			const id = await n8n.createWorkflow(workflowOf(name, steps));
			const last = steps.at(-1)?.name ?? '';
			return async () => {
				const run = await n8n.runWorkflow(id, MANUAL_TRIGGER);
				requireItems(run, last);
				return durationOf(run, steps);
			};
		};
		const pairs = await takePairs({
			ours: await sampler('One node', ourSteps()),
			other: await sampler('By hand', stepsByHand(sandbox, order)),
			pairs: 21,
			warmUps: 3,
		});
		return { ...ratioOf(pairs) };
	},
};

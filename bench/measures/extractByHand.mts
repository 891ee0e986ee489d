import { MANUAL_TRIGGER } from '../../harness/realN8n/workflows.mts';
import type { Order, Sandbox } from '../../sandbox/sandbox.mts';
import {
	durationOf,
	extractStep,
	openBenchN8n,
	requireItems,
	workflowOf,
	type Step,
} from '../inN8n.mts';
import type { Measure } from '../measure.mts';
import { takePairs } from '../pairs.mts';
import { newSvipOrder, quickSandbox } from '../quickSandbox.mts';
import { ratioOf } from '../statistics.mts';

const PROXIES = 2_000;

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

export const extractByHand: Measure = {
	name: 'extract-2000-vs-by-hand',
	compares: `In a real n8n, Proxy: Extract of ${PROXIES.toLocaleString('en-US')} proxies / Edit Fields, Crypto, HTTP Request and Split Out one after the other, with as many items. By n8n's own record of when the nodes started and how long they ran.`,
	goal: 1,
	async measure(say) {
		const sandbox = await quickSandbox({ rateLimits: false });
		const order = newSvipOrder(sandbox, 'bench-by-hand');
		const n8n = await openBenchN8n(sandbox, 'order', order.keys, say);
		const sampler = async (name: string, steps: readonly Step[]) => {
			const id = await n8n.createWorkflow(workflowOf(name, steps));
			return async () => {
				const run = await n8n.runWorkflow(id, MANUAL_TRIGGER);
				requireItems(run, steps, PROXIES);
				return durationOf(run, steps);
			};
		};
		const pairs = await takePairs({
			ours: await sampler('One node', [extractStep({ plan: 'svip', num: PROXIES })]),
			other: await sampler('By hand', stepsByHand(sandbox, order)),
			pairs: 21,
			warmUps: 3,
		});
		return { ...ratioOf(pairs) };
	},
};

import type { IExecuteFunctions } from 'n8n-workflow';
import type { EngineNode } from '../engine.mts';
import type { Measure } from '../measure.mts';
import { timeOf } from '../pairs.mts';
import { quickSandbox } from '../quickSandbox.mts';
import { record } from '../recorded.mts';
import { median, ratioOf } from '../statistics.mts';

const CALLS = 100;
const ROUNDS = 31;
const WARM_UPS = 10;

interface Round {
	readonly node: number;
	/** n8n's own request helper in place of the node's code. */
	readonly helper: number;
	readonly raw: number;
}

export const callOverhead: Measure = {
	name: 'call-overhead-vs-raw',
	compares: `Account: Get Balance, ${CALLS} items in one execution, less what n8n's own request helper needs beyond fetch for them / as many times fetch and JSON.parse. The same signed call with the same answer.`,
	goal: 1.5,
	async measure() {
		const { runInEngine } = await import('../engine.mts');
		const sandbox = await quickSandbox(false);
		const { url, credential } = await record(sandbox, {
			host: sandbox.hosts.baseUrl,
			path: '/api/getaccountbalance',
			keyType: 'account',
			keys: sandbox.keys.account,
		});
		const raw = async () => {
			for (let call = 0; call < CALLS; call++) JSON.parse(await (await fetch(url)).text());
		};
		const run = async (execute?: EngineNode['execute']) => {
			const { nodeMs, items } = await runInEngine({
				parameters: { resource: 'account', operation: 'getBalance' },
				credential,
				itemCount: CALLS,
				execute,
			});
			if (items.length !== CALLS) throw new Error(`${items.length} items came out`);
			return nodeMs;
		};
		const helper = async () => await run(requestHelperOnly(url));

		const rounds: Round[] = [];
		for (let round = 0; round < WARM_UPS + ROUNDS; round++) {
			const isTurned = round % 2 === 1;
			const first = isTurned ? await timeOf(raw) : await run();
			const second = await helper();
			const last = isTurned ? await run() : await timeOf(raw);
			if (round < WARM_UPS) continue;
			rounds.push({
				node: isTurned ? last : first,
				helper: second,
				raw: isTurned ? first : last,
			});
		}
		return {
			...ratioOf(
				rounds.map(({ node, helper, raw }) => ({ ours: node - helper + raw, other: raw })),
			),
			callsPerSample: CALLS,
			n8nHelperVsRaw: median(rounds.map(({ helper, raw }) => helper / raw)),
			nodeVsN8nHelper: median(rounds.map(({ node, helper }) => node / helper)),
		};
	},
};

/** What a node would do that only sends the request: n8n's part of each call. */
function requestHelperOnly(url: string) {
	return async function execute(this: IExecuteFunctions) {
		const items = [];
		for (let item = 0; item < this.getInputData().length; item++) {
			const text: unknown = await this.helpers.httpRequest({ url, encoding: 'text', json: false });
			items.push({ json: JSON.parse(String(text)), pairedItem: { item } });
		}
		return [items];
	};
}

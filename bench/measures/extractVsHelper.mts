import type { INodeExecutionData, INodeType } from 'n8n-workflow';
import { readList } from '../../harness/outsideData.mts';
import type { EngineNode } from '../engine.mts';
import type { Measure } from '../measure.mts';
import { takePairs } from '../pairs.mts';
import { newSvipOrder, quickSandbox } from '../quickSandbox.mts';
import { record } from '../recorded.mts';
import { ratioOf } from '../statistics.mts';

const PROXIES = 2_000;
const PARAMETERS = { resource: 'proxy', operation: 'extract', plan: 'svip', num: PROXIES };
const PAIRS = 61;
const WARM_UPS = 20;

function toItem(proxy: string): INodeExecutionData {
	const [host = '', port] = proxy.split(':');
	return {
		json: { proxyUrl: `http://${proxy}`, address: proxy, host, port: Number(port) },
		pairedItem: { item: 0 },
	};
}

/** The least that a node can do: it sends what is signed already, and believes the answer. */
function helperOnly(url: string): INodeType['execute'] {
	return async function execute() {
		const text: unknown = await this.helpers.httpRequest({ url, encoding: 'text', json: false });
		const list = readList(JSON.parse(String(text)), 'data', 'proxy_list');
		return [list.map((proxy) => toItem(String(proxy)))];
	};
}

export const extractVsHelper: Measure = {
	name: 'extract-2000-vs-helper',
	compares: `Proxy: Extract of ${PROXIES.toLocaleString('en-US')} proxies in n8n's engine / n8n's own request helper, JSON.parse and a map to the same items in its place. One request each, with the same answer.`,
	goal: 1.3,
	async measure() {
		const { runInEngine } = await import('../engine.mts');
		const sandbox = await quickSandbox({ rateLimits: false });
		const { url, credential, requests } = await record(sandbox, {
			host: sandbox.hosts.svipUrl,
			path: '/api/getproxy',
			keyType: 'order',
			keys: newSvipOrder(sandbox, 'bench-extract').keys,
			parameters: { num: String(PROXIES), format: 'json' },
		});
		const run = async (execute?: EngineNode['execute']) =>
			await runInEngine({ parameters: PARAMETERS, credential, execute });
		const helper = helperOnly(url);

		const [ours, other] = [await run(), await run(helper)];
		if (
			ours.items.length !== PROXIES ||
			JSON.stringify(ours.items) !== JSON.stringify(other.items)
		) {
			throw new Error('Both sides must give the same items');
		}
		const before = requests();
		const pairs = await takePairs({
			ours: async () => (await run()).nodeMs,
			other: async () => (await run(helper)).nodeMs,
			pairs: PAIRS,
			warmUps: WARM_UPS,
		});
		const samples = 2 * (PAIRS + WARM_UPS);
		return { ...ratioOf(pairs), requestsPerSample: (requests() - before) / samples };
	},
};

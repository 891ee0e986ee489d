import { at, readList } from '../../harness/outsideData.mts';
import {
	asTheyAre,
	rawCall,
	requestHelperOnly,
	shares,
	takeRounds,
	type ToItems,
} from '../besideHelper.mts';
import type { EngineNode } from '../engine.mts';
import type { Measure } from '../measure.mts';
import { timeOf } from '../pairs.mts';
import { newSvipOrder, quickSandbox } from '../quickSandbox.mts';
import { record } from '../recorded.mts';
import { ratioOf } from '../statistics.mts';

const PROXIES = 2_000;
const PARAMETERS = { resource: 'proxy', operation: 'extract', plan: 'svip', num: PROXIES };
const ROUNDS = 41;
const WARM_UPS = 20;

const toItems: ToItems = (answer, item) =>
	readList(at(answer, 'data', 'proxy_list')).map((entry) => {
		const proxy = String(entry);
		const [host = '', port] = proxy.split(':');
		return {
			json: { proxyUrl: `http://${proxy}`, address: proxy, host, port: Number(port) },
			pairedItem: { item },
		};
	});

export const extractVsRaw: Measure = {
	name: 'extract-2000-vs-raw',
	compares: `Proxy: Extract of ${PROXIES.toLocaleString('en-US')} proxies in n8n's engine / fetch, JSON.parse and a map to the same items. One request each, with the same answer.`,
	goal: 1.5,
	async measure() {
		const { runInEngine } = await import('../engine.mts');
		const sandbox = await quickSandbox(false);
		const { url, credential, requests } = await record(sandbox, {
			host: sandbox.hosts.svipUrl,
			path: '/api/getproxy',
			keyType: 'order',
			keys: newSvipOrder(sandbox, 'bench-extract').keys,
			parameters: { num: String(PROXIES), format: 'json' },
		});
		const run = async (execute?: EngineNode['execute']) =>
			await runInEngine({ parameters: PARAMETERS, credential, execute });
		const helperOnly = requestHelperOnly(url, toItems);

		const expected = JSON.stringify(await rawCall(url, toItems));
		for (const { items } of [await run(), await run(helperOnly)]) {
			if (items.length !== PROXIES || JSON.stringify(items) !== expected) {
				throw new Error('All sides must give the same items');
			}
		}
		const before = requests();
		const rounds = await takeRounds({
			node: async () => (await run()).nodeMs,
			helper: async () => (await run(helperOnly)).nodeMs,
			raw: async () => await timeOf(async () => await rawCall(url, toItems)),
			rounds: ROUNDS,
			warmUps: WARM_UPS,
		});
		const samples = 3 * (ROUNDS + WARM_UPS);
		return {
			...ratioOf(asTheyAre(rounds)),
			requestsPerSample: (requests() - before) / samples,
			...shares(rounds),
		};
	},
};

import { at, readList } from '../../harness/outsideData.mts';
import type { Measure } from '../measure.mts';
import { takePairs, timeOf } from '../pairs.mts';
import { newSvipOrder, quickSandbox } from '../quickSandbox.mts';
import { record } from '../recorded.mts';
import { ratioOf } from '../statistics.mts';

const PROXIES = 2_000;
const PARAMETERS = { resource: 'proxy', operation: 'extract', plan: 'svip', num: PROXIES };

export const extractVsRaw: Measure = {
	name: 'extract-2000-vs-raw',
	compares: `Proxy: Extract of ${PROXIES.toLocaleString('en-US')} proxies in n8n's engine / fetch, JSON.parse and a map to the same items. One request each, with the same answer.`,
	goal: 1.5,
	async measure() {
		const { runInEngine } = await import('../engine.mts');
		const sandbox = await quickSandbox(false);
		const recorded = await record(sandbox, {
			host: sandbox.hosts.svipUrl,
			path: '/api/getproxy',
			keyType: 'order',
			keys: newSvipOrder(sandbox, 'bench-extract').keys,
			parameters: { num: String(PROXIES), format: 'json' },
		});
		const raw = async () => {
			const answer: unknown = JSON.parse(await (await fetch(recorded.url)).text());
			return readList(at(answer, 'data', 'proxy_list')).map((entry) => {
				const proxy = String(entry);
				const [host = '', port] = proxy.split(':');
				return {
					json: { proxy, host, port: Number(port), proxyUrl: `http://${proxy}` },
					pairedItem: { item: 0 },
				};
			});
		};
		const { credential } = recorded;
		const node = async () => await runInEngine({ parameters: PARAMETERS, credential });

		const expected = await raw();
		const { items } = await node();
		if (items.length !== PROXIES || JSON.stringify(items) !== JSON.stringify(expected)) {
			throw new Error('Both sides must give the same items');
		}
		const before = recorded.requests();
		const pairs = await takePairs({
			ours: async () => (await node()).nodeMs,
			other: async () => await timeOf(raw),
			pairs: 41,
			warmUps: 20,
		});
		return { ...ratioOf(pairs), requestsPerPair: (recorded.requests() - before) / (2 * 61) };
	},
};

import { newAccount, newPrivateProxyOrder } from '../../sandbox/sandbox.mts';
import type { Measure } from '../measure.mts';
import { quickSandbox } from '../quickSandbox.mts';
import { ratioOf } from '../statistics.mts';

const RUNS = 100;
const PROXIES = 5;
const GET_DPS = '/api/getdps';

export const reuse: Measure = {
	name: 'reuse',
	compares: `Private proxies that ${RUNS} runs of Proxy: Extract use up, each of which wants ${PROXIES}: with 'Reuse Proxies' / without. The proxies live longer than the runs take.`,
	goal: 1 / RUNS,
	async measure() {
		const { runInEngine } = await import('../engine.mts');
		const sandbox = await quickSandbox({ rateLimits: false });
		const { store, clock, extractions, log, hosts } = sandbox;
		const account = store.addAccount(newAccount('bench-reuse-account'));
		const used = async (name: string, options: Readonly<Record<string, boolean>>) => {
			const order = store.addOrder(
				newPrivateProxyOrder(name, account, clock.now(), {
					payType: 'PRE_PAY_IP',
					period: 'M_30_60',
				}),
			);
			const credential = {
				keyType: 'order',
				...order.keys,
				signType: 'hmacsha1',
				customHosts: true,
				...hosts,
			};
			const before = log.count(GET_DPS);
			for (let run = 0; run < RUNS; run++) {
				const { items } = await runInEngine({
					parameters: {
						resource: 'proxy',
						operation: 'extract',
						product: 'DPS',
						num: PROXIES,
						options,
					},
					credential,
					oneKey: true,
				});
				if (items.length !== PROXIES) throw new Error(`${items.length} items came out`);
			}
			return {
				calls: log.count(GET_DPS) - before,
				proxies: extractions.total({ orderId: order.orderId }),
			};
		};
		const reused = await used('bench-reuse', { reuse: true });
		const other = await used('bench-no-reuse', {});
		const pair = { ours: reused.proxies, other: other.proxies };
		return { ...ratioOf([pair]), runs: RUNS, with: reused, without: other };
	},
};

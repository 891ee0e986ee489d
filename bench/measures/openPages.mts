import { newPrivateProxyOrder, startSandbox } from '../../sandbox/sandbox.mts';
import { onShutdown } from '../../scripts/shutdown.mjs';
import type { Measure } from '../measure.mts';
import { ratioOf } from '../statistics.mts';

const PAGES = 500;
const AT_A_TIME = 20;
const PAGE_MS = 300;
/** Each tenth proxy is dead: it refuses the connection. */
const DEAD_SHARE = 10;
const BYTES = 500_000;

export const openPages: Measure = {
	name: 'open-500',
	compares: `Page: Open of ${PAGES} pages that take ${PAGE_MS} ms each, ${AT_A_TIME} at a time, while each ${DEAD_SHARE}th private proxy is dead / the time that this waiting alone takes. Beside it, the proxies used against pages plus dead ones, and the memory against the size of ${PAGES} pages of 500 kB.`,
	goal: 1.2,
	async measure() {
		const { runInEngine } = await import('../engine.mts');
		const sandbox = await startSandbox({ catalogueSize: 10 });
		onShutdown(() => sandbox.close());
		const sites = await sandbox.pages.open();
		const { store, clock, extractions, hosts } = sandbox;
		const account = store.account(sandbox.keys.account.secretId);
		const order = store.addOrder(
			newPrivateProxyOrder('bench-open', account, clock.now(), {
				payType: 'PRE_PAY_IP',
				ipBalance: 10_000,
				period: 'M_30_60',
			}),
		);
		const open = async (path: string) =>
			await runInEngine({
				parameters: {
					resource: 'page',
					operation: 'open',
					product: 'DPS',
					reuse: false,
					url: `${sites.http}${path}`,
					options: { pagesAtATime: AT_A_TIME },
				},
				credential: {
					keyType: 'order',
					...order.keys,
					signType: 'hmacsha1',
					customHosts: true,
					...hosts,
				},
				oneKey: true,
				itemCount: PAGES,
			});
		sandbox.proxyFaults.add({ dies: 'refuse', everyNth: DEAD_SHARE });
		const { nodeMs, items } = await open(`/slow?ms=${PAGE_MS}`);
		if (items.length !== PAGES) throw new Error(`${items.length} items came out`);
		const used = extractions.total({ orderId: order.orderId });
		globalThis.gc?.();
		const before = process.memoryUsage().rss;
		const large = await open(`/bytes/${BYTES}`);
		const memory = (process.memoryUsage().rss - before) / (PAGES * BYTES);
		const forced = (PAGES / AT_A_TIME) * PAGE_MS;
		return {
			...ratioOf([{ ours: nodeMs, other: forced }]),
			proxiesUsed: used / (PAGES + Math.floor(used / DEAD_SHARE)),
			memory,
			items: large.items.length,
		};
	},
};

import { at } from '../../harness/outsideData.mts';
import { itemsOf } from '../../harness/realN8n/index.mts';
import type { CheckGroup } from '../../harness/checks/checkGroup.mts';
import { expectEqual } from '../../harness/checks/expectations.mts';
import { runExample } from './runExample.mts';
import type { Session } from '../session.mts';

/** As 'Pages' in the workflow says: more than a tunnel takes in a second. */
const PAGES = 30;

/** examples/rotate-a-tunnel.json */
export const rotateATunnel: CheckGroup<Session> = {
	name: 'Example "rotate a tunnel"',
	async run(session, check) {
		const { log, proxyLog } = session.sandbox;
		const [calls, requests] = [log.count('/api/gettps'), proxyLog.entries().length];

		await check(`Each of ${PAGES} pages sees an IP of its own behind one address`, async () => {
			const run = await runExample(session, 'rotate-a-tunnel');
			const pages = itemsOf(run, 'Result');
			expectEqual(pages.length, PAGES, 'the number of pages');
			expectEqual(log.count('/api/gettps') - calls, 1, 'the number of requests to gettps');
			const used = proxyLog.entries().slice(requests);
			expectEqual(new Set(used.map(({ proxy }) => proxy)).size, 1, 'the number of addresses');
			// A request that came too early has none, and was sent again
			const exits = used.flatMap(({ exit }) => exit ?? []);
			expectEqual(new Set(exits).size, PAGES, 'the number of exits');
			const addresses = pages.map((page) => at(page, 'json', 'proxy'));
			expectEqual(new Set(addresses).size, 1, 'the number of addresses that came out');
		});
	},
};

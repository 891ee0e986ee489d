import { at } from '../../harness/outsideData.mts';
import { itemsOf } from '../../harness/realN8n/index.mts';
import type { CheckGroup } from '../../harness/checks/checkGroup.mts';
import { expectEqual } from '../../harness/checks/expectations.mts';
import { runExample } from './runExample.mts';
import type { Session } from '../session.mts';

/** As 'Pages' in the workflow says. */
const PAGES = 5;

/** examples/rotate-a-tunnel.json */
export const rotateATunnel: CheckGroup<Session> = {
	name: 'Example "rotate a tunnel"',
	async run(session, check) {
		const { log, proxyLog } = session.sandbox;
		const [calls, requests] = [log.count('/api/gettps'), proxyLog.entries().length];

		await check('Each page sees an IP of its own behind the one address of a tunnel', async () => {
			const run = await runExample(session, 'rotate-a-tunnel');
			expectEqual(itemsOf(run, 'Open').length, PAGES, 'the number of pages');
			expectEqual(log.count('/api/gettps') - calls, 1, 'the number of requests to gettps');
			const used = proxyLog.entries().slice(requests);
			expectEqual(new Set(used.map(({ proxy }) => proxy)).size, 1, 'the number of addresses');
			expectEqual(new Set(used.map(({ exit }) => exit)).size, PAGES, 'the number of exits');
			const addresses = itemsOf(run, 'Extract').map((item) =>
				at(item, 'json', 'proxyDetails', 'address'),
			);
			expectEqual(new Set(addresses).size, 1, 'the number of addresses that came out');
		});
	},
};

import { at } from '../../harness/outsideData.mts';
import { itemsOf } from '../../harness/realN8n/index.mts';
import { type CheckGroup, expect, expectEqual } from '../../harness/checks/checks.mts';
import { listing, runAdapted, runExample } from './runExample.mts';
import { valuesOf } from './scrapePages.mts';
import type { Session } from '../session.mts';

/** As 'Pages' in the workflow says. */
const PAGES = 5;

const EXAMPLE = 'open-pages-with-http-request';

/** examples/open-pages-with-http-request.json */
export const openWithHttpRequest: CheckGroup<Session> = {
	name: 'Example "open pages with HTTP Request"',
	async run(session, check) {
		const { proxyFaults, store, keys, pages, log } = session.sandbox;
		const { orderId } = store.order(keys.dps.secretId);

		await check('Each page is opened through a private proxy of its own', async () => {
			const run = await runExample(session, EXAMPLE);
			expectEqual(itemsOf(run, 'Open').length, PAGES, 'the number of pages');
			expectEqual(new Set(valuesOf(run, 'Extract', 'proxyUrl')).size, PAGES, 'the proxies');
		});
		await check('A page whose proxy fails is opened through another', async () => {
			proxyFaults.add({ kind: 'status', status: 454, orderId, times: 1 });
			const run = await runExample(session, EXAMPLE);
			expectEqual(itemsOf(run, 'Open').length, PAGES - 1, 'the pages that came at once');
			expectEqual(itemsOf(run, 'Open Again').length, 1, 'the pages that came afterwards');
			const [replaced, ...more] = itemsOf(run, 'Another Proxy');
			expectEqual(more.length, 0, 'the number of further replacements');
			const { replaces, address } = Object(at(replaced, 'json', 'proxyDetails'));
			expect(replaces !== undefined && replaces !== address, 'the proxy was not replaced');
		});
		await check('A page without a proxy is not requested, and named', async () => {
			const url = `${session.inputs.siteUrl}/article`;
			const before = log.count();
			const run = await runAdapted(session, EXAMPLE, {
				nodes: {
					Pages: listing(url),
					Extract(node) {
						node.parameters.itemsPerProxy = 0;
						node.onError = 'continueRegularOutput';
					},
				},
			});
			expectEqual(log.count(), before, 'the number of calls');
			expectEqual(itemsOf(run, 'Not Opened').length, 1, 'the pages that were not opened');
			expect(/Items per Proxy/.test(valuesOf(run, 'Not Opened', 'reason').join()), 'the reason');
			expectEqual(pages.visits.direct().length, 0, 'the number of direct visits');
		});
	},
};

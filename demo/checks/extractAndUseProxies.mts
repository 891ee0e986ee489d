import { at, excerpt } from '../../harness/outsideData.mts';
import { itemsOf } from '../../harness/realN8n/index.mts';
import type { CheckGroup } from '../../harness/checks/checkGroup.mts';
import { expect, expectEqual } from '../../harness/checks/expectations.mts';
import { expectDistinctProxies, expectOwnProxies, expectProxyItem } from './proxyItems.mts';
import { runAdapted, runExample } from './runExample.mts';
import type { Session } from '../session.mts';

const COUNT = 5;

/** examples/extract-and-use-proxies.json */
export const extractAndUseProxies: CheckGroup<Session> = {
	name: 'Example "extract and use proxies"',
	async run(session, check) {
		const run = await runExample(session, 'extract-and-use-proxies');
		const proxies = itemsOf(run, 'Kuaidaili');
		const answers = itemsOf(run, 'HTTP Request');

		await check(`Extract gives ${COUNT} items, one proxy each`, () => {
			expectEqual(proxies.length, COUNT, 'the number of items');
			proxies.forEach(expectProxyItem);
		});
		await check('The proxies are all different', () => expectDistinctProxies(proxies));
		await check(`HTTP Request gets ${COUNT} answers through them`, () => {
			expectEqual(answers.length, COUNT, 'the number of answers');
			answers.forEach((answer) => {
				const error = at(answer, 'json', 'error');
				expect(error === undefined, `a request failed: ${excerpt(error)}`);
			});
		});
		const seen =
			session.sandbox.addressPlan === 'own addresses'
				? 'The page saw each request come from the proxy of its own item'
				: 'The page saw each request (from which proxy, this machine with one loopback address cannot show)';
		await check(seen, () => expectOwnProxies(proxies, answers));
		await check('Without a proxy, the page is not requested from the own address', async () => {
			const { pages } = session.sandbox;
			const failed = await runAdapted(session, 'extract-and-use-proxies', {
				inputs: { pageUrl: `${session.inputs.siteUrl}/ip` },
				nodes: {
					Kuaidaili(node) {
						node.parameters.num = 0;
						node.onError = 'continueRegularOutput';
					},
				},
			});
			expectEqual(failed.status, 'error', 'the end of the run');
			expectEqual(pages.visits.direct().length, 0, 'the number of direct visits');
		});
	},
};

import { itemsOf } from '../../harness/realN8n/index.mts';
import { type CheckGroup, expect, expectEqual } from '../../harness/checks/checks.mts';
import { runAdapted, runExample } from './runExample.mts';
import { valuesOf } from './scrapePages.mts';
import type { Session } from '../session.mts';

const EXAMPLE = 'log-in-and-open-pages';

/** examples/log-in-and-open-pages.json */
export const logIn: CheckGroup<Session> = {
	name: 'Example "log in and open pages"',
	async run(session, check) {
		const { visits } = session.sandbox.pages;

		await check('After the login, the pages for members come through the same proxy', async () => {
			const run = await runExample(session, EXAMPLE);
			const texts = valuesOf(run, 'Result', 'page');
			expectEqual(texts.length, 3, 'the number of pages');
			expect(
				texts.every((text) => text.includes('Welcome, demo')),
				'a page does not know who is logged in',
			);
			expectEqual(new Set(valuesOf(run, 'Result', 'proxy')).size, 1, 'the number of proxies');
		});
		await check('Without a login, no page for members counts as opened', async () => {
			const run = await runAdapted(session, EXAMPLE, {
				nodes: {
					// The login fails, and the node with it otherwise
					'Log In': (node) =>
						Object.assign(node, {
							parameters: JSON.parse(
								JSON.stringify(node.parameters).replace('password=demo', 'password=no'),
							) as typeof node.parameters,
							onError: 'continueRegularOutput',
						}),
					// A run that opens nothing fails otherwise
					Open: (node) => Object.assign(node, { onError: 'continueRegularOutput' }),
				},
			});
			expectEqual(itemsOf(run, 'Not Opened').length, 3, 'the number of pages');
			expectEqual(valuesOf(run, 'Not Opened', 'status').includes('blocked'), true, 'a block');
			expectEqual(visits.direct().length, 0, 'the number of direct visits');
		});
	},
};

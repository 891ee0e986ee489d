import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { ACCOUNT_KEY } from '../../../harness/credentials.mts';
import { EVENTS, OPERATIONS } from '../../operations/index.mts';
import type { BrowserSetup } from '../setup.mts';

const NODE_CREATOR = '[data-test-id=node-creator]';

/** The list of nodes shows the node and the trigger under one entry. */
export const nodeSearch: CheckGroup<BrowserSetup> = {
	name: 'Search for the node',
	async run({ editor }, check) {
		const { page, panel } = editor;
		const names = page.locator('[data-test-id=node-creator-item-name]');
		const entry = names.getByText('Kuaidaili', { exact: true });

		await editor.openNewWorkflow();
		for (const typed of ['kuaidaili', '快代理']) {
			await check(`A search for "${typed}" finds the package, and nothing else`, async () => {
				await editor.searchNodes('nothing at all');
				await entry.waitFor({ state: 'hidden' });
				await editor.searchNodes(typed);
				await entry.waitFor();
				expectEqual(await names.count(), 1, 'the number of entries');
			});
		}
		const words = [
			...['open proxy', 'private proxy', 'tunnel', 'renew', 'order', 'whitelist'],
			...['web scraping', 'scraper', 'markdown', 'crawl', '爬虫', '采集', '抓取'],
		];
		await check(`A search for any of "${words.join('", "')}" finds it, too`, async () => {
			for (const word of words) {
				await editor.searchNodes('nothing at all');
				await entry.waitFor({ state: 'hidden' });
				await editor.searchNodes(word);
				await entry.waitFor();
			}
		});
		await editor.searchNodes('kuaidaili');
		await entry.click();
		const category = page.locator('[data-test-id=node-creator-category-item]');
		await category.filter({ hasText: 'Actions' }).click();
		await names.getByText('Extract proxies').waitFor();
		const offered = await names.allInnerTexts();

		await check('It offers every event of the trigger and every operation of the node', () => {
			const wanted = [...EVENTS, ...OPERATIONS].map(({ action }) => action);
			expectEqual([...offered].sort().join(', '), wanted.sort().join(', '), 'the entries');
		});
		await check('No entry is cut off', async () => {
			const texts = await panel.cutOff(NODE_CREATOR);
			expect(texts.length === 0, `cut off: ${texts.join(' | ')}`);
		});
		await check('A click on an operation adds the node with that operation chosen', async () => {
			await names.getByText('Get many orders').click();
			await page.locator('[data-parameter-path="parameters.status"]').waitFor();
			const [resource, operation] = await panel.fields();
			expectEqual(`${resource?.value}: ${operation?.value}`, 'Order: Get Many', 'what is chosen');
			// n8n takes the credential that was added last
			const credential = page.locator('[data-test-id=node-credentials-select] input');
			expectEqual(await credential.inputValue(), ACCOUNT_KEY.name, 'the credential');
		});
	},
};

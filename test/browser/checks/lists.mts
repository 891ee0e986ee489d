import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { ACCOUNT_KEY } from '../../../harness/credentials.mts';
import { isUsable } from '../../../sandbox/accounts/order.mts';
import { Person } from '../editor/person.mts';
import { openTrial } from '../openTrial.mts';
import type { BrowserSetup } from '../setup.mts';

const LINES = '[data-test-id=rlc-item]';

/** The lists of orders and places, opened, searched and used with the mouse. */
export const lists: CheckGroup<BrowserSetup> = {
	name: 'Lists of orders and places',
	async run({ session: { n8n, sandbox, inputs }, editor }, check) {
		const { panel } = editor;
		await openTrial(editor, n8n, ACCOUNT_KEY, { resource: 'order', operation: 'get' });
		const owner = sandbox.store.account(sandbox.keys.account.secretId);
		const { orderId } = sandbox.store.order(sandbox.keys.tps.secretId);

		await check("'Order' lists the orders of the account, none of them cut off", async () => {
			const lines = await panel.openList('orderid');
			const inForce = sandbox.store.orders.filter(
				(order) =>
					order.account === owner &&
					// Money on the account, which is no order of proxies
					order.product !== 'TOP_UP' &&
					isUsable(order, sandbox.clock.now()),
			);
			expectEqual(await lines.count(), inForce.length, 'the number of lines');
			const texts = await panel.cutOff(LINES);
			expect(texts.length === 0, `cut off: ${texts.join(' | ')}`);
		});
		await check(
			'An order that is searched for and clicked is the one that is asked for',
			async () => {
				await panel.search(orderId);
				const line = editor.page.locator(LINES).getByText(orderId);
				await line.click();
				const shown = await panel.picked('orderid');
				expect(shown.startsWith(`${orderId}, Tunnel Proxy, to `), `the field shows "${shown}"`);
				const asked = sandbox.log.count('/api/getorderinfo');
				const output = await panel.execute();
				await output.getByText(orderId).first().waitFor();
				await output.getByText('1 item').waitFor();
				expectEqual(sandbox.log.count('/api/getorderinfo') - asked, 1, 'the number of requests');
			},
		);
		await check("'City' is found by its English name, and says how many are left", async () => {
			await panel.choose('operation', 'Create');
			await panel.choose('product', 'Dedicated Proxy (KPS)');
			await panel.choose('kpsModel', 'Static');
			await panel.openList('kpsCity');
			await panel.search('hangzhou');
			const left = sandbox.stock.find(({ code }) => code === '3301')?.sharedMegabits;
			const line = editor.page.locator(LINES).getByText(`Hangzhou 杭州市 (3301), ${left} left`);
			await line.click();
			const shown = await panel.picked('kpsCity');
			expect(shown.startsWith('Hangzhou 杭州市 (3301)'), `the field shows "${shown}"`);
		});
		await check('A list that there cannot be says why and what to do', async () => {
			await panel.choose('kpsModel', 'Dynamic');
			await editor.page
				.locator('[data-test-id="resource-locator-kpsCity"] [data-test-id=rlc-input]')
				.click();
			await editor.page
				.getByText("Leave the field empty for any city, or choose 'Name' and enter one.")
				.waitFor();
		});
		const url = `${inputs.siteUrl}/ip`;
		const users = [
			['Proxy: Extract', { resource: 'proxy', operation: 'extract' }],
			['Page: Open', { resource: 'page', operation: 'open', url }],
			['Page: Crawl', { resource: 'page', operation: 'crawl', url }],
		] as const;
		for (const [name, parameters] of users) {
			await check(`A country and its area from 'Options' of ${name} are asked for`, async () => {
				await openTrial(editor, n8n, ACCOUNT_KEY, { ...parameters, product: 'FPS' });
				const person = new Person(editor);
				await person.chooseFirstOrder();
				await person.addTo('Options', 'Country');
				await person.pickFrom('region', 'Japan');
				await person.addTo('Options', 'Area');
				await person.pickFrom('area', 'Tokyo');
				const shown = [await panel.picked('region'), await panel.picked('area')].join();
				expectEqual(shown, 'Japan 日本 (JP),Tokyo', 'what the fields show');
				const asked = sandbox.log.count('/api/getfps');
				const output = await panel.execute();
				await output.locator('[data-test-id=node-run-status-success]').waitFor();
				const calls = sandbox.log.entries('/api/getfps').slice(asked);
				expect(calls.length > 0, 'no proxy was asked for');
				const regions = [...new Set(calls.map(({ parameters: { region } }) => region))].join();
				expectEqual(regions, 'JP', 'the region that was asked for');
				if (name !== 'Proxy: Extract') return;
				// The area is part of the login only
				await output
					.getByText(/-region-JP-area-Tokyo:/)
					.first()
					.waitFor();
			});
		}
	},
};

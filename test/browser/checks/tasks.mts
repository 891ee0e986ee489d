import { at } from '../../../harness/outsideData.mts';
import { itemsOf } from '../../../harness/realN8n/finishedRun.mts';
import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { Person } from '../editor/person.mts';
import type { BrowserSetup } from '../setup.mts';

const TABLE = 'Prices';
const COLUMNS = { h1: 'string', price: 'string', url: 'string', pageStatus: 'string' } as const;

/** What a new user comes for besides the rows of a list, each with the clicks that it takes. */
export const tasks: CheckGroup<BrowserSetup> = {
	name: 'Tasks of a new user',
	async run({ editor, session: { inputs, n8n, sandbox, exampleIds } }, check) {
		const { page } = editor;

		await check('A range of ten addresses is rows of a data table after 18 clicks', async () => {
			await n8n.createDataTable(TABLE, COLUMNS);
			const person = new Person(editor);
			await person.addNode('Open pages through proxies');
			await person.fill('url', `${inputs.siteUrl}/shop/item/[1-10]`);
			await person.chooseFirstOrder();
			await person.choose('responseFormat', 'Fields');
			await person.pick('h1', '.price');
			await person.closeNode();
			await person.addNext('Data table', 'Insert row');
			await person.pickFrom('dataTableId', TABLE);
			await person.mapAutomatically();
			await person.execute(10, ['h1', 'price']);
			const rows = await n8n.dataTableRows(TABLE);
			expectEqual(rows.length, 10, 'the number of rows');
			const isRight = rows.every((row) => String(at(row, 'price')).endsWith('.50'));
			expect(isRight, `the rows are ${JSON.stringify(rows)}`);
			person.needsAtMost(18, 5);
		});
		await check('A login by one node opens a page of the next one after 30 clicks', async () => {
			const person = new Person(editor);
			await person.addNode('Open pages through proxies');
			await person.fill('url', `${inputs.siteUrl}/login`);
			await person.leaveField();
			await person.chooseFirstOrder();
			await person.addTo('Options', 'Method and Body');
			await person.choose('options.request.values.method', 'POST');
			await person.fill('options.request.values.body', 'user=demo&password=demo');
			await person.leaveField();
			await person.addTo('Options', 'Session Key');
			await person.fill('options.sessionKey', 'demo');
			await person.closeNode();
			await person.addNext('Kuaidaili', 'Open pages through proxies');
			await person.fill('url', `${inputs.siteUrl}/account`);
			await person.leaveField();
			await person.chooseFirstOrder();
			await person.addTo('Options', 'Session Key');
			await person.fill('options.sessionKey', 'demo');
			await person.execute(1, ['opened']);
			const [page] = itemsOf(await n8n.lastRun(), 'Open pages through proxies1');
			const text = String(at(page, 'json', 'data'));
			expect(text.includes('Welcome, demo.'), `the page is ${text}`);
			person.needsAtMost(30, 7);
		});
		await check('Thirty pages come out with reasons after 8 clicks', async () => {
			const person = new Person(editor);
			await person.addNode('Open pages through proxies');
			const bad = ['status/403', 'status/404', 'cut', 'shop/item/99'];
			const addresses = [...bad, 'shop/item/[1-25]', 'reset'].map(
				(path) => `${inputs.siteUrl}/${path}`,
			);
			await person.fill('url', addresses.join('\n'));
			await person.leaveField();
			await person.chooseFirstOrder();
			await person.execute(30, ['blocked', 'status 404']);
			person.needsAtMost(8, 2);
		});
		await check('An order is renewed within a budget after 14 clicks, never above it', async () => {
			const { ledger, store, keys } = sandbox;
			const paid = ledger.count();
			const person = new Person(editor);
			await person.addNode('Renew order');
			await person.pickFrom('orderid', store.order(keys.tps.secretId).orderId);
			await person.choose('renewWhen', 'Always');
			await person.addTo('Options', 'Budget per Execution (Yuan)');
			await person.fill('options.maxCostPerRun', '100');
			await person.addTo('Options', 'Expected Cost (Yuan)');
			await person.fill('options.expectedCost', '200');
			await person.execute(1, ['renewed', 'false']);
			expectEqual(ledger.count() - paid, 0, 'the number of payments above the budget');
			person.needsAtMost(14, 3);
			await person.fill('options.maxCostPerRun', '200');
			await person.execute(1, ['renewed', 'true', 'cost']);
			expectEqual(ledger.count() - paid, 1, 'the number of payments within the budget');
		});
		await check('A tool of the agent works alone once its note is followed', async () => {
			await editor.openWorkflow(exampleIds.get('ask-an-ai-agent') ?? '');
			await page.locator('[data-test-id="canvas-node"][data-node-name="Answer"]').click();
			await page.keyboard.press('Delete');
			await editor.openNode('Get Balance');
			const output = page.locator('[data-test-id=output-panel]');
			await page.locator('[data-test-id=node-execute-button]').click();
			await output.getByText('balanceNumber').first().waitFor();
			await editor.closeNode();
		});
		await check("A month's report takes 2 clicks in the example", async () => {
			await editor.openWorkflow(exampleIds.get('what-was-spent') ?? '');
			await page.locator('[data-test-id=execute-workflow-button]').first().click();
			await editor.openNode('Result');
			const output = page.locator('[data-test-id=output-panel]');
			await output.getByText('purchases').first().waitFor();
			await editor.closeNode();
		});
	},
};

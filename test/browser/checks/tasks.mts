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
	async run({ editor, session: { inputs, n8n, exampleIds } }, check) {
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
	},
};

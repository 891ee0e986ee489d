import type { Locator } from 'playwright-core';
import { ACCOUNT_KEY } from '../../harness/credentials.mts';
import { EXAMPLES, pictureName, type ExampleName } from '../../demo/examples.mts';
import { addManyOrders } from '../../sandbox/sandbox.mts';
import type { Session } from '../../demo/session.mts';
import type { Editor } from './editor/editor.mts';
import { openTrial } from './openTrial.mts';

/** A view that the documentation shows. */
export interface Shot {
	/** The name of the file, without its ending. */
	readonly name: string;
	/** Shows of the canvas only the nodes, without the note and the buttons around. */
	readonly onlyNodes?: boolean;
	/** Brings the view about. What is returned is in the picture, and nothing else. */
	show(editor: Editor, session: Session): Promise<Locator>;
}

/** A message of n8n in the corner. */
export const MESSAGE = '.el-notification';

const VIEW_OF_NODE = '[data-test-id=ndv]';
const RUN_LIMIT_MS = 60_000;

async function openExample(
	editor: Editor,
	{ exampleIds }: Session,
	name: ExampleName,
): Promise<void> {
	const id = exampleIds.get(name);
	if (id === undefined) throw new Error(`There is no example '${name}'`);
	await editor.openWorkflow(id);
}

/** The canvas with a whole example on it, after a run. */
async function runExample(
	editor: Editor,
	session: Session,
	name: ExampleName,
	lastNodes: readonly string[],
): Promise<Locator> {
	await openExample(editor, session, name);
	const { page } = editor;
	await page.locator('[data-test-id=execute-workflow-button]').first().click();
	for (const lastNode of lastNodes) {
		const done = page.locator(
			`[data-test-id="canvas-node"][data-node-name="${lastNode}"] [data-test-id=canvas-node-status-success]`,
		);
		await done.waitFor({ timeout: RUN_LIMIT_MS });
	}
	await page.locator('[data-test-id=stop-execution-button]').waitFor({ state: 'hidden' });
	await page.locator('[data-test-id=zoom-to-fit]').click();
	return page.locator('[data-test-id=canvas-wrapper]');
}

/** Of the account, ending within two days. */
function addExpiringOrders({ sandbox }: Session): void {
	const { store, keys, clock } = sandbox;
	addManyOrders(store, store.account(keys.account.secretId), clock.now(), {
		count: 4,
		fromDay: 1,
		toDay: 2,
		sorts: ['tps'],
	});
}

/** So that the run shows what happens to a page that fails. */
function failOnePage({ sandbox: { proxyFaults, store, keys } }: Session): void {
	const { orderId } = store.order(keys.dps.secretId);
	proxyFaults.add({ kind: 'status', status: 503, orderId, times: 1 });
}

/** Those that are shown after a run. */
const RUN_EXAMPLES: readonly ExampleName[] = [
	'open-pages-with-http-request',
	'scrape-pages-through-private-proxies',
	'renew-every-morning',
	'check-my-setup',
];

/** An example as it is after it was imported. */
function importedExample(example: ExampleName): Shot {
	return {
		name: pictureName(example),
		onlyNodes: true,
		async show(editor, session) {
			await openExample(editor, session, example);
			await editor.page.locator('[data-test-id=zoom-to-fit]').click();
			return editor.page.locator('[data-test-id=canvas-wrapper]');
		},
	};
}

/**
 * In this order: 'renew-every-morning' renews the orders that 'trigger' shows, and the views
 * of 'Extract' and 'Renew' are those of the run before.
 */
export const SHOTS: readonly Shot[] = [
	{
		name: 'order-create',
		async show(editor, session) {
			await openTrial(editor, session.n8n, ACCOUNT_KEY, {
				resource: 'order',
				operation: 'create',
				product: 'DPS',
			});
			return editor.page.locator('[data-test-id=node-parameters]').first();
		},
	},
	{
		name: 'error',
		async show(editor, session) {
			await openTrial(editor, session.n8n, ACCOUNT_KEY, {
				resource: 'order',
				operation: 'create',
				product: 'DPS',
				dpsIpCount: 2600,
			});
			await editor.panel.execute();
			const fields = editor.page.locator('[data-test-id=node-parameters]').first();
			await fields.getByText('2,500 to 150,000').first().scrollIntoViewIfNeeded();
			// It comes after the output, and is closed for the picture
			await editor.page.locator(MESSAGE).first().waitFor();
			return editor.page.locator(VIEW_OF_NODE);
		},
	},
	{
		name: 'trigger',
		async show(editor, session) {
			addExpiringOrders(session);
			await openExample(editor, session, 'renew-when-expiring');
			await editor.openNode('Kuaidaili Trigger');
			await editor.page.getByText('Fetch Test Event').first().click();
			await editor.page
				.locator('[data-test-id=output-panel]')
				.getByText('orderid')
				.first()
				.waitFor();
			await editor.page
				.locator('[data-test-id=output-panel]')
				.getByText('JSON', { exact: true })
				.click();
			return editor.page.locator(VIEW_OF_NODE);
		},
	},
	{
		name: 'scrape-pages',
		onlyNodes: true,
		async show(editor, session) {
			failOnePage(session);
			const example = 'scrape-pages-through-private-proxies';
			return await runExample(editor, session, example, ['Result']);
		},
	},
	{
		name: 'page-open',
		async show(editor) {
			await editor.openNode('Open');
			const output = editor.page.locator('[data-test-id=output-panel]');
			await output.getByText('Schema', { exact: true }).click();
			return editor.page.locator(VIEW_OF_NODE);
		},
	},
	{
		name: 'open-pages-with-http-request',
		onlyNodes: true,
		async show(editor, session) {
			failOnePage(session);
			const example = 'open-pages-with-http-request';
			return await runExample(editor, session, example, ['Open Again', 'Result']);
		},
	},
	{
		name: 'extract',
		async show(editor) {
			await editor.openNode('Extract');
			return editor.page.locator(VIEW_OF_NODE);
		},
	},
	{
		name: 'renew-every-morning',
		onlyNodes: true,
		show: async (editor, session) =>
			await runExample(editor, session, 'renew-every-morning', ['Send Message']),
	},
	{
		name: 'renew',
		async show(editor) {
			await editor.openNode('Renew');
			// The schema would mix the fields of orders that were renewed with those of others
			const output = editor.page.locator('[data-test-id=output-panel]');
			await output.getByText('JSON', { exact: true }).click();
			return editor.page.locator(VIEW_OF_NODE);
		},
	},
	{
		name: 'check-my-setup',
		onlyNodes: true,
		async show(editor, session) {
			const { proxyFaults, store, keys } = session.sandbox;
			proxyFaults.add({
				kind: 'status',
				status: 443,
				orderId: store.order(keys.dps.secretId).orderId,
			});
			const view = await runExample(editor, session, 'check-my-setup', ['Result']);
			proxyFaults.clear();
			return view;
		},
	},
	{
		name: 'check-my-setup-result',
		async show(editor) {
			await editor.openNode('Result');
			const output = editor.page.locator('[data-test-id=output-panel]');
			await output.getByText('Table', { exact: true }).click();
			return output;
		},
	},
	...EXAMPLES.filter((example) => !RUN_EXAMPLES.includes(example)).map(importedExample),
];

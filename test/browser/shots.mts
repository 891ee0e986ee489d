import type { Locator } from 'playwright-core';
import { ACCOUNT_KEY, ORDER_KEY } from '../../harness/credentials.mts';
import type { ExampleName } from '../../demo/examples.mts';
import { addManyOrders } from '../../sandbox/sandbox.mts';
import type { Session } from '../../demo/session.mts';
import type { Editor } from './editor/editor.mts';
import { openTrial } from './openTrial.mts';

/** A view that the documentation shows. */
export interface Shot {
	/** The name of the file, without its ending. */
	readonly name: string;
	/** What is cut off at the edges of the view, in pixels. */
	readonly crop?: { readonly top: number; readonly right: number; readonly bottom: number };
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

/** n8n's buttons around the canvas. */
const AROUND_CANVAS = { top: 150, right: 60, bottom: 100 };

/** The canvas with a whole example on it, after a run. */
async function runExample(
	editor: Editor,
	session: Session,
	name: ExampleName,
	lastNode: string,
): Promise<Locator> {
	await openExample(editor, session, name);
	const { page } = editor;
	await page.locator('[data-test-id=execute-workflow-button]').first().click();
	const done = page.locator(
		`[data-test-id="canvas-node"][data-node-name="${lastNode}"] [data-test-id=canvas-node-status-success]`,
	);
	await done.waitFor({ timeout: RUN_LIMIT_MS });
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

/**
 * In this order: 'renew-every-morning' renews the orders that 'trigger' shows, and the view of 'Renew' is
 * that of its run.
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
		name: 'extract',
		async show(editor, session) {
			await openTrial(editor, session.n8n, ORDER_KEY, {
				resource: 'proxy',
				operation: 'extract',
				plan: 'vip',
				num: 20,
			});
			await editor.panel.execute();
			return editor.page.locator(VIEW_OF_NODE);
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
		crop: AROUND_CANVAS,
		show: async (editor, session) =>
			await runExample(editor, session, 'scrape-pages-through-private-proxies', 'Result'),
	},
	{
		name: 'renew-every-morning',
		// Without half of the button behind the last node
		crop: { ...AROUND_CANVAS, right: 78 },
		show: async (editor, session) =>
			await runExample(editor, session, 'renew-every-morning', 'Send Message'),
	},
	{
		name: 'renew',
		async show(editor) {
			await editor.openNode('Renew');
			return editor.page.locator(VIEW_OF_NODE);
		},
	},
];

/** `npm run screenshots`: the pictures of the documentation, in light and dark. */
import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { readCommandLine } from '../../scripts/commandLine.mts';
import { shutDown } from '../../scripts/shutdown.mjs';
import type { Locator, Page, PageScreenshotOptions } from 'playwright-core';
import type { Editor } from './editor/editor.mts';
import { openBrowser, type Theme } from './editor/openBrowser.mts';
import { openBrowserSession, openEditor } from './openEditor.mts';
import { MESSAGE, SHOTS, type Shot } from './shots.mts';

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));
const THEMES: ReadonlyArray<[theme: Theme, ending: string]> = [
	['light', ''],
	['dark', '-dark'],
];
/** For changes of colour and for icons of the other theme. */
const SETTLE_MS = 1_000;
/**
 * The edge of a picture would cut n8n's buttons for the nodes next to an opened one, and for adding a node
 * after the last one; tips cover the view.
 */
const UNDISTURBED = `
	[data-test-id=floating-nodes], [data-test-id=canvas-handle-plus-wrapper],
	.canvas-node-handle-main-output:has([data-test-id=canvas-handle-plus-wrapper]) [class*=runDataLabel],
	[data-reka-popper-content-wrapper], .el-popper { visibility: hidden; }
`;
/** What n8n lays over a canvas, where only its nodes are shown. */
const NODES_ALONE = `
	${UNDISTURBED}
	.vue-flow__panel, [data-test-id=canvas-controls], [data-test-id=workflow-chat-button],
	[data-test-id^=execute-workflow-button], [data-test-id=node-issues] { visibility: hidden !important; }
`;
/** Around the nodes on a canvas, in pixels: their names are below them, and wider than they are. */
const MARGINS = { top: 32, right: 56, bottom: 56, left: 56 };

const usage =
	'Usage: npm run screenshots [-- --only <words>]: only pictures with one of these in their name, such as extract,renew';
const { only = '' } = readCommandLine(usage, { only: { type: 'string' } });
const browser = await openBrowser(console.log);
const session = await openBrowserSession(console.log);
const editor = await openEditor(browser, session, {
	width: 1440,
	height: 820,
	theme: 'light',
	scale: 2,
});
const chosen = SHOTS.filter(({ name }) => only.split(',').some((word) => name.includes(word)));
for (const shot of chosen) await take(shot, editor);
await shutDown();
process.exit(0);

async function take({ name, show, onlyNodes }: Shot, { page }: Editor): Promise<void> {
	await page.emulateMedia({ colorScheme: 'light' });
	const view = await show(editor, session);
	await closeMessages();
	const clip = onlyNodes ? await boxOfNodes(page) : await boxOf(view);
	// Nothing is pointed at, so no label has its help mark
	await page.mouse.move(0, 0);
	for (const [theme, ending] of THEMES) {
		await page.emulateMedia({ colorScheme: theme });
		await page.waitForTimeout(SETTLE_MS);
		const path = `${DOCS}${name}${ending}.png`;
		await page.screenshot({ path, style: onlyNodes ? NODES_ALONE : UNDISTURBED, clip });
		console.log(`${name}${ending}.png, ${Math.ceil((await stat(path)).size / 1024)} kB`);
	}
}

type Box = NonNullable<PageScreenshotOptions['clip']>;

async function boxOf(view: Locator): Promise<Box> {
	const box = await view.boundingBox();
	if (!box) throw new Error('The view is not on the page');
	return box;
}

async function boxOfNodes(page: Page): Promise<Box> {
	const nodes = page.locator('[data-test-id=canvas-node]:not([data-node-name=Note])');
	const boxes = await Promise.all((await nodes.all()).map(boxOf));
	const x = Math.min(...boxes.map((box) => box.x)) - MARGINS.left;
	const y = Math.min(...boxes.map((box) => box.y)) - MARGINS.top;
	const right = Math.max(...boxes.map((box) => box.x + box.width)) + MARGINS.right;
	const bottom = Math.max(...boxes.map((box) => box.y + box.height)) + MARGINS.bottom;
	return { x, y, width: right - x, height: bottom - y };
}

/** Messages in the corner cover what is below them. */
async function closeMessages(): Promise<void> {
	const messages = editor.page.locator(`${MESSAGE} ${MESSAGE}__closeBtn`);
	while ((await messages.count()) > 0) {
		await messages.first().click();
		await editor.page.waitForTimeout(500);
	}
}

/** `npm run screenshots`: the pictures of the documentation, in light and dark. */
import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { shutDown } from '../../scripts/shutdown.mjs';
import type { Locator, PageScreenshotOptions } from 'playwright-core';
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
/** The edge of a picture would cut n8n's buttons for the nodes next to an opened one; tips cover the view. */
const UNDISTURBED =
	'[data-test-id=floating-nodes], [data-reka-popper-content-wrapper], .el-popper { visibility: hidden; }';

const browser = await openBrowser(console.log);
const session = await openBrowserSession(console.log);
const editor = await openEditor(browser, session, { width: 1440, height: 820, theme: 'light' });
for (const shot of SHOTS) await take(shot, editor);
await shutDown();
process.exit(0);

async function take({ name, show, crop }: Shot, { page }: Editor): Promise<void> {
	await page.emulateMedia({ colorScheme: 'light' });
	const view = await show(editor, session);
	await closeMessages();
	// Nothing is pointed at, so no label has its help mark
	await page.mouse.move(0, 0);
	for (const [theme, ending] of THEMES) {
		await page.emulateMedia({ colorScheme: theme });
		await page.waitForTimeout(SETTLE_MS);
		const path = `${DOCS}${name}${ending}.png`;
		await page.screenshot({ path, style: UNDISTURBED, clip: await clipOf(view, crop) });
		console.log(`${name}${ending}.png, ${Math.ceil((await stat(path)).size / 1024)} kB`);
	}
}

async function clipOf(
	view: Locator,
	{ top, right, bottom } = { top: 0, right: 0, bottom: 0 },
): Promise<PageScreenshotOptions['clip']> {
	const box = await view.boundingBox();
	if (!box) throw new Error('The view is not on the page');
	const { x, y, width, height } = box;
	return { x, y: y + top, width: width - right, height: height - top - bottom };
}

/** Messages in the corner cover what is below them. */
async function closeMessages(): Promise<void> {
	const messages = editor.page.locator(`${MESSAGE} ${MESSAGE}__closeBtn`);
	while ((await messages.count()) > 0) {
		await messages.first().click();
		await editor.page.waitForTimeout(500);
	}
}

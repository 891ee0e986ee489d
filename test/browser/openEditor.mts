import { openSession, type Session } from '../../demo/session.mts';
import { freePort, sessionFolder } from '../../harness/realN8n/index.mts';
import { Editor } from './editor/editor.mts';
import type { Look, OpenBrowser } from './editor/openBrowser.mts';

/** The session of the demo, with a folder and a port of its own. */
export async function openBrowserSession(say: (line: string) => void): Promise<Session> {
	return await openSession({
		userFolder: sessionFolder('browser'),
		port: await freePort(),
		logLevel: 'info',
		say,
	});
}

/** A signed-in editor in a window of its own. */
export async function openEditor(
	browser: OpenBrowser,
	{ server }: Session,
	look: Look,
): Promise<Editor> {
	const context = await browser.openContext(look);
	return await Editor.signIn(await context.newPage(), server.url);
}

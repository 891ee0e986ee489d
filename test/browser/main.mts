/** `npm run test:browser`: the package in n8n's editor, in a real browser, against the sandbox. */
import { groupsNamed, runChecks } from '../../harness/checks/checks.mts';
import { readCommandLine } from '../../scripts/commandLine.mts';
import { shutDown } from '../../scripts/shutdown.mjs';
import { CHECKS } from './checks/index.mts';
import { collectComplaints } from './editor/complaints.mts';
import { openBrowser } from './editor/openBrowser.mts';
import { openBrowserSession, openEditor } from './openEditor.mts';

const { only } = readCommandLine('Usage: npm run test:browser [-- --only <word>]', {
	only: { type: 'string' },
});
const browser = await openBrowser(console.log);
const session = await openBrowserSession(console.log);
const editor = await openEditor(browser, session, { width: 1440, height: 900, theme: 'light' });
const complaints = collectComplaints(editor.page);
const holds = await runChecks(
	groupsNamed(CHECKS, only),
	{ session, editor, complaints },
	console.log,
);
await shutDown();
process.exit(holds ? 0 : 1);

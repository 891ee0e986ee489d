import type { IExecuteFunctions } from 'n8n-workflow';

import type { KeptBrowser } from '../http/session';

/** Browsers that wait for the next node of their execution; beyond, the oldest is given up. */
const MOST_KEPT = 1000;

/** The browsers of sessions between two nodes of an execution, by the execution and the key of the session. */
const kept = new Map<string, KeptBrowser>();

function giveUp(name: string): void {
	const browser = kept.get(name);
	kept.delete(name);
	browser?.lease.end(browser.learned);
}

/** The names of an execution begin with this. */
function prefixOf(context: IExecuteFunctions): string {
	return `${context.getWorkflow().id ?? ''} ${context.getExecutionId()} `;
}

/** The browser that an earlier node of the execution has left for a session; undefined for none. */
export function takeBrowser(context: IExecuteFunctions, key: string): KeptBrowser | undefined {
	const name = prefixOf(context) + key;
	const browser = kept.get(name);
	kept.delete(name);
	return browser;
}

/** Leaves a browser for later nodes of the execution, with whose end it is given up. False where n8n does not tell of it. */
export function leaveBrowser(
	context: IExecuteFunctions,
	key: string,
	browser: KeptBrowser,
): boolean {
	if (context.onExecutionFinish === undefined || !context.getExecutionId()) return false;
	const prefix = prefixOf(context);
	giveUp(prefix + key);
	kept.set(prefix + key, browser);
	context.onExecutionFinish(() => {
		for (const name of kept.keys()) if (name.startsWith(prefix)) giveUp(name);
	});
	for (const oldest of kept.keys()) {
		if (kept.size <= MOST_KEPT) break;
		giveUp(oldest);
	}
	return true;
}

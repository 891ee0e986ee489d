import type { IExecuteFunctions } from 'n8n-workflow';

import type { Session } from '../http/session';

/** Sessions between two nodes of an execution, by the execution and their key. */
const kept = new Map<string, Session>();

function giveUp(name: string): void {
	kept.get(name)?.end();
	kept.delete(name);
}

/** The names of an execution begin with this. */
function prefixOf(context: IExecuteFunctions): string {
	return `${context.getWorkflow().id ?? ''} ${context.getExecutionId()} `;
}

/** The session that an earlier node of the execution has left under a key; undefined for none. */
export function takeSession(context: IExecuteFunctions, key: string): Session | undefined {
	const name = prefixOf(context) + key;
	const session = kept.get(name);
	kept.delete(name);
	return session;
}

/**
 * Leaves an open session for later nodes of the execution, with whose end it is given up. False for one without a proxy,
 * and where n8n does not tell of that end.
 */
export function leaveSession(context: IExecuteFunctions, key: string, session: Session): boolean {
	if (context.onExecutionFinish === undefined || !context.getExecutionId()) return false;
	if (!session.isOpen) return false;
	const prefix = prefixOf(context);
	giveUp(prefix + key);
	kept.set(prefix + key, session);
	context.onExecutionFinish(() => {
		for (const name of kept.keys()) if (name.startsWith(prefix)) giveUp(name);
	});
	return true;
}

import type { INode } from 'n8n-workflow';

import { uniqueName } from '../../uniqueName.mts';

/** Settings in the tab 'Settings' of a node. */
type NodeSettings = Partial<INode>;

export const RETRY: NodeSettings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
export const CONTINUE: NodeSettings = { onError: 'continueRegularOutput' };
export const CONTINUE_WITH_ERRORS: NodeSettings = { onError: 'continueErrorOutput' };

/** Another node in another execution, which is not a second click on the first one. */
export function elsewhere() {
	return { executionId: uniqueName('execution'), settings: { id: uniqueName('node') } };
}

/** An execution that a schedule starts: nobody clicked. */
export function scheduled() {
	return { executionId: uniqueName('execution'), rootMode: 'trigger' as const };
}

import type { INode } from 'n8n-workflow';

/** What the tab 'Settings' of a node says. */
type NodeSettings = Partial<INode>;

export const RETRY: NodeSettings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
export const CONTINUE: NodeSettings = { onError: 'continueRegularOutput' };
export const CONTINUE_WITH_ERRORS: NodeSettings = { onError: 'continueErrorOutput' };

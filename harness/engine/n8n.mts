import 'reflect-metadata';

import { createRequire } from 'node:module';

/*
 * n8n's engine, in the form and the copies that it loads itself: imported as modules, some of its
 * packages would be there twice. It reads its environment once, so that has to be set before.
 */
const require = createRequire(import.meta.url);

export const {
	DataDeduplicationService,
	ExecuteContext,
	ExecutionLifecycleHooks,
	LoadOptionsContext,
	RoutingNode,
	WorkflowExecute,
}: typeof import('n8n-core') = require('n8n-core');

export const {
	createEmptyRunExecutionData,
	ICredentialsHelper,
	NodeConnectionTypes,
	NodeHelpers,
	Workflow,
}: typeof import('n8n-workflow') = require('n8n-workflow');

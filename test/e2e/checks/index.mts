import type { CheckGroup } from '../../../harness/checks/checks.mts';
import { noSecrets } from '../../../harness/checks/noSecrets.mts';
import type { E2eSession } from '../session.mts';
import { aiTool } from './aiTool.mts';
import { credentialExpressions } from './credentialExpressions.mts';
import { credentialTest } from './credentialTest.mts';
import { examplesInN8n3 } from './examplesInN8n3.mts';
import { installedPackage } from './installedPackage.mts';
import { outputSchemas } from './outputSchemas.mts';
import { pages } from './pages.mts';
import { pickers } from './pickers.mts';
import { products } from './products.mts';
import { signTypes } from './signTypes.mts';
import { tables } from './tables.mts';
import { triggerEvents } from './triggerEvents.mts';

/** In this order. The search for secrets comes last, when there is something to search. */
export const CHECKS: ReadonlyArray<CheckGroup<E2eSession>> = [
	installedPackage,
	outputSchemas,
	credentialTest,
	signTypes,
	credentialExpressions,
	products,
	pages,
	tables,
	triggerEvents,
	pickers,
	aiTool,
	examplesInN8n3,
	noSecrets,
];

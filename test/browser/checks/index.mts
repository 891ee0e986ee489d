import type { CheckGroup } from '../../../harness/checks/checks.mts';
import type { BrowserSetup } from '../setup.mts';
import { addressesToRows } from './addressesToRows.mts';
import { credential } from './credential.mts';
import { fieldsBeforeRun } from './fieldsBeforeRun.mts';
import { fieldsByMouse } from './fieldsByMouse.mts';
import { lists } from './lists.mts';
import { noComplaints } from './noComplaints.mts';
import { nodeSearch } from './nodeSearch.mts';
import { runs } from './runs.mts';
import { tasks } from './tasks.mts';

/** In the order in which they run. */
export const CHECKS: ReadonlyArray<CheckGroup<BrowserSetup>> = [
	nodeSearch,
	addressesToRows,
	tasks,
	fieldsBeforeRun,
	fieldsByMouse,
	lists,
	runs,
	credential,
	noComplaints,
];

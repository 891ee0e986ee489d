import type { CheckGroup } from '../../../harness/checks/checkGroup.mts';
import type { BrowserSetup } from '../setup.mts';
import { fieldsByValues } from './fieldsByValues.mts';

/** In the order in which they run. */
export const CHECKS: ReadonlyArray<CheckGroup<BrowserSetup>> = [fieldsByValues];

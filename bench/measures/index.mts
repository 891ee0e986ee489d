import type { Measure } from '../measure.mts';
import { crawlMeasures } from './crawls.mts';
import { pageHostile } from './pageHostile.mts';
import { pageMeasures } from './pages.mts';
import { pageWasteMeasures } from './pageWaste.mts';
import { pagesVsOthers } from './pagesVsOthers.mts';
import { sharedKeyMeasures } from './sharedKey.mts';

export const MEASURES: readonly Measure[] = [
	...pageMeasures,
	...pageWasteMeasures,
	pageHostile,
	...pagesVsOthers,
	...crawlMeasures,
	...sharedKeyMeasures,
];

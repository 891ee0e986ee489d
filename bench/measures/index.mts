import type { Measure } from '../measure.mts';
import { attach } from './attach.mts';
import { crawlMeasures } from './crawls.mts';
import { extractByHand } from './extractByHand.mts';
import { growth } from './growth.mts';
import { pageHostile } from './pageHostile.mts';
import { pageMeasures } from './pages.mts';
import { pageWasteMeasures } from './pageWaste.mts';
import { pagesVsOthers } from './pagesVsOthers.mts';
import { pacing } from './pacing.mts';
import { reuse } from './reuse.mts';
import { sharedKeyMeasures } from './sharedKey.mts';
import { twoWorkers } from './twoWorkers.mts';

export const MEASURES: readonly Measure[] = [
	extractByHand,
	attach,
	pacing,
	reuse,
	growth,
	...pageMeasures,
	...pageWasteMeasures,
	pageHostile,
	...pagesVsOthers,
	...crawlMeasures,
	...sharedKeyMeasures,
	twoWorkers,
];

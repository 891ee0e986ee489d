import type { Measure } from '../measure.mts';
import { crawlTime } from './crawls.mts';
import { pageHostile } from './pageHostile.mts';
import { pageMeasures } from './pages.mts';
import { pagesVsCrawlee } from './pagesVsCrawlee.mts';
import { pageWasteMeasures } from './pageWaste.mts';
import { sharedKey } from './sharedKey.mts';

export const MEASURES: readonly Measure[] = [
	...pageMeasures,
	...pageWasteMeasures,
	pageHostile,
	pagesVsCrawlee,
	crawlTime,
	sharedKey,
];

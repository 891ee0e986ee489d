import type { Measure } from '../measure.mts';
import { attach } from './attach.mts';
import { extractByHand } from './extractByHand.mts';
import { extractVsHelper } from './extractVsHelper.mts';
import { growth } from './growth.mts';
import { openPages } from './openPages.mts';
import { pacing } from './pacing.mts';
import { renew } from './renew.mts';
import { reuse } from './reuse.mts';
import { sharedKeyMeasures } from './sharedKey.mts';

export const MEASURES: readonly Measure[] = [
	extractByHand,
	extractVsHelper,
	attach,
	renew,
	pacing,
	reuse,
	growth,
	openPages,
	...sharedKeyMeasures,
];

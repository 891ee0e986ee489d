import type { Measure } from '../measure.mts';
import { attach } from './attach.mts';
import { callOverhead } from './callOverhead.mts';
import { extractByHand } from './extractByHand.mts';
import { extractVsRaw } from './extractVsRaw.mts';
import { growth } from './growth.mts';
import { pacing } from './pacing.mts';
import { packedSize } from './packedSize.mts';
import { requireTime } from './requireTime.mts';
import { reuse } from './reuse.mts';

export const MEASURES: readonly Measure[] = [
	packedSize,
	requireTime,
	extractVsRaw,
	callOverhead,
	pacing,
	growth,
	extractByHand,
	attach,
	reuse,
];

import type { Lane } from '../lane.mts';
import type { SoakSession } from '../session.mts';
import { EXTRACTION_LANES } from './extraction.mts';
import { HOSTILE_LANES } from './hostile.mts';
import { PAGE_LANES } from './pages.mts';
import { WORK_LANES } from './work.mts';

/** Mixed work with all key pairs. */
export async function openLanes(session: SoakSession): Promise<readonly Lane[]> {
	const lanes: Lane[] = [];
	for (const open of [...EXTRACTION_LANES, ...PAGE_LANES, ...HOSTILE_LANES, ...WORK_LANES])
		lanes.push(await open(session));
	return lanes;
}

import { at, excerpt, readList } from '../outsideData.mts';

export interface FinishedRun {
	readonly id: string;
	/** 'success', or how else it ended. */
	readonly status: string;
	/** The whole saved execution. */
	readonly saved: unknown;
}

/** What a node put out in a finished run: the items of its first output. */
export function itemsOf(run: FinishedRun, nodeName: string): unknown[] {
	const error = at(run.saved, 'data', 'resultData', 'error', 'message');
	if (run.status !== 'success') {
		throw new Error(`the run ended with '${run.status}': ${excerpt(error)}`);
	}
	return readList(run.saved, 'data', 'resultData', 'runData', nodeName, 0, 'data', 'main', 0);
}

import { at } from '../../harness/outsideData.mts';

const MEGABYTE = 1024 * 1024;
const ASK_LIMIT_MS = 30_000;

/** What n8n held on to at one moment, in megabytes. */
export interface MemorySample {
	/** Of the heap, after a collection. */
	readonly heap: number;
	/** Of the whole process. */
	readonly resident: number;
}

/** Asks the probe inside n8n. */
export async function sampleMemory(probeUrl: string): Promise<MemorySample> {
	const answer = await fetch(probeUrl, { signal: AbortSignal.timeout(ASK_LIMIT_MS) });
	const usage: unknown = await answer.json();
	return {
		heap: megabytes(at(usage, 'heapUsed')),
		resident: megabytes(at(usage, 'rss')),
	};
}

function megabytes(bytes: unknown): number {
	if (typeof bytes !== 'number') throw new Error('The probe inside n8n tells no memory');
	return bytes / MEGABYTE;
}

export interface HeapTrend {
	/** Medians, in megabytes. The first quarter is left out: n8n loads and compiles then. */
	readonly secondQuarter: number;
	readonly lastQuarter: number;
}

const MOST_GROWTH = 1.05;
const MOST_GROWTH_MB = 2;

export function heapTrend(samples: readonly MemorySample[]): HeapTrend {
	const quarter = Math.floor(samples.length / 4);
	return {
		secondQuarter: median(samples.slice(quarter, 2 * quarter)),
		lastQuarter: median(samples.slice(-quarter)),
	};
}

/** The most that the last quarter may have, in megabytes. */
export function mostAtTheEnd({ secondQuarter }: HeapTrend): number {
	return secondQuarter * MOST_GROWTH + MOST_GROWTH_MB;
}

function median(samples: readonly MemorySample[]): number {
	const sorted = samples.map(({ heap }) => heap).sort((a, b) => a - b);
	const middle = sorted[Math.floor(sorted.length / 2)];
	if (middle === undefined) throw new Error('There are too few samples of the memory');
	return middle;
}

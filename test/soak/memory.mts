import { at } from '../../harness/outsideData.mts';

const MEGABYTE = 1024 * 1024;
const ASK_LIMIT_MS = 30_000;

/** What n8n held on to at one moment, in megabytes. */
export interface MemorySample {
	/** Since the start of the soak. */
	readonly seconds: number;
	/** Of the heap, after a collection. */
	readonly heap: number;
	/** Of the whole process. */
	readonly resident: number;
}

/** Asks the probe inside n8n. */
export async function sampleMemory(probeUrl: string, seconds: number): Promise<MemorySample> {
	const answer = await fetch(probeUrl, { signal: AbortSignal.timeout(ASK_LIMIT_MS) });
	const usage: unknown = await answer.json();
	return {
		seconds,
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
	/** Of the line through all samples but the first quarter. */
	readonly megabytesPerHour: number;
}

const MOST_GROWTH = 1.05;
const MOST_GROWTH_MB = 2;

export function heapTrend(samples: readonly MemorySample[]): HeapTrend {
	const quarter = Math.floor(samples.length / 4);
	const settled = samples.slice(quarter);
	return {
		secondQuarter: median(settled.slice(0, quarter)),
		lastQuarter: median(samples.slice(-quarter)),
		megabytesPerHour: slope(settled) * 3600,
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

/** By the method of least squares, in megabytes per second. */
function slope(samples: readonly MemorySample[]): number {
	const mean = (values: readonly number[]) =>
		values.reduce((sum, value) => sum + value, 0) / values.length;
	const middleTime = mean(samples.map(({ seconds }) => seconds));
	const middleHeap = mean(samples.map(({ heap }) => heap));
	let together = 0;
	let alone = 0;
	for (const { seconds, heap } of samples) {
		together += (seconds - middleTime) * (heap - middleHeap);
		alone += (seconds - middleTime) ** 2;
	}
	return together / alone;
}

import { sleep } from 'n8n-workflow';

import type { ProxySource } from '../proxies/lease';

/** For so long at most, nothing else in the process runs. */
const LONGEST_PIECE_MS = 50;

/** @returns what to await between pieces of work, so that others get to run */
export function breaks(): () => Promise<void> {
	let since = performance.now();
	return async () => {
		if (performance.now() - since < LONGEST_PIECE_MS) return;
		await sleep(0);
		since = performance.now();
	};
}

/** Works on pages, one after the other within a lane, and several lanes at a time. */
export interface Schedule {
	/** In the order in which they begin: the indexes of their items. */
	readonly lanes: ReadonlyArray<readonly number[]>;
	/** How many may be worked on at the same time while this item is. */
	readonly atATime: (index: number) => number;
	/** Never rejects. */
	readonly work: (index: number) => Promise<void>;
	/** Called when a lane has come to its end. */
	readonly laneEnded: (lane: readonly number[]) => void;
	/** Whether nothing more is to begin. */
	readonly isOver: () => boolean;
}

/** Resolves when all is done, and nothing is being worked on any more. */
export async function runSchedule(schedule: Schedule): Promise<void> {
	const { lanes, atATime, work, laneEnded, isOver } = schedule;
	const running = new Set<Promise<void>>();
	const takeBreak = breaks();
	const run = async (lane: readonly number[]): Promise<void> => {
		for (const index of lane) if (!isOver()) await work(index);
		laneEnded(lane);
	};
	for (const lane of lanes) {
		const limit = lane.reduce((least, index) => Math.min(least, atATime(index)), Infinity);
		while (running.size >= limit) await Promise.race(running);
		await takeBreak();
		if (isOver()) break;
		const one = run(lane).finally(() => running.delete(one));
		running.add(one);
	}
	await Promise.all(running);
}

/** How many leases are still to come, by where the proxies come from and the site. */
export class Upcoming {
	private readonly counts = new Map<ProxySource, Map<string, number>>();

	private readonly totals = new Map<ProxySource, number>();

	of(source: ProxySource): number {
		return this.totals.get(source) ?? 0;
	}

	add(source: ProxySource, site: string, count: number): void {
		const bySite = this.counts.get(source) ?? new Map<string, number>();
		this.counts.set(source, bySite);
		const before = bySite.get(site);
		// A site that was dropped has none any more
		if (before === undefined && count < 0) return;
		bySite.set(site, (before ?? 0) + count);
		this.totals.set(source, this.of(source) + count);
	}

	/** A site of which no page is tried any more. */
	drop(site: string): void {
		for (const [source, bySite] of this.counts) {
			this.totals.set(source, this.of(source) - (bySite.get(site) ?? 0));
			bySite.delete(site);
		}
	}
}

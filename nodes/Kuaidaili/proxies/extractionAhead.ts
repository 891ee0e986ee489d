/** Everything that decides for how many pages proxies are extracted before they ask for one. */
export interface RunProgress {
	/** Pages that have a proxy, or wait for one. */
	readonly atWork: number;
	/** Pages that were opened. */
	readonly opened: number;
	/** Leases whose proxy was to blame that no page was opened. */
	readonly failed: number;
	/** Proxies that ended before anybody got them. */
	readonly expired: number;
	/** The time for which a page has its proxy, in milliseconds; undefined before the first one was given back. */
	readonly leaseMs?: number;
	/** From an extraction that leaves now until the next one has brought proxies, in milliseconds. */
	readonly untilNextMs: number;
}

/** The share of the opened pages that is extracted ahead at most, beyond one each for those at work: a site may begin to block. */
const MOST_OF_OPENED = 1 / 3;

/** The share of the opened pages that is extracted at most in place of proxies that are going to fail, or that end unused. */
const MOST_SPARE_OF_OPENED = 1 / 50;

/** The number of pages that those at work can go on to before another extraction has brought proxies, one each at least. */
export function pagesAhead(progress: RunProgress): number {
	const { atWork, opened, failed, expired, leaseMs, untilNextMs } = progress;
	// Where most pages fail, or come so slowly that proxies end before them, others would be used up in vain
	if (opened <= failed || expired > opened * MOST_SPARE_OF_OPENED) return 0;
	const each = leaseMs === undefined ? 1 : Math.max(1, Math.ceil(untilNextMs / leaseMs));
	return Math.floor(Math.min(atWork * each, Math.max(atWork, opened * MOST_OF_OPENED)));
}

/**
 * The number of further proxies for pages that are going to meet one that fails, as others did before: near the end of a
 * run, nobody has to wait for another extraction then.
 *
 * @param upcoming the pages that are still to come
 */
export function spareProxies({ atWork, opened, failed }: RunProgress, upcoming: number): number {
	if (failed === 0) return 0;
	const expected = ((atWork + upcoming) * failed) / (opened + failed);
	return Math.floor(Math.min(Math.ceil(expected), opened * MOST_SPARE_OF_OPENED));
}

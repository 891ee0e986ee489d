import { ResponseCache } from '../../shared/concurrency/responseCache';
import type { RunQuery } from '../../shared/service/query';
import { CancelledError, unlessCancelled } from '../../shared/errors/callErrors';
import { untilAborted, untilCancelled } from '../../shared/concurrency/wait';
import { userAgents } from '../../shared/queries/userAgent';

/** For when the service has none to give. */
const CURRENT_BROWSERS: readonly string[] = [
	'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 Safari/537.36',
	'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 Safari/537.36 Edg/154.0.0.0',
	'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 Safari/537.36',
];

const LOOKS_LIKE_BROWSER = /^Mozilla\/5\.0 [\x20-\x7e]{20,400}$/;

/** Of computers: the same pages as in the browser of whoever makes the workflow. */
const WANTED = { num: '30', dt: 'pc', browser: 'chrome' };

/** No page has to wait for a name. */
const LONGEST_WAIT_MS = 5000;

/** An hour long; also that there are none. */
const knownLists = new ResponseCache<readonly string[]>({
	longestAgeMs: 3_600_000,
	largestSize: 500,
});

async function fetchList(run: RunQuery): Promise<readonly string[]> {
	const found = (await run(userAgents, WANTED).catch(unlessCancelled)) ?? [];
	return found.filter((name) => LOOKS_LIKE_BROWSER.test(name));
}

/**
 * User agents of current browsers, from the service where it gives any.
 *
 * @param orderKey tells apart who asks
 * @throws CancelledError
 */
export async function obtainUserAgents(
	run: RunQuery,
	orderKey: string,
	signal: AbortSignal | undefined,
): Promise<readonly string[]> {
	const list = knownLists.obtain(orderKey, async () => await fetchList(run));
	const inTime = untilAborted(
		list,
		AbortSignal.timeout(LONGEST_WAIT_MS),
		() => new Error('The list did not come in time'),
	);
	const found = await untilCancelled(inTime, signal).catch((error: unknown) => {
		// Another execution that asked for the list may have been cancelled
		if (error instanceof CancelledError && signal?.aborted === true) throw cancelled();
		return [];
	});
	return found.length === 0 ? CURRENT_BROWSERS : found;
}

function cancelled(): CancelledError {
	return new CancelledError();
}

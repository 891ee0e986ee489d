import type { LoggedRequest } from '../../sandbox/sandbox.mts';
import type { Stall } from './stalls.mjs';

const WINDOW_MS = 10_000;

const INTERVALS_MS: ReadonlyMap<string, number> = new Map([
	['/api/getaccountorders', 1000],
	['/api/getaccountbalance', 1000],
	['/api/createorder', 1000],
	['/api/reneworder', 1000],
	['/api/getordersecret', 1000],
	['/api/getorderexpiretime', 100],
	['/api/getorderinfo', 200],
	['/api/getipbalance', 100],
	['/api/getproxyauthorization', 100],
	// Ten per second and 120 per minute
	['/api/getdps', 500],
	['/api/gettps', 100],
	['/api/checkdpsvalid', 100],
	['/api/getdpsvalidtime', 100],
	['/api/get_secret_token', 1000],
]);

/** The documented shortest time between two such calls with one key, in milliseconds. */
export function intervalMsOf({
	host,
	path,
}: Pick<LoggedRequest, 'host' | 'path'>): number | undefined {
	return path === '/api/getproxy' && host === 'svip' ? 200 : INTERVALS_MS.get(path);
}

/** The calls of each key to each path, in the order of their arrival. */
export function callsByKeyAndPath(
	requests: readonly LoggedRequest[],
): ReadonlyMap<string, readonly LoggedRequest[]> {
	const groups = new Map<string, LoggedRequest[]>();
	for (const request of requests) {
		const name = `${request.parameters.secret_id} ${request.path}`;
		const group = groups.get(name) ?? [];
		group.push(request);
		groups.set(name, group);
	}
	return groups;
}

/** The most calls that came within any ten seconds. */
export function mostInWindow(calls: readonly LoggedRequest[]): number {
	let most = 0;
	let first = 0;
	calls.forEach(({ arrival }, last) => {
		while (arrival - calls[first].arrival >= WINDOW_MS) first += 1;
		most = Math.max(most, last - first + 1);
	});
	return most;
}

/** What ten seconds may hold at most: one at both ends, and one that was noticed late. */
export function allowedInWindow(intervalMs: number): number {
	return WINDOW_MS / intervalMs + 2;
}

/** How long before a call the one before it may have been held up. */
const AROUND_MS = 500;

/**
 * Whether a process stood still between a call and the one before it: that one then arrived late, and
 * the next one, on time, seems too early.
 */
export function isByStall(request: LoggedRequest, stalls: readonly Stall[]): boolean {
	const arrived = request.time.getTime();
	const since = arrived - (intervalMsOf(request) ?? 0) - AROUND_MS;
	return stalls.some(({ from, to }) => from <= arrived && to >= since);
}

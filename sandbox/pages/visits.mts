import type { IncomingHttpHeaders } from 'node:http';
import { SwitchedOn } from '../faults/switchedOn.mts';
import type { Departure } from '../forwarding/targetConnections.mts';

/** One request to a page. */
export interface Visit {
	number: number;
	method: string;
	url: string;
	headers: IncomingHttpHeaders;
	/** Undefined when the visitor came directly, without a proxy of the sandbox. */
	through: Departure | undefined;
	/** Monotonic milliseconds. */
	startedAt: number;
	/** Undefined as long as the answer is under way. */
	endedAt: number | undefined;
	status: number | undefined;
	/** `left`: the connection ended before the whole answer had been sent. */
	outcome: 'open' | 'answered' | 'left';
}

/** Who came to the pages. */
export class Visits {
	private readonly list: Visit[] = [];

	add(visit: Omit<Visit, 'number' | 'endedAt' | 'status' | 'outcome'>): Visit {
		const added: Visit = {
			...visit,
			number: this.list.length + 1,
			endedAt: undefined,
			status: undefined,
			outcome: 'open',
		};
		this.list.push(added);
		return added;
	}

	/** Oldest first; with a path, only those to that page, whatever its query. */
	entries(path?: string): readonly Visit[] {
		return this.list.filter(({ url }) => path === undefined || new URL(url).pathname === path);
	}

	/** Those who came without a proxy of the sandbox. */
	direct(): readonly Visit[] {
		return this.list.filter(({ through }) => through === undefined);
	}

	/** The most visits that were under way at the same time, of all or of these. */
	mostAtOnce(visits: readonly Visit[] = this.list): number {
		const changes = visits.flatMap(({ startedAt, endedAt = Infinity }) => [
			{ at: startedAt, by: 1 },
			{ at: endedAt, by: -1 },
		]);
		// One that ends when the next begins was not there at the same time
		changes.sort((left, right) => left.at - right.at || left.by - right.by);
		let now = 0;
		let most = 0;
		for (const { by } of changes) {
			now += by;
			most = Math.max(most, now);
		}
		return most;
	}

	clear(): void {
		this.list.length = 0;
	}
}

/**
 * An answer that a visitor gets in place of the page, in the words of the service's faults where it has one. `captcha` is
 * a page with status 200, `verify` a redirect to one, `hang` no answer at all, `reset` and `halfBody` end the connection
 * before and in the middle of it.
 */
export type PageAnswer =
	| { kind: 'status'; status: number }
	| { kind: 'redirect'; location: string }
	| { kind: 'html'; body: string }
	| { kind: 'captcha' | 'verify' | 'empty' | 'hang' | 'reset' | 'halfBody' };

/** Which visits are hit, and how many of them: without `times`, all until the faults are cleared. */
interface PageTarget {
	/** The name of the site, without a port. */
	host?: string;
	path?: string;
	times?: number;
}

export type PageFault = PageTarget & PageAnswer;

/** What the pages do to some of their visitors, as real sites do. */
export class PageFaults extends SwitchedOn<PageFault> {
	take(visit: Visit): PageAnswer | undefined {
		return this.takeFirst((fault) => hits(fault, visit));
	}
}

function hits(fault: PageFault, { url }: Visit): boolean {
	const { hostname, pathname } = new URL(url);
	return (fault.host ?? hostname) === hostname && (fault.path ?? pathname) === pathname;
}

import type { IncomingHttpHeaders } from 'node:http';
import type { Departure } from '../forwarding/departures.mts';

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

	last(): Visit | undefined {
		return this.list.at(-1);
	}

	/** Those who came without a proxy of the sandbox. */
	direct(): readonly Visit[] {
		return this.list.filter(({ through }) => through === undefined);
	}

	/** How many came from each exit. */
	countByExit(): ReadonlyMap<string, number> {
		const counts = new Map<string, number>();
		for (const { through } of this.list) {
			if (through) counts.set(through.exit, (counts.get(through.exit) ?? 0) + 1);
		}
		return counts;
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

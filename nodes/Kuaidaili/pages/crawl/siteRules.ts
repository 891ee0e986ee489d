import { isList } from '../../../shared/guards';
import type { PageResult } from '../openPage';
import { ALLOWS_ALL, ALLOWS_NOTHING, readRobots, type Robots } from './robots';

/** Opens what is at an address, at a time that suits, and tells what became of it. */
export type OpenAddress = (url: string, done: (result: PageResult) => void) => void;

/** The robots.txt of each site that a run has to do with, each asked for once. */
export class SiteRules {
	/** By site; those who wait for it until it has come. */
	private readonly known = new Map<string, Robots | Array<() => void>>();

	/** By site, why its robots.txt could not be read. */
	readonly failures = new Map<string, Error>();

	/** @param userAgent what somebody typed; empty for a browser */
	constructor(private readonly userAgent: string) {}

	/** @returns undefined where it has to be asked for; `then` is called when it has come */
	of(url: string, open: OpenAddress, then: () => void): Robots | undefined {
		const { origin } = new URL(url);
		const known = this.known.get(origin);
		if (known === undefined) {
			const waiting = [then];
			this.known.set(origin, waiting);
			open(`${origin}/robots.txt`, (result) => {
				this.known.set(origin, this.read(origin, result));
				for (const one of waiting) one();
			});
		} else if (isList(known)) known.push(then);
		else return known;
		return undefined;
	}

	/** RFC 9309, 2.3.1 */
	private read(
		origin: string,
		{ url, outcome, statusCode = 0, content, error }: PageResult,
	): Robots {
		if (error === undefined) return readRobots(content?.text ?? '', url, this.userAgent);
		const isOfSite = outcome === 'status' || outcome === 'blocked';
		if (isOfSite && statusCode >= 400 && statusCode < 500) return ALLOWS_ALL;
		this.failures.set(origin, error);
		return ALLOWS_NOTHING;
	}
}

import type { PageResult } from '../openPage';
import { ALLOWS_ALL, ALLOWS_NOTHING, readRobots, type Robots } from './robots';

/** Opens what is at an address, at a time that suits, and tells what became of it. */
export type OpenAddress = (url: string, done: (result: PageResult) => void) => void;

/** The robots.txt of each site that a run has to do with, each asked for once. */
export class SiteRules {
	private readonly known = new Map<string, Robots>();

	private readonly waiting = new Map<string, Array<() => void>>();

	/** By site, why its robots.txt could not be read. */
	readonly failures = new Map<string, Error>();

	/** @param userAgent what somebody typed; empty for a browser */
	constructor(private readonly userAgent: string) {}

	/** @returns undefined where it has to be asked for; `then` is called when it has come */
	of(url: string, open: OpenAddress, then: () => void): Robots | undefined {
		const { origin } = new URL(url);
		const robots = this.known.get(origin);
		if (robots !== undefined) return robots;
		const waiting = this.waiting.get(origin);
		if (waiting !== undefined) waiting.push(then);
		else {
			this.waiting.set(origin, [then]);
			open(`${origin}/robots.txt`, (result) => {
				this.known.set(origin, this.read(origin, result));
				for (const one of this.waiting.get(origin) ?? []) one();
			});
		}
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

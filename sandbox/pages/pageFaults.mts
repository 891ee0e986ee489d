import type { Visit } from './visits.mts';

export const PAGE_ANSWERS = ['captcha', 'verify', 'empty', 'hang', 'reset', 'cut'] as const;

/**
 * What a visitor gets in place of the page. `captcha` is a page with status 200, `verify` a redirect to
 * one, `hang` no answer at all, `reset` and `cut` end the connection before and in the middle of it.
 */
export type PageAnswer = { status: number } | { answer: (typeof PAGE_ANSWERS)[number] };

/** Which visits are hit, and how many of them: without `times`, all until the faults are cleared. */
interface PageTarget {
	/** The address that the page sees. */
	exit?: string;
	/** `address:port` */
	proxy?: string;
	/** The name of the site, without a port. */
	host?: string;
	path?: string;
	times?: number;
}

export type PageFault = PageTarget & PageAnswer;

/** What the pages do to some of their visitors, as real sites do. */
export class PageFaults {
	private armed: PageFault[] = [];

	add(...faults: readonly PageFault[]): void {
		this.armed.push(...faults.map((fault) => ({ ...fault })));
	}

	list(): readonly PageFault[] {
		return this.armed.map((fault) => ({ ...fault }));
	}

	clear(): void {
		this.armed = [];
	}

	/** The fault that was added first decides. */
	take(visit: Visit): PageAnswer | undefined {
		const fault = this.armed.find((each) => hits(each, visit));
		if (fault?.times !== undefined) {
			fault.times -= 1;
			if (fault.times <= 0) this.armed = this.armed.filter((each) => each !== fault);
		}
		return fault;
	}
}

function hits(fault: PageFault, { url, through }: Visit): boolean {
	const { hostname, pathname } = new URL(url);
	return (
		(fault.exit ?? through?.exit) === through?.exit &&
		(fault.proxy ?? through?.proxy) === through?.proxy &&
		(fault.host ?? hostname) === hostname &&
		(fault.path ?? pathname) === pathname
	);
}

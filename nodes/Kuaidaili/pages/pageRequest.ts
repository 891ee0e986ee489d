/** What makes an answer count as refused, so that another proxy is tried. */
export interface RetryIf {
	readonly statuses: ReadonlySet<number>;
	/** In lower case. */
	readonly contains: readonly string[];
	/** In lower case. */
	readonly lacks: readonly string[];
	/** Bytes; 0 for none. */
	readonly shorterThan: number;
	/** Part of a URL. */
	readonly redirectedTo?: string;
}

export const MOST_ATTEMPTS = 10;
export const LONGEST_ATTEMPT_MS = 600_000;
export const LARGEST_PAGE_MB = 500;
export const BYTES_PER_MEGABYTE = 1_000_000;

export type Headers = Readonly<Record<string, string>>;

/** A page as it was entered for an item, checked. */
export interface PageRequest {
	/** Of http or https, without a login. */
	readonly url: string;
	readonly method: 'GET' | 'HEAD' | 'POST';
	/** As they were typed, and what kind of body there is. */
	readonly headers: Headers;
	/** Of POST. */
	readonly body?: string;
	readonly followRedirects: boolean;
	readonly maxBytes: number;
	/** For one attempt: the way to the proxy, redirects and the body included. */
	readonly attemptTimeoutMs: number;
	readonly maxAttempts: number;
	/** How many pages may be open at the same time while this one is. */
	readonly pagesAtATime: number;
	/** How many pages share a proxy, 0 for as many as it works for; undefined for tunnels, and within a session. */
	readonly pagesPerProxy?: number;
	/** So many proxies in a row are tried in vain on a site, or to connect to at all; 0 for any number. */
	readonly giveUpSiteAfter: number;
	/** Whether the certificates of pages are not checked. */
	readonly ignoresCertificates: boolean;
	readonly retryIf: RetryIf;
}

/** The value of a header, whatever the case of its name. */
export function headerOf(headers: Headers, name: string): string | undefined {
	return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}

export function without(headers: Headers, names: readonly string[]): Headers {
	return Object.fromEntries(
		Object.entries(headers).filter(([name]) => !names.includes(name.toLowerCase())),
	);
}

/** What pages are told apart by, where one may be given up and another not. */
export function siteOf({ url }: Pick<PageRequest, 'url'>): string {
	return new URL(url).hostname;
}

/** What is sent of an address: who follows links, or opens pages again, tells them apart by that. */
export function withoutFragment(url: string): string {
	const address = new URL(url);
	address.hash = '';
	return address.href;
}

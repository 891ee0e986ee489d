import { formatNumber, plural, sentences } from '../../../shared/wording';
import { asError, wordsOf } from '../../../shared/api/errors';
import type { ProxyCounts } from '../../proxies/lease';

/** How many pages a run has, and what became of them. */
export interface PageCounts {
	/** Pages that are opened, that failed, and that the run still works on. */
	readonly total: number;
	readonly opened: number;
	/** How many pages failed in each way, such as "blocked", the most frequent one first. */
	readonly failures: ReadonlyArray<readonly [failure: string, pages: number]>;
	/** Pages that were opened besides, and do not come out: for their links, as a redirect, a robots.txt, a sitemap. */
	readonly unseen: number;
}

/**
 * Counts what became of pages.
 *
 * @param pages undefined for those that the run still works on; `failure` is its `pageStatus`
 */
export function countPages(
	pages: Iterable<{ readonly error?: unknown; readonly failure: string } | undefined>,
	unseen: number,
): PageCounts {
	const failures = new Map<string, number>();
	let total = 0;
	let opened = 0;
	for (const page of pages) {
		total += 1;
		if (page === undefined) continue;
		if (page.error === undefined) opened += 1;
		else failures.set(page.failure, (failures.get(page.failure) ?? 0) + 1);
	}
	return { total, opened, failures: [...failures].sort(([, a], [, b]) => b - a), unseen };
}

/** Ways in which pages failed that a report explains. */
const MOST_EXPLAINED = 5;

/**
 * The reason and the advice for the pages that failed, once for each `pageStatus`: a sentence about the first one, such as
 * "2 pages with 'blocked', such as: The site refused to show the page in 3 attempts. …" Errors of items say it themselves.
 */
export function describeFailures(
	pages: Iterable<
		| {
				readonly error?: unknown;
				readonly failure: string;
				readonly outcome?: { readonly kind: string };
		  }
		| undefined
	>,
): string[] {
	const failed = new Map<string, { readonly error: unknown; count: number }>();
	for (const page of pages) {
		if (page?.error === undefined || page.outcome?.kind !== 'result') continue;
		const known = failed.get(page.failure);
		if (known === undefined) failed.set(page.failure, { error: page.error, count: 1 });
		else known.count += 1;
	}
	const most = [...failed].sort(([, a], [, b]) => b.count - a.count).slice(0, MOST_EXPLAINED);
	return most.map(([failure, { error, count }]) => {
		const such = count === 1 ? '' : ', such as';
		return `${plural(count, 'page')} with '${failure}'${such}: ${wordsOf(asError(error)).join('. ')}`;
	});
}

/** Share of an order's IPs that a page cost, where the order counts IPs. */
function perPage({ counted }: ProxyCounts, pages: number): string {
	const ratio = (counted / pages).toFixed(2);
	return counted > 0 && pages > 1 ? ` (${Number(ratio) || '<0.01'} per page)` : '';
}

function describeProxies(proxies: ProxyCounts, opened: number): string {
	const { extracted, unused, reused, failed, left } = proxies;
	const parts: string[] = [];
	const say = (count: number, verb: string): void => {
		const noun = count === 1 ? 'proxy was ' : 'proxies were ';
		parts.push(`${formatNumber(count)} ${parts.length === 0 ? noun : ''}${verb}`);
	};
	if (extracted > 0) say(extracted, `extracted${perPage(proxies, opened)}`);
	if (unused > 0)
		parts.push(extracted === 1 ? 'not used' : `${formatNumber(unused)} of them not used`);
	if (reused > 0) say(reused, 'reused');
	if (parts.length === 0) return '';
	if (failed > 0) parts.push(`${formatNumber(failed)} failed`);
	if (left !== undefined) parts.push(left);
	return `${parts.join(', ')}.`;
}

/**
 * Summary of a run, such as "Opened 28 of 30 pages. Not opened: 2 blocked. 33 proxies were extracted (1.18 per page), 4
 * of them not used, 3 failed, 940 are left for today."
 */
export function describeRun(
	{ total, opened, failures, unseen }: PageCounts,
	proxies: ProxyCounts,
): string {
	const failed = failures.map(([how, pages]) => `${formatNumber(pages)} ${how}`).join(', ');
	const others =
		unseen > 0 ? `, and ${formatNumber(unseen)} without an item, such as robots.txt` : '';
	return sentences(
		`Opened ${formatNumber(opened)} of ${plural(total, 'page')}${others}.`,
		failed && `Not opened: ${failed}.`,
		describeProxies(proxies, opened + unseen),
	);
}

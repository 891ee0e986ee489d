import { formatNumber } from '../../shared/wording';
import type { SupplyCounts } from '../proxies/lease';

/** How many pages of a run there are, and what became of them. */
export interface PageCounts {
	total: number;
	opened: number;
	failed: number;
	/** How many failed in each way, such as "blocked". */
	readonly failures: Map<string, number>;
}

/** In which ways pages failed, and how many in each, the most frequent one first. */
export function failuresByFrequency({ failures }: PageCounts): Array<[string, number]> {
	return [...failures].sort(([, a], [, b]) => b - a);
}

function failuresIn(counts: PageCounts): string {
	const parts = failuresByFrequency(counts);
	return parts.map(([how, count]) => `${formatNumber(count)} ${how}`).join(', ');
}

/** What pages cost, where an order counts IPs. */
function perPage({ counted }: SupplyCounts, pages: number): string {
	const ratio = (counted / pages).toFixed(2);
	return counted > 0 && pages > 1 ? ` (${Number(ratio) || '<0.01'} per page)` : '';
}

function proxiesTaken(proxies: SupplyCounts, opened: number, failed: number): string {
	const { extracted, unused, reused, left } = proxies;
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
	if (left !== undefined) parts.push(`${formatNumber(left)} ${left === 1 ? 'is' : 'are'} left`);
	return `${parts.join(', ')}.`;
}

/**
 * Such as "28 of 30 pages were opened: 2 blocked. 33 proxies were extracted (1.18 per page), 4 of them not used, 3 failed, 940 are left."
 *
 * @param failedProxies how many
 */
export function summaryOf(pages: PageCounts, proxies: SupplyCounts, failedProxies: number): string {
	const { opened, total } = pages;
	const verb = opened === 1 ? 'was' : 'were';
	const noun = total === 1 ? 'page' : 'pages';
	const ofPages = `${formatNumber(opened)} of ${formatNumber(total)} ${noun} ${verb} opened`;
	const what = [ofPages, failuresIn(pages)].filter(Boolean).join(': ');
	return [`${what}.`, proxiesTaken(proxies, opened, failedProxies)].filter(Boolean).join(' ');
}

/** Such as "120 of 500 pages are done, 3 of them failed." */
export function progressOf({ opened, failed, total }: PageCounts): string {
	const some = failed === 0 ? '' : `, ${formatNumber(failed)} of them failed`;
	return `${formatNumber(opened + failed)} of ${formatNumber(total)} pages are done${some}.`;
}

/**
 * What to know of a tunnel that keeps its IP over several pages.
 *
 * @param secondsPerIp 0 for a new IP with each request
 * @param opened pages
 * @param seconds that they took
 */
export function keptIpInWords(secondsPerIp: number, opened: number, seconds: number): string[] {
	const ips = Math.floor(seconds / secondsPerIp) + 1;
	if (secondsPerIp === 0 || ips >= opened) return [];
	const source = `about ${formatNumber(ips)} ${ips === 1 ? 'IP' : 'IPs'}`;
	return [
		`This tunnel keeps an IP for ${formatNumber(secondsPerIp)} seconds: ${formatNumber(opened)} pages came from ${source}, or as many for each channel of the order.`,
	];
}

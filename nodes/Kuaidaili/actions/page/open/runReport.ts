import { wait } from '../../../../shared/concurrency/wait';
import { CancelledError } from '../../../../shared/errors/callErrors';
import { formatNumber } from '../../../../shared/wording';
import type { SupplyCounts } from '../../../proxies/lease';

export interface PageCounts {
	readonly opened: number;
	/** Opened, or given up. */
	readonly done: number;
	readonly failed: number;
	readonly total: number;
}

function pagesOpened({ opened, total }: PageCounts): string {
	const verb = opened === 1 ? 'was' : 'were';
	const noun = total === 1 ? 'page' : 'pages';
	return `${formatNumber(opened)} of ${formatNumber(total)} ${noun} ${verb} opened.`;
}

function proxiesTaken({ extracted, unused, reused, left }: SupplyCounts, failed: number): string {
	const parts: string[] = [];
	const say = (count: number, verb: string): void => {
		const isFirst = parts.length === 0;
		const noun = count === 1 ? 'proxy was' : 'proxies were';
		parts.push(`${formatNumber(count)} ${isFirst ? `${noun} ` : ''}${verb}`);
	};
	if (extracted > 0) say(extracted, 'extracted');
	if (unused > 0)
		parts.push(extracted === 1 ? 'not used' : `${formatNumber(unused)} of them not used`);
	if (reused > 0) say(reused, 'reused');
	if (parts.length === 0) return '';
	if (failed > 0) parts.push(`${formatNumber(failed)} failed`);
	if (left !== undefined) parts.push(`${formatNumber(left)} ${left === 1 ? 'is' : 'are'} left`);
	return `${parts.join(', ')}.`;
}

/**
 * Such as "28 of 30 pages were opened. 33 proxies were extracted, 4 of them not used, 3 failed, 940 are left."
 *
 * @param failedProxies how many
 */
export function summaryOf(pages: PageCounts, proxies: SupplyCounts, failedProxies: number): string {
	return [pagesOpened(pages), proxiesTaken(proxies, failedProxies)].filter(Boolean).join(' ');
}

/** Such as "120 of 500 pages are done, 3 of them failed." */
export function progressOf({ done, failed, total }: PageCounts): string {
	const some = failed === 0 ? '' : `, ${formatNumber(failed)} of them failed`;
	return `${formatNumber(done)} of ${formatNumber(total)} pages are done${some}.`;
}

const INTERVAL_MS = 10_000;

/**
 * Tells how far something has got, every ten seconds.
 *
 * @returns what to call when it is done
 */
export function reportEvery10Seconds(report: () => void): () => void {
	const done = new AbortController();
	const repeat = async (): Promise<void> => {
		for (;;) {
			await wait(INTERVAL_MS, done.signal);
			report();
		}
	};
	repeat().catch((error: unknown) => {
		if (!(error instanceof CancelledError)) throw asError(error);
	});
	return () => done.abort();
}

function asError(error: unknown): Error {
	return error instanceof Error ? error : new Error(String(error));
}

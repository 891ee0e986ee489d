import type { IExecuteFunctions } from 'n8n-workflow';

import { eventLoopYielder } from '../../../shared/concurrency/wait';
import { asError, CallError, CancelledError } from '../../../shared/errors/callErrors';
import { isList, ownValue } from '../../../shared/guards';
import { formatNumber, plural, sentences } from '../../../shared/wording';
import { NodeRecords } from '../../nodeRecords';
import { isCancelled, isTool } from '../../nodeRun';
import type { Item, ItemOutcome, OperationResult, RunOutcome } from '../../operation';
import { wordsOf, type PageResult } from '../run/openPage';
import { PageRun } from '../run/pageRun';
import { NOT_TRIED, outcomeInWords } from '../run/classifyAttempt';
import type { ProxyCounts } from '../../proxies/lease';
import { endsRun, tryItems, untried } from '../../actions/runItems';
import type { PageRequest } from '../request/pageRequest';
import { fitForAgent, toPageItem, type OutputPage } from './pageItem';

export interface SettledPage {
	/** Undefined where it does not come out. */
	readonly outcome?: ItemOutcome;
	/** Why it was not opened, also where it comes out. */
	readonly error?: unknown;
	/** How it failed, as the continuation of "20 ". */
	readonly how: string;
}

/** Of what comes out. */
type Place = Pick<OutputPage, 'index' | 'group'>;

/** How the items failed whose fields are wrong, and those whose order could not be asked about. */
const WRONG_FIELDS = 'with settings that cannot be used';
const WRONG_ORDER = 'with an order that cannot be used';

const WITHOUT_URL = 'without a URL that can be used';

/** What pages cost, where an order counts IPs. */
function perPage({ counted }: ProxyCounts, pages: number): string {
	const ratio = (counted / pages).toFixed(2);
	return counted > 0 && pages > 1 ? ` (${Number(ratio) || '<0.01'} per page)` : '';
}

function proxiesTaken(proxies: ProxyCounts, opened: number, failed: number): string {
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

/** Of a crawl, two for each page. */
const MOST_RECORDS = 20_000;

const WITHOUT_RECORDS =
	"'Skip Opened Pages' does nothing, because n8n keeps no records of this workflow. Save the workflow.";

/** Which pages a node has opened in earlier executions, for 'Skip Opened Pages'. */
class OpenedPages {
	readonly records: NodeRecords;

	/** For later executions, which see it only when it is recorded. */
	readonly noted = new Set<string>();

	private isWithoutRecords = false;

	skipped = 0;

	constructor(context: IExecuteFunctions) {
		this.records = new NodeRecords(context, 'page:', MOST_RECORDS);
	}

	/** @returns those of them that were noted in earlier executions */
	async known(texts: readonly string[]): Promise<ReadonlySet<string>> {
		const known = await this.records.known(texts);
		this.isWithoutRecords ||= known === undefined;
		return known ?? new Set();
	}

	get hints(): string[] {
		return [
			...(this.skipped > 0
				? [`Left out, because earlier executions opened them: ${formatNumber(this.skipped)}.`]
				: []),
			...(this.isWithoutRecords ? [WITHOUT_RECORDS] : []),
		];
	}
}

const REPORT_EVERY_MS = 10_000;

export class PageOutcomes {
	readonly openedPages: OpenedPages;

	readonly run: PageRun;

	private readonly places = new Map<Place, SettledPage | undefined>();

	/** By column, whether a page had it. */
	private readonly columns = new Map<string, boolean>();

	private reportedAt = performance.now();

	constructor(private readonly context: IExecuteFunctions) {
		this.openedPages = new OpenedPages(context);
		this.run = new PageRun(context);
	}

	add(place: Place): void {
		this.places.set(place, undefined);
	}

	drop(place: Place): void {
		this.places.delete(place);
	}

	/** Notes what became of a page. Never rejects. */
	async settle(page: OutputPage, result: PageResult, comesOut = true): Promise<SettledPage> {
		const { error, outcome, statusCode } = result;
		const hasUrl = page.request.urlError === undefined;
		const how = hasUrl ? outcomeInWords(outcome, statusCode) : WITHOUT_URL;
		const settled = { ...(comesOut ? await this.outcomeOf(page, result) : { error }), how };
		this.put(page, settled);
		return settled;
	}

	private async outcomeOf(page: OutputPage, result: PageResult) {
		const { request } = page;
		const itemOf = async (one: PageResult) => await toPageItem(this.context, page, one);
		let { error } = result;
		if (error === undefined) {
			try {
				const item = await itemOf(result);
				this.noteColumns(request, item);
				return { outcome: { result: item } };
			} catch (failure) {
				error = asError(failure);
			}
		}
		if (error instanceof CancelledError || request.failsItem) return { outcome: { error }, error };
		return { outcome: { result: await itemOf({ ...result, error }) }, error };
	}

	private noteColumns({ fields }: PageRequest, { records }: OperationResult): void {
		for (const { name } of fields) {
			const value = ownValue(records[0], name);
			const has = isList(value) ? value.length > 0 : value !== undefined && value !== '';
			this.columns.set(name, has || this.columns.get(name) === true);
		}
	}

	put(place: Place, settled: SettledPage): void {
		const { outcome, error } = settled;
		this.places.set(place, settled);
		const isError = outcome !== undefined && 'error' in outcome;
		if (isError && endsRun(this.context, error)) this.run.ended.abort();
		if (performance.now() - this.reportedAt < REPORT_EVERY_MS) return;
		this.reportedAt = performance.now();
		const { name } = this.context.getNode();
		this.context.logger.info(`'${name}' goes on. ${this.summary}`);
	}

	/** How many pages there are, were opened, and failed in each way, the most frequent one first. */
	private get counts() {
		const failures = new Map<string, number>();
		let opened = 0;
		for (const settled of this.places.values()) {
			if (settled === undefined) continue;
			if (settled.error === undefined) opened += 1;
			else failures.set(settled.how, (failures.get(settled.how) ?? 0) + 1);
		}
		const byFrequency = [...failures].sort(([, a], [, b]) => b - a);
		return { total: this.places.size, opened, failures: byFrequency };
	}

	/**
	 * Such as "Opened 28 of 30 pages. Not opened: 2 blocked. 33 proxies were extracted (1.18 per page), 4 of them not used, 3 failed, 940 are left."
	 */
	private get summary(): string {
		const { opened, total, failures } = this.counts;
		const failed = failures.map(([how, count]) => `${formatNumber(count)} ${how}`).join(', ');
		const { sources, failedProxies } = this.run;
		return sentences(
			`Opened ${formatNumber(opened)} of ${plural(total, 'page')}.`,
			failed && `Not opened: ${failed}.`,
			proxiesTaken(sources.counts, opened, failedProxies),
		);
	}

	/** Pages that were opened are lost with a run that fails. */
	private get howToKeep(): string {
		const { opened, failures } = this.counts;
		const how = failures.some(([one]) => one === WRONG_FIELDS || one === WRONG_ORDER)
			? "'On Error' in the settings of the node to 'Continue (using error output)'"
			: "'Failed Pages' to 'Output'";
		return opened > 0 ? `To keep the pages that were opened when one is not, set ${how}.` : '';
	}

	/** Reads all items before anything is asked for. Those that cannot be read are refused. */
	async readItems<T>(
		items: readonly Item[],
		read: (item: Item, index: number) => Promise<T> | T,
	): Promise<readonly T[]> {
		const takeBreak = eventLoopYielder();
		const { done, failed } = await tryItems(this.context, untried(items), async (item, index) => {
			await takeBreak();
			return await read(item, index);
		});
		for (const [index, { error }] of failed) this.refuse(index, error);
		return this.run.signal.aborted ? [] : [...done.values()];
	}

	/** An item whose fields or order are wrong, or one whose pages cannot be looked for. */
	refuse(index: number, error: unknown): void {
		const how = error instanceof CallError ? WRONG_ORDER : WRONG_FIELDS;
		this.put({ index }, { outcome: { error }, error, how });
	}

	/**
	 * Resolves when all pages are done, and later executions may know of them.
	 *
	 * @param conclude notes more for those in time, and says what else the user should know
	 */
	async finish(conclude = (): readonly string[] => []): Promise<RunOutcome> {
		const { run, context } = this;
		await run.finish();
		// n8n saves no output of a canceled node: the log is left
		if (isCancelled(context)) {
			const { name } = context.getNode();
			context.logger.warn(`'${name}' was canceled, and its output is lost. ${this.summary}`);
		}
		this.failUnopened();
		const hints = conclude();
		// Only where the pages come out: whoever did not get them needs them again
		const { records, noted } = this.openedPages;
		if (!run.signal.aborted) await records.record([...noted]);
		return this.outcome(hints);
	}

	/** A run in which no page was opened has failed, with what most of them failed with. */
	private failUnopened(): void {
		const { run, context } = this;
		// A model learns from what comes out
		const goesOn = context.continueOnFail() || isTool(context);
		const { opened, failures } = this.counts;
		if (opened > 0 || run.ended.signal.aborted || goesOn) return;
		const [most] = failures;
		const [place, settled] = [...this.places].find(([, one]) => one?.how === most?.[0]) ?? [];
		if (place === undefined || settled === undefined) return;
		this.places.set(place, { ...settled, outcome: { error: settled.error } });
	}

	private outcome(hints: readonly string[]): RunOutcome {
		const { counts, summary, run } = this;
		const proxies = run.sources.counts;
		const isAlone = counts.total === 1 && counts.opened === 1;
		const isPlain = counts.total === 0 || (isAlone && proxies.extracted + proxies.reused === 0);
		const notTried = [...this.places.values()].find((one) => one?.how === NOT_TRIED);
		const places = [...this.places].sort(([a], [b]) => (a.group ?? 0) - (b.group ?? 0));
		const items = places.flatMap(
			([{ index }, settled]): Array<[number, ItemOutcome]> =>
				settled?.outcome === undefined ? [] : [[index, settled.outcome]],
		);
		return {
			items: isTool(this.context) ? fitForAgent(items) : items,
			hints: [
				...(isPlain ? [] : [summary]),
				...(notTried === undefined
					? []
					: [`Not all pages were tried: ${wordsOf(asError(notTried.error)).join('. ')}`]),
				...hints,
				...this.emptyColumns,
				...this.openedPages.hints,
				...run.hints(counts.opened),
			],
			note: counts.total === 1 ? undefined : sentences(summary, this.howToKeep),
		};
	}

	/** Most likely a wrong selector: better seen after one page than after all. */
	private get emptyColumns(): string[] {
		const empty = [...this.columns].filter(([, has]) => !has).map(([name]) => `'${name}'`);
		if (empty.length === 0) return [];
		const what = `${empty.join(', ')} ${empty.length === 1 ? 'was' : 'were'}`;
		return [`${what} found on no page. Check the selector in 'Fields'.`];
	}
}

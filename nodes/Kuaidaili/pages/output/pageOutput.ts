import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { asError, CallError, CancelledError } from '../../../shared/api/errors';
import { sentences } from '../../../shared/wording';
import { endsRun, type ItemOutcome, type RunOutcome } from '../../run/operation';
import { isCancelled, isTool } from '../../run/nodeRun';
import { type PageResult } from '../run/pageResult';
import type { PageRun } from '../run/pageRun';
import { fitForAgent, MOST_PAGES_OF_CALL } from './agentOutput';
import { ContentNotes } from './contentNotes';
import { errorDetailsOf, toPageItem, type OutputPage, type OutputSlot } from './pageItem';
import { countPages, describeFailures, describeRun, type PageCounts } from './pageReport';
import { pageStatusOf } from './pageStatus';
import { TableNames } from './tableNames';

/** Everything that the output says of one page. */
export interface FinishedPage {
	/** Item or error of the page; undefined for a page that does not come out. */
	readonly outcome?: ItemOutcome;
	/** Reason why the page was not opened, also where it comes out; undefined for an opened one. */
	readonly error?: unknown;
	/** How it failed, as `pageStatus` says it, such as "blocked". */
	readonly failure: string;
}

/** The items of a page that was opened; nothing of another one. */
export function recordsOf({ outcome }: FinishedPage): readonly IDataObject[] {
	return outcome?.kind === 'result' ? outcome.result.records : [];
}

/** Whether something of a page comes out. One without a row puts nothing out: it may look so because it blocks. */
export function hasItems({ outcome }: FinishedPage): boolean {
	return outcome?.kind === 'result' && outcome.result.records.length > 0;
}

/** How items failed whose fields are wrong, and those whose order could not be asked about. */
const WRONG_FIELDS = 'with settings that cannot be used';
const WRONG_ORDER = 'with an order that cannot be used';

const REPORT_EVERY_MS = 10_000;

/** Collects what comes out of a run of pages, in the order of its items, and reports on it. */
export class PageOutput {
	/** Undefined for pages that the run still works on. */
	private readonly pages = new Map<OutputSlot, FinishedPage | undefined>();

	private readonly contentNotes = new ContentNotes();

	private readonly tableNames = new TableNames();

	/** Addresses that are too many for one call of an agent. */
	private readonly notOpened: string[] = [];

	/** How many pages were opened that do not come out. */
	private unseenPages = 0;

	/** How many times a robots.txt or a sitemap was asked for. */
	private guides = 0;

	private reportedAt = performance.now();

	/** Whether pages that failed go to n8n's error output. */
	private readonly hasErrorOutput: boolean;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly run: PageRun,
	) {
		this.hasErrorOutput = context.getNode().onError === 'continueErrorOutput' && !isTool(context);
	}

	/** Whether an AI agent called the node as its tool, so that a model reads the output. */
	get isForAgent(): boolean {
		return isTool(this.context);
	}

	/** How many pages a call may still open: 20 of an agent, any number of others. */
	get roomForPages(): number {
		return this.isForAgent ? Math.max(0, MOST_PAGES_OF_CALL - this.pages.size) : Infinity;
	}

	/** Names addresses that are too many for one call of an agent, so that it asks for them in another one. */
	noteNotOpened(addresses: readonly string[]): void {
		for (const address of addresses) this.notOpened.push(address);
	}

	/** The first of them, as many as the call may still open. The others are named to the agent. */
	admit<T extends { readonly address: string }>(requests: readonly T[]): readonly T[] {
		const admitted = requests.slice(0, this.roomForPages);
		this.noteNotOpened(requests.slice(admitted.length).map(({ address }) => address));
		return admitted;
	}

	/** Keeps a slot for a page that the run works on. */
	reserve(slot: OutputSlot): void {
		this.pages.set(slot, undefined);
	}

	/** Leaves out a page for which a slot was kept, and that was not opened. */
	drop(slot: OutputSlot): void {
		this.pages.delete(slot);
	}

	/** Leaves out a page that was opened. */
	dropOpened(slot: OutputSlot): void {
		this.drop(slot);
		this.unseenPages += 1;
	}

	/** Counts a robots.txt or a sitemap, which costs a proxy like a page. */
	noteGuide(): void {
		this.guides += 1;
	}

	/**
	 * Puts a page into its slot. Never rejects.
	 *
	 * @param comesOut whether the page is an item of the output, rather than opened for its links only
	 */
	async finishPage(page: OutputPage, result: PageResult, comesOut = true): Promise<FinishedPage> {
		if (!comesOut) {
			this.dropOpened(page);
			return { error: result.error, failure: pageStatusOf(result, page.request) };
		}
		const outcome = await this.outcomeOf(page, result);
		const error = outcome.error === undefined ? undefined : asError(outcome.error);
		const failure = pageStatusOf({ ...result, error }, page.request);
		const finished = { ...outcome, failure };
		this.fill(page, finished);
		return finished;
	}

	private async outcomeOf(
		page: OutputPage,
		result: PageResult,
	): Promise<Omit<FinishedPage, 'failure'>> {
		const { request, isLinked = false } = page;
		const itemOf = async (opened: PageResult) => await toPageItem(this.context, page, opened);
		let { error } = result;
		if (error === undefined) {
			try {
				const item = await itemOf(result);
				await this.contentNotes.note(request, result, item);
				this.tableNames.note(request, page.input.json, item.records);
				return { outcome: { kind: 'result', result: item } };
			} catch (failure) {
				error = asError(failure);
			}
		}
		if (error instanceof CancelledError) return { outcome: { kind: 'error', error }, error };
		const failed = { ...result, error };
		if (this.hasErrorOutput && !isLinked) {
			const details = errorDetailsOf(page, failed);
			return { outcome: { kind: 'error', error, details }, error };
		}
		return { outcome: { kind: 'result', result: await itemOf(failed) }, error };
	}

	/** Fills a slot. An error that n8n does not go on after ends the run. */
	fill(slot: OutputSlot, page: FinishedPage): void {
		const { outcome, error } = page;
		this.pages.set(slot, page);
		if (outcome?.kind === 'error' && endsRun(this.context, error)) this.run.ended.abort();
		if (performance.now() - this.reportedAt < REPORT_EVERY_MS) return;
		this.reportedAt = performance.now();
		const { name } = this.context.getNode();
		this.context.logger.info(`'${name}' goes on. ${this.summary}`);
	}

	private get counts(): PageCounts {
		return countPages(this.pages.values(), this.unseenPages + this.guides);
	}

	private get summary(): string {
		return describeRun(this.counts, this.run.proxies.counts);
	}

	/** Pages that were opened are lost with a run that fails: for an item that cannot be used. */
	private get howToKeep(): string {
		return this.counts.opened > 0
			? "To keep the pages that were opened when an item can't be used, set 'On Error' in the settings of the node to 'Continue (using error output)'."
			: '';
	}

	/** Fails an item whose fields or order are wrong, or whose pages cannot be looked for. */
	refuse(index: number, error: unknown): void {
		const failure = error instanceof CallError ? WRONG_ORDER : WRONG_FIELDS;
		this.fill({ index }, { outcome: { kind: 'error', error }, error, failure });
	}

	/**
	 * Tells what came of all pages.
	 *
	 * @param hints what else the user should know, in whole sentences
	 */
	finish(hints: readonly string[]): RunOutcome {
		// n8n saves no output of a canceled node: the log is left
		if (isCancelled(this.context)) {
			const { name } = this.context.getNode();
			this.context.logger.warn(`'${name}' was canceled, and its output is lost. ${this.summary}`);
		}
		this.failUnopened();
		return this.outcome(hints);
	}

	/** Fails a run in which no page was opened, with what most of them failed with. */
	private failUnopened(): void {
		const { run, context } = this;
		// A model learns from what comes out
		const goesOn = context.continueOnFail() || isTool(context);
		const { opened, failures } = this.counts;
		if (opened > 0 || this.unseenPages > 0 || run.ended.signal.aborted || goesOn) return;
		const [most] = failures;
		const ofMost = [...this.pages].find(([, page]) => page?.failure === most?.[0]);
		const [slot, page] = ofMost ?? [];
		if (slot === undefined || page === undefined) return;
		this.pages.set(slot, { ...page, outcome: { kind: 'error', error: page.error } });
	}

	private outcome(hints: readonly string[]): RunOutcome {
		const { counts, summary, run } = this;
		const proxies = run.proxies.counts;
		const isAlone = counts.total === 1 && counts.opened === 1 && counts.unseen === 0;
		const isPlain =
			counts.total + counts.unseen === 0 || (isAlone && proxies.extracted + proxies.reused === 0);
		const inOrder = [...this.pages].sort(([a], [b]) => (a.group ?? 0) - (b.group ?? 0));
		const items = inOrder.flatMap(
			([{ index }, page]): Array<[number, ItemOutcome]> =>
				page?.outcome === undefined ? [] : [[index, page.outcome]],
		);
		return {
			items: isTool(this.context)
				? fitForAgent(items, this.notOpened, this.contentNotes.hints)
				: items,
			hints: [
				...(isPlain ? [] : [summary]),
				...describeFailures(this.pages.values()),
				...hints,
				...this.contentNotes.hints,
				...(this.tableNames.hint === undefined ? [] : [this.tableNames.hint]),
			],
			note: counts.total === 1 ? undefined : sentences(summary, this.howToKeep),
		};
	}
}

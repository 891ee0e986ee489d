import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { CancelledError } from '../../../shared/errors/callErrors';
import { isList, ownValue } from '../../../shared/guards';
import type { Item, ItemOutcome, RunOutcome } from '../../operation';
import { OpenedPages } from '../../pages/openedPages';
import type { PageResult } from '../../pages/openPage';
import type { PageRun } from '../../pages/pageRun';
import { failuresByFrequency } from '../../pages/runReport';
import { endsRun } from '../runItems';
import type { OpenRequest } from './open/openRequest';
import { fitForAgent } from './open/agentOutput';
import { toPageItem } from './open/pageOutput';

/** What became of a page. */
export interface SettledPage {
	/** Undefined where it does not come out. */
	readonly outcome?: ItemOutcome;
	/** Why it was not opened, also where it comes out. */
	readonly error?: unknown;
}

/** A page in the output. */
export interface Place {
	/** Of its input item. */
	readonly index: number;
	/** Pages come out by it, and those with the same one as they were added. */
	readonly group: number;
	settled?: SettledPage;
	/** How the page failed, as the continuation of "20 ". */
	how?: string;
}

/** How the items failed whose fields or order are wrong. */
export const UNUSABLE = 'with settings that cannot be used';

export const WITHOUT_URL = 'without a URL that can be used';

export function failed(error: unknown): SettledPage {
	return { outcome: { error }, error };
}

/** The output of a run that opens pages. */
export class PageOutcomes {
	readonly openedPages: OpenedPages;

	private readonly places = new Set<Place>();

	/** By column, whether a page had it. */
	private readonly columns = new Map<string, boolean>();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly items: readonly Item[],
		private readonly run: PageRun,
	) {
		this.openedPages = new OpenedPages(context);
	}

	add(index: number, group = 0): Place {
		const place = { index, group };
		this.places.add(place);
		this.run.counts.total += 1;
		return place;
	}

	/** @param wasOpened in an earlier execution, so that it is left out */
	drop(place: Place, wasOpened = false): void {
		this.places.delete(place);
		this.run.counts.total -= 1;
		if (wasOpened) this.openedPages.skipped += 1;
	}

	/**
	 * What comes out for a page, opened or not. Never rejects.
	 *
	 * @param input what it is put into
	 */
	async settledBy(
		{ index }: Place,
		input: INodeExecutionData,
		request: OpenRequest,
		page: PageResult,
	): Promise<SettledPage> {
		const { isForAgent } = this.items[index];
		const itemOf = async (result: PageResult): Promise<SettledPage> => ({
			outcome: { result: await toPageItem(this.context, input, result, { request, isForAgent }) },
		});
		const settled =
			page.error === undefined ? await itemOf(page).catch(failed) : failed(page.error);
		const { error, outcome } = settled;
		if (error === undefined && outcome !== undefined && 'result' in outcome) {
			const [record] = outcome.result.records;
			for (const { name } of request.fields) {
				const value = ownValue(record, name);
				const has = isList(value) ? value.length > 0 : value !== undefined && value !== '';
				this.columns.set(name, has || this.columns.get(name) === true);
			}
		}
		const isOfRun = error instanceof CancelledError || request.failsItem;
		if (!(error instanceof Error) || isOfRun) return settled;
		return { ...(await itemOf({ ...page, error }).catch(failed)), error };
	}

	settle(place: Place, settled: SettledPage, how: string): void {
		const { outcome, error } = settled;
		Object.assign(place, { settled, how });
		this.run.count(error === undefined ? undefined : how);
		if (outcome !== undefined && 'error' in outcome && endsRun(this.context, outcome.error))
			this.run.end();
	}

	/** An item whose fields or order are wrong, or one whose pages cannot be looked for. */
	refuse(index: number, error: unknown): void {
		this.settle(this.add(index), failed(error), UNUSABLE);
	}

	/**
	 * Resolves when all pages are done.
	 *
	 * @param note what else to note for later executions, in time
	 */
	async finish(note = () => {}): Promise<void> {
		await this.run.finish();
		this.failUnopened();
		if (this.run.signal.aborted) return;
		note();
		await this.openedPages.save();
	}

	/** A run in which no page was opened has failed, with what most of them failed with. */
	private failUnopened(): void {
		const { run, context } = this;
		// A model learns from what comes out
		const goesOn = context.continueOnFail() || this.isForAgent;
		if (run.counts.opened > 0 || run.isEnded || goesOn) return;
		const [most] = failuresByFrequency(run.counts);
		const place = [...this.places].find(({ how }) => how === most?.[0]);
		if (place !== undefined) place.settled = failed(place.settled?.error);
	}

	private get isForAgent(): boolean {
		return this.items.some((item) => item.isForAgent);
	}

	/** @param hints what the user should also know */
	outcome(hints: readonly string[] = []): RunOutcome {
		const { summary, counts, sources } = this.run;
		const { extracted, reused } = sources.counts;
		const isAlone = counts.total === 1 && counts.opened === 1;
		const isPlain = counts.total === 0 || (isAlone && extracted + reused === 0);
		const places = [...this.places].sort((a, b) => a.index - b.index || a.group - b.group);
		const items = places.flatMap(
			({ index, settled }): Array<[number, ItemOutcome]> =>
				settled?.outcome === undefined ? [] : [[index, settled.outcome]],
		);
		return {
			items: this.isForAgent ? fitForAgent(items) : items,
			hints: [
				...(isPlain ? [] : [summary]),
				...hints,
				...this.emptyColumns,
				...this.openedPages.hints,
				...this.run.hints,
			],
			note: counts.total === 1 ? undefined : [summary, this.howToKeep].filter(Boolean).join(' '),
		};
	}

	/** Most likely a wrong selector: better seen after one page than after all. */
	private get emptyColumns(): string[] {
		const empty = [...this.columns].filter(([, has]) => !has).map(([name]) => `'${name}'`);
		if (empty.length === 0) return [];
		const what = `${empty.join(', ')} ${empty.length === 1 ? 'was' : 'were'}`;
		return [`${what} found on no page. Check the selector in 'Fields'.`];
	}

	/** Pages that were opened are lost with a run that fails. */
	private get howToKeep(): string | false {
		const { opened, failures } = this.run.counts;
		const how = failures.has(UNUSABLE)
			? "'On Error' in the settings of the node to 'Continue (using error output)'"
			: "'Failed Pages' to 'Output'";
		return opened > 0 && `To keep the pages that were opened when one is not, set ${how}.`;
	}
}

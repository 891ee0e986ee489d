import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { asError, CallError, CancelledError } from '../../../shared/errors/callErrors';
import { isList, ownValue } from '../../../shared/guards';
import { isTool } from '../../nodeRun';
import type { ItemOutcome, OperationResult, RunOutcome } from '../../operation';
import { OpenedPages } from '../../pages/openedPages';
import { wordsOf, type PageResult } from '../../pages/openPage';
import { PageRun } from '../../pages/pageRun';
import { failuresByFrequency } from '../../pages/runReport';
import { NOT_TRIED, outcomeInWords } from '../../pages/verdict';
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
	/** How it failed, as the continuation of "20 ". */
	readonly how: string;
}

/** Of what comes out. */
interface Place {
	/** Of the input item. */
	readonly index: number;
	/** Pages come out by it, and those with the same one as they were added. */
	readonly group?: number;
}

/** A page of a run. */
export interface OutputPage extends Place {
	readonly request: OpenRequest;
	/** What the page is put into. */
	readonly input: INodeExecutionData;
}

/** How the items failed whose fields are wrong, and those whose order could not be asked about. */
const WRONG_FIELDS = 'with settings that cannot be used';
const WRONG_ORDER = 'with an order that cannot be used';

export const WITHOUT_URL = 'without a URL that can be used';

/** A run that opens pages, and its output. */
export class PageOutcomes {
	readonly openedPages: OpenedPages;

	readonly run: PageRun;

	private readonly places = new Map<Place, SettledPage | undefined>();

	/** Why the first of those that were not tried was not. */
	private whyNotTried?: Error;

	/** By column, whether a page had it. */
	private readonly columns = new Map<string, boolean>();

	constructor(private readonly context: IExecuteFunctions) {
		this.openedPages = new OpenedPages(context);
		this.run = new PageRun(context);
	}

	add(place: Place): void {
		this.places.set(place, undefined);
		this.run.counts.total += 1;
	}

	drop(place: Place): void {
		this.places.delete(place);
		this.run.counts.total -= 1;
	}

	/**
	 * Notes what became of a page. Never rejects.
	 *
	 * @param comesOut whether anything comes out for it
	 */
	async settle(
		page: OutputPage,
		result: PageResult,
		how = outcomeInWords(result.outcome, result.statusCode),
		comesOut = true,
	): Promise<SettledPage> {
		const { error } = result;
		if (how === NOT_TRIED) this.whyNotTried ??= error;
		const settled = { ...(comesOut ? await this.outcomeOf(page, result) : { error }), how };
		this.put(page, settled);
		return settled;
	}

	private async outcomeOf({ input, request }: OutputPage, result: PageResult) {
		const itemOf = async (one: PageResult): Promise<OperationResult> =>
			await toPageItem(this.context, input, request, one);
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

	private noteColumns({ fields }: OpenRequest, { records }: OperationResult): void {
		for (const { name } of fields) {
			const value = ownValue(records[0], name);
			const has = isList(value) ? value.length > 0 : value !== undefined && value !== '';
			this.columns.set(name, has || this.columns.get(name) === true);
		}
	}

	put(place: Place, settled: SettledPage): void {
		const { outcome, error, how } = settled;
		this.places.set(place, settled);
		this.run.count(error === undefined ? undefined : how);
		const isError = outcome !== undefined && 'error' in outcome;
		if (isError && endsRun(this.context, error)) this.run.end();
	}

	/** An item whose fields or order are wrong, or one whose pages cannot be looked for. */
	refuse(index: number, error: unknown): void {
		const place = { index };
		this.add(place);
		const how = error instanceof CallError ? WRONG_ORDER : WRONG_FIELDS;
		this.put(place, { outcome: { error }, error, how });
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
		const goesOn = context.continueOnFail() || isTool(context);
		if (run.counts.opened > 0 || run.isEnded || goesOn) return;
		const [most] = failuresByFrequency(run.counts);
		const [place, settled] = [...this.places].find(([, one]) => one?.how === most?.[0]) ?? [];
		if (place === undefined || settled === undefined) return;
		this.places.set(place, { ...settled, outcome: { error: settled.error } });
	}

	/** @param hints what the user should also know */
	outcome(hints: readonly string[] = []): RunOutcome {
		const { summary, counts, sources } = this.run;
		const { extracted, reused } = sources.counts;
		const isAlone = counts.total === 1 && counts.opened === 1;
		const isPlain = counts.total === 0 || (isAlone && extracted + reused === 0);
		const places = [...this.places].sort(
			([a], [b]) => a.index - b.index || (a.group ?? 0) - (b.group ?? 0),
		);
		const items = places.flatMap(
			([{ index }, settled]): Array<[number, ItemOutcome]> =>
				settled?.outcome === undefined ? [] : [[index, settled.outcome]],
		);
		return {
			items: isTool(this.context) ? fitForAgent(items) : items,
			hints: [
				...(isPlain ? [] : [summary]),
				...(this.whyNotTried
					? [`Not all pages were tried: ${wordsOf(this.whyNotTried).join('. ')}`]
					: []),
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
		const how = [WRONG_FIELDS, WRONG_ORDER].some((one) => failures.has(one))
			? "'On Error' in the settings of the node to 'Continue (using error output)'"
			: "'Failed Pages' to 'Output'";
		return opened > 0 && `To keep the pages that were opened when one is not, set ${how}.`;
	}
}

import type { IExecuteFunctions } from 'n8n-workflow';

import { breaks } from '../../../../shared/concurrency/wait';
import { CancelledError, DescribedError } from '../../../../shared/errors/callErrors';
import { isRetriedTool, memoryOfRuns } from '../../../nodeRun';
import type { Item, ItemOutcome, OperationResult, RunOutcome } from '../../../operation';
import { OpenedPages } from '../../../pages/openedPages';
import type { PageResult } from '../../../pages/openPage';
import { withoutFragment } from '../../../pages/pageRequest';
import { PageRun, type PlannedPage } from '../../../pages/pageRun';
import { outcomeInWords } from '../../../pages/verdict';
import type { ProxySource } from '../../../proxies/lease';
import type { ProxyRequest } from '../../../proxies/productFields';
import { readSourceRequest } from '../../../proxies/sourceFields';
import { endsRun } from '../../runItems';
import { readOpenRequest, type OpenRequest } from './openRequest';
import { refuseOverwriting, toPageItem } from './pageOutput';

/** An item whose fields were read and checked. */
interface ReadItem {
	readonly index: number;
	readonly request: OpenRequest;
	readonly proxies: ProxyRequest;
}

interface DonePage {
	readonly outcome: ItemOutcome;
	readonly isOpened: boolean;
}

/**
 * Pages that are not requested again when 'Retry On Fail' repeats the run: those that it opened, and those that may
 * have received a POST, whatever they answered. What became of them is reported again.
 */
const donePages = memoryOfRuns(() => new Map<number, DonePage>());

/** How the items failed whose fields or order are wrong. */
const UNUSABLE = 'with settings that cannot be used';

function errorOf(error: unknown): ItemOutcome {
	return { error };
}

function addressOf({ request }: Pick<ReadItem, 'request'>): string {
	return withoutFragment(request.page.url);
}

/** One run of "Page: Open" over all input items. */
export class OpenRun {
	private readonly outcomes = new Map<number, ItemOutcome>();

	/** By session; an item without one is alone. */
	private readonly lanes = new Map<string | number, ReadItem[]>();

	/** Keys of sessions with pages that were done before 'Retry On Fail' repeated the run. */
	private readonly resumedSessions = new Set<string>();

	private readonly done: Map<number, DonePage>;

	private readonly openedPages: OpenedPages;

	private readonly run: PageRun;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly items: readonly Item[],
	) {
		this.done = donePages(context);
		this.run = new PageRun(context);
		this.openedPages = new OpenedPages(context);
		this.run.counts.total = items.length;
	}

	async executeAll(): Promise<RunOutcome> {
		const { signal } = this.run;
		const takeBreak = breaks();
		// All are checked before the first one is asked for
		for (const index of this.items.keys()) {
			await this.read(index).catch((error: unknown) =>
				this.settle(index, errorOf(error), UNUSABLE),
			);
			if (signal.aborted) return this.outcome();
			await takeBreak();
		}
		await this.leaveOutOpened();
		for (const lane of this.lanes.values()) {
			await this.plan(lane);
			if (signal.aborted) break;
			await takeBreak();
		}
		await this.run.finish();
		if (!signal.aborted) await this.openedPages.save();
		return this.outcome();
	}

	/**
	 * Reads and checks what was entered for an item; asks for nothing.
	 *
	 * @throws InvalidFieldError, DescribedError
	 */
	private async read(index: number): Promise<void> {
		const item = this.items[index];
		const request = readOpenRequest((name) => item.parameter(name), item.callOptions().options);
		const { sessionKey, urlError } = request;
		refuseOverwriting(this.context.getInputData()[index], request);
		if (request.page.method === 'POST') this.refuseRetryingTool();
		const known = this.done.get(index);
		if (known !== undefined) {
			if (sessionKey !== undefined) this.resumedSessions.add(sessionKey);
			if (known.isOpened && request.skipOpened) this.openedPages.note(addressOf({ request }));
			return this.settle(index, known.outcome, known.isOpened ? undefined : 'not sent again');
		}
		const proxies = readSourceRequest(item, sessionKey !== undefined);
		if (urlError !== undefined) {
			const page = { url: '', attempts: [], mayHaveArrived: false, error: urlError };
			return this.settle(
				index,
				{ result: await this.resultOf(index, request, page) },
				'without a URL that can be used',
			);
		}
		const lane = this.lanes.get(sessionKey ?? index) ?? [];
		lane.push({ index, request, proxies });
		this.lanes.set(sessionKey ?? index, lane);
	}

	/** What a POST does is to be done each time, such as logging in. */
	private async leaveOutOpened(): Promise<void> {
		const { counts } = this.run;
		const isAsked = ({ request }: ReadItem) => request.skipOpened && request.page.method !== 'POST';
		const asked = [...this.lanes.values()].flat().filter(isAsked);
		if (asked.length === 0) return;
		const known = await this.openedPages.known(asked.map(addressOf));
		for (const [key, lane] of this.lanes) {
			const left = lane.filter((read) => !isAsked(read) || !known.has(addressOf(read)));
			for (const { index } of lane.filter((read) => !left.includes(read))) {
				this.outcomes.set(index, { result: { records: [] } });
				counts.total -= 1;
				this.openedPages.skipped += 1;
			}
			if (left.length === 0) this.lanes.delete(key);
			else this.lanes.set(key, left);
		}
	}

	/** @throws DescribedError where the page could receive a POST twice */
	private refuseRetryingTool(): void {
		if (!isRetriedTool(this.context)) return;
		throw new DescribedError({
			message: "Turn off 'Retry On Fail' in the settings of this tool to send a POST with it",
			description:
				'n8n would call the tool again after a failure, and the page could receive the POST twice. Nothing was sent.',
		});
	}

	/** Items of a session through proxies of another source belong to another session. */
	private async plan(lane: readonly ReadItem[]): Promise<void> {
		const bySource = new Map<ProxySource, PlannedPage[]>();
		for (const read of lane) {
			const { index, request, proxies } = read;
			try {
				const way = await this.run.wayFor(this.items[index], { ...request, proxies });
				const pages = bySource.get(way.source) ?? [];
				const done = async (opening: Promise<PageResult>) => await this.work(read, opening);
				bySource.set(way.source, pages);
				pages.push({ ...way, page: request.page, done });
			} catch (error) {
				this.settle(index, errorOf(error), UNUSABLE);
			}
		}
		const { sessionKey } = lane[0].request;
		const hasHistory = this.resumedSessions.has(sessionKey ?? '');
		for (const pages of bySource.values()) {
			this.run.add(pages, sessionKey === undefined ? undefined : { hasHistory });
		}
	}

	/** Never rejects. */
	private async work({ index, request }: ReadItem, opening: Promise<PageResult>): Promise<void> {
		let page: PageResult | undefined;
		const outcome = await opening
			.then(async (opened): Promise<ItemOutcome> => {
				page = opened;
				return { result: await this.resultOf(index, request, opened) };
			})
			.catch(errorOf);
		const isCancelled = 'error' in outcome && outcome.error instanceof CancelledError;
		// The other pages are given up with the one that ended the run, and have nothing to tell
		if (isCancelled && this.run.isEnded) return;
		const isOpened = page !== undefined && page.error === undefined && 'result' in outcome;
		const isPost = request.page.method === 'POST';
		if (isOpened || (isPost && page?.mayHaveArrived === true)) {
			this.done.set(index, { outcome, isOpened });
		}
		if (isOpened && request.skipOpened) this.openedPages.note(addressOf({ request }));
		const failure = outcomeInWords(page?.outcome, page?.statusCode);
		this.settle(index, outcome, isOpened ? undefined : failure);
	}

	/** @throws why the page was not opened, or cannot be put out */
	private async resultOf(
		index: number,
		request: OpenRequest,
		page: PageResult,
	): Promise<OperationResult> {
		if (page.error !== undefined && !this.mayComeOut(request)) throw page.error;
		const input = this.context.getInputData()[index];
		const { isForAgent } = this.items[index];
		const itemOf = async (result: PageResult) =>
			await toPageItem(this.context, input, result, { request, isForAgent });
		return await itemOf(page).catch(async (error: unknown) => {
			if (!request.neverError || !(error instanceof DescribedError)) throw error;
			return await itemOf({ ...page, error });
		});
	}

	/** Whether a page that was not opened comes out among the others. A run that got nowhere at all has failed. */
	private mayComeOut({ neverError, page }: OpenRequest): boolean {
		const { counts, brakes } = this.run;
		return neverError && (counts.opened > 0 || !brakes.isRunOver(page.giveUpSiteAfter));
	}

	private settle(index: number, outcome: ItemOutcome, failure: string | undefined): void {
		this.outcomes.set(index, outcome);
		this.run.count(failure);
		if ('error' in outcome && endsRun(this.context, outcome.error)) this.run.end();
	}

	private outcome(): RunOutcome {
		const { summary, counts, sources, brakes } = this.run;
		const { extracted, reused } = sources.counts;
		const isAlone = this.items.length === 1 && counts.opened === 1;
		const isPlain = counts.total === 0 || (isAlone && extracted + reused === 0);
		const keep =
			"To keep the pages that were opened when one is not, set 'On Error' in the settings of the node to 'Continue'.";
		return {
			items: this.outcomes,
			hints: [...(isPlain ? [] : [summary]), ...this.openedPages.hints, ...brakes.hints],
			note: counts.opened === 0 ? undefined : `${summary} ${keep}`,
		};
	}
}

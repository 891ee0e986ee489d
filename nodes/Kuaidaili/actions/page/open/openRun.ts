import type { IExecuteFunctions } from 'n8n-workflow';

import { breaks } from '../../../../shared/concurrency/wait';
import { CancelledError, DescribedError } from '../../../../shared/errors/callErrors';
import { isRetriedTool, memoryOfRuns } from '../../../nodeRun';
import type { Item, ItemOutcome, RunOutcome } from '../../../operation';
import { OpenedPages } from '../../../pages/openedPages';
import type { PageResult } from '../../../pages/openPage';
import { withoutFragment } from '../../../pages/pageRequest';
import { PageRun, type PlannedPage } from '../../../pages/pageRun';
import { failuresByFrequency } from '../../../pages/runReport';
import { outcomeInWords } from '../../../pages/verdict';
import type { ProxySource } from '../../../proxies/lease';
import type { ProxyRequest } from '../../../proxies/productFields';
import { readSourceRequest } from '../../../proxies/sourceFields';
import { endsRun } from '../../runItems';
import { readOpenRequests, refuseUnfilledUrl, type OpenRequest } from './openRequest';
import { refuseOverwriting, toPageItem } from './pageOutput';

/** Of a page in the output. */
interface Place {
	/** Of its input item. */
	readonly index: number;
	/** Among all pages. */
	readonly position: number;
}

/** A page whose fields were read and checked. */
interface ReadItem extends Place {
	readonly request: OpenRequest;
	readonly proxies: ProxyRequest;
}

interface SettledPage {
	readonly outcome: ItemOutcome;
	/** Why it was not opened, also where it comes out. */
	readonly error?: unknown;
}

interface FailedPage extends Place {
	/** As the continuation of "20 ". */
	readonly how: string;
	readonly error: unknown;
}

/**
 * Pages that are not requested again when 'Retry On Fail' repeats the run: those that it opened, and those that may
 * have received a POST, whatever they answered. What became of them is reported again.
 */
const donePages = memoryOfRuns(() => new Map<string, SettledPage>());

/** How the items failed whose fields or order are wrong. */
const UNUSABLE = 'with settings that cannot be used';

function failed(error: unknown): SettledPage {
	return { outcome: { error }, error };
}

function keyOf({ index }: Place, { page }: OpenRequest): string {
	return `${index} ${page.url}`;
}

function addressOf({ request }: Pick<ReadItem, 'request'>): string {
	return withoutFragment(request.page.url);
}

/** One run of "Page: Open" over all input items. */
export class OpenRun {
	/** By position; none for pages that the run did not get to. */
	private readonly outcomes: Array<readonly [number, ItemOutcome]> = [];

	private positions = 0;

	/** By session; a page without one is alone, by its position. */
	private readonly lanes = new Map<string | number, ReadItem[]>();

	/** Keys of sessions with pages that were done before 'Retry On Fail' repeated the run. */
	private readonly resumedSessions = new Set<string>();

	private readonly done: Map<string, SettledPage>;

	private readonly failedPages: FailedPage[] = [];

	private readonly openedPages: OpenedPages;

	private readonly run: PageRun;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly items: readonly Item[],
	) {
		this.done = donePages(context);
		this.run = new PageRun(context);
		this.openedPages = new OpenedPages(context);
	}

	async executeAll(): Promise<RunOutcome> {
		const { signal } = this.run;
		const takeBreak = breaks();
		// All are checked before the first one is asked for
		for (const index of this.items.keys()) {
			await this.readItem(index).catch((error: unknown) =>
				this.settle(this.nextPlace(index), failed(error), UNUSABLE),
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
		this.failUnopened();
		if (!signal.aborted) await this.openedPages.save();
		return this.outcome();
	}

	/**
	 * Reads and checks what was entered for an item; asks for nothing.
	 *
	 * @throws InvalidFieldError, DescribedError
	 */
	private async readItem(index: number): Promise<void> {
		const item = this.items[index];
		refuseUnfilledUrl(item);
		const valueOf = (name: string) => item.parameter(name);
		const requests = readOpenRequests(valueOf, item.callOptions().options);
		const [{ page, sessionKey }] = requests;
		refuseOverwriting(this.context.getInputData()[index], requests[0]);
		if (page.method === 'POST') this.refuseRetryingTool();
		const proxies = readSourceRequest(item, sessionKey !== undefined);
		for (const request of requests) {
			await this.readPage({ ...this.nextPlace(index), request, proxies });
		}
	}

	private nextPlace(index: number): Place {
		this.run.counts.total += 1;
		this.positions += 1;
		return { index, position: this.positions };
	}

	private async readPage(read: ReadItem): Promise<void> {
		const { position, request } = read;
		const { sessionKey, urlError } = request;
		const known = this.done.get(keyOf(read, request));
		if (known !== undefined) {
			if (sessionKey !== undefined) this.resumedSessions.add(sessionKey);
			const isOpened = known.error === undefined;
			if (isOpened && request.skipOpened) this.openedPages.note(addressOf({ request }));
			return this.settle(read, known, 'not sent again');
		}
		if (urlError !== undefined) {
			const page = { url: '', attempts: [], mayHaveArrived: false, error: urlError };
			const settled = await this.settledBy(read, page);
			return this.settle(read, settled, 'without a URL that can be used');
		}
		const lane = this.lanes.get(sessionKey ?? position) ?? [];
		lane.push(read);
		this.lanes.set(sessionKey ?? position, lane);
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
			for (let skipped = left.length; skipped < lane.length; skipped += 1) {
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
				this.settle(read, failed(error), UNUSABLE);
			}
		}
		const { sessionKey } = lane[0].request;
		const hasHistory = this.resumedSessions.has(sessionKey ?? '');
		for (const pages of bySource.values()) {
			this.run.add(pages, sessionKey === undefined ? undefined : { hasHistory });
		}
	}

	/** Never rejects. */
	private async work(read: ReadItem, opening: Promise<PageResult>): Promise<void> {
		const { request } = read;
		let page: PageResult | undefined;
		const settled = await opening
			.then(async (result) => {
				page = result;
				return await this.settledBy(read, result);
			})
			.catch(failed);
		// The other pages are given up with the one that ended the run, and have nothing to tell
		if (settled.error instanceof CancelledError && this.run.isEnded) return;
		const isPost = request.page.method === 'POST';
		if (settled.error === undefined || (isPost && page?.mayHaveArrived === true)) {
			this.done.set(keyOf(read, request), settled);
		}
		if (settled.error === undefined && request.skipOpened) {
			this.openedPages.note(addressOf({ request }));
		}
		this.settle(read, settled, outcomeInWords(page?.outcome, page?.statusCode));
	}

	/** What comes out for a page, opened or not. */
	private async settledBy({ index, request }: ReadItem, page: PageResult): Promise<SettledPage> {
		const input = this.context.getInputData()[index];
		const { isForAgent } = this.items[index];
		const itemOf = async (result: PageResult): Promise<SettledPage> => ({
			outcome: { result: await toPageItem(this.context, input, result, { request, isForAgent }) },
		});
		const settled =
			page.error === undefined ? await itemOf(page).catch(failed) : failed(page.error);
		const { error } = settled;
		if (!(error instanceof Error) || request.failsItem) return settled;
		return { ...(await itemOf({ ...page, error })), error };
	}

	/** @param how the page failed, if it did: as the continuation of "20 " */
	private settle({ index, position }: Place, { outcome, error }: SettledPage, how: string): void {
		this.outcomes[position] = [index, outcome];
		this.run.count(error === undefined ? undefined : how);
		if (error !== undefined) this.failedPages.push({ index, position, how, error });
		if ('error' in outcome && endsRun(this.context, outcome.error)) this.run.end();
	}

	/** A run in which no page was opened has failed, with what most of them failed with. */
	private failUnopened(): void {
		const { run, context } = this;
		// A model learns from what comes out
		const isForAgent = this.items.some((item) => item.isForAgent);
		if (run.counts.opened > 0 || run.isEnded || context.continueOnFail() || isForAgent) return;
		const [most] = failuresByFrequency(run.counts);
		const failedPage = this.failedPages.find(({ how }) => how === most?.[0]);
		if (failedPage === undefined) return;
		const { index, position, error } = failedPage;
		this.outcomes[position] = [index, { error }];
	}

	private outcome(): RunOutcome {
		const { summary, counts, sources, hints } = this.run;
		const { extracted, reused } = sources.counts;
		const isAlone = counts.total === 1 && counts.opened === 1;
		const isPlain = counts.total === 0 || (isAlone && extracted + reused === 0);
		return {
			items: Object.values(this.outcomes),
			hints: [...(isPlain ? [] : [summary]), ...this.openedPages.hints, ...hints],
			note: counts.total === 1 ? undefined : [summary, this.howToKeep].filter(Boolean).join(' '),
		};
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

import type { IExecuteFunctions } from 'n8n-workflow';

import { breaks } from '../../../../shared/concurrency/wait';
import { CancelledError, DescribedError } from '../../../../shared/errors/callErrors';
import { isRetriedTool, memoryOfRuns } from '../../../nodeRun';
import type { Item, RunOutcome } from '../../../operation';
import { notRequested, type PageResult } from '../../../pages/openPage';
import { withoutFragment } from '../../../pages/pageRequest';
import { PageRun, type PlannedPage } from '../../../pages/pageRun';
import { outcomeInWords } from '../../../pages/verdict';
import type { ProxySource } from '../../../proxies/lease';
import type { ProxyRequest } from '../../../proxies/productFields';
import { readSourceRequest } from '../../../proxies/sourceFields';
import { PageOutcomes, WITHOUT_URL, type Place, type SettledPage } from '../pageOutcomes';
import { readOpenRequests, refuseUnfilledUrl, type OpenRequest } from './openRequest';
import { refuseOverwriting } from './pageOutput';

/** A page whose fields were read and checked. */
interface ReadItem {
	readonly place: Place;
	readonly request: OpenRequest;
	readonly proxies: ProxyRequest;
}

/**
 * Pages that are not requested again when 'Retry On Fail' repeats the run: those that it opened, and those that may
 * have received a POST, whatever they answered. What became of them is reported again.
 */
const donePages = memoryOfRuns(() => new Map<string, SettledPage>());

function keyOf({ place, request }: ReadItem): string {
	return `${place.index} ${request.page.url}`;
}

function addressOf({ request }: ReadItem): string {
	return withoutFragment(request.page.url);
}

/** One run of "Page: Open" over all input items. */
export class OpenRun {
	private readonly reads: ReadItem[] = [];

	/** Keys of sessions with pages that were done before 'Retry On Fail' repeated the run. */
	private readonly resumedSessions = new Set<string>();

	/** Items whose order cannot be used. */
	private readonly unusable = new Set<number>();

	private readonly done: Map<string, SettledPage>;

	private readonly run: PageRun;

	private readonly outcomes: PageOutcomes;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly items: readonly Item[],
	) {
		this.done = donePages(context);
		this.run = new PageRun(context);
		this.outcomes = new PageOutcomes(context, items, this.run);
	}

	async executeAll(): Promise<RunOutcome> {
		const { outcomes } = this;
		const { signal } = this.run;
		const takeBreak = breaks();
		// All are checked before the first one is asked for
		for (const index of this.items.keys()) {
			await this.readItem(index).catch((error: unknown) => outcomes.refuse(index, error));
			if (signal.aborted) return outcomes.outcome();
			await takeBreak();
		}
		/** By session; a page without one is alone. */
		const lanes = new Map<string | Place, ReadItem[]>();
		for (const read of await this.unopened()) {
			const key = read.request.sessionKey ?? read.place;
			const lane = lanes.get(key) ?? [];
			lane.push(read);
			lanes.set(key, lane);
		}
		for (const lane of lanes.values()) {
			await this.plan(lane);
			if (signal.aborted) break;
			await takeBreak();
		}
		await outcomes.finish();
		return outcomes.outcome();
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
			const { urlError } = request;
			const read = { place: this.outcomes.add(index), request, proxies };
			const known = this.done.get(keyOf(read));
			if (known !== undefined) {
				if (sessionKey !== undefined) this.resumedSessions.add(sessionKey);
				this.note(read, known, 'not sent again');
			} else if (urlError === undefined) this.reads.push(read);
			else {
				const settled = await this.settledBy(read, notRequested(urlError));
				this.note(read, settled, WITHOUT_URL);
			}
		}
	}

	/** What was not opened in earlier executions. What a POST does is to be done each time, such as logging in. */
	private async unopened(): Promise<readonly ReadItem[]> {
		const isAsked = ({ request }: ReadItem) => request.skipOpened && request.page.method !== 'POST';
		const asked = this.reads.filter(isAsked).map(addressOf);
		const known = await this.outcomes.openedPages.known(asked);
		return this.reads.filter((read) => {
			const wasOpened = isAsked(read) && known.has(addressOf(read));
			if (wasOpened) this.outcomes.drop(read.place, true);
			return !wasOpened;
		});
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
			const { place, request, proxies } = read;
			try {
				const way = await this.run.wayFor(this.items[place.index], { ...request, proxies });
				const pages = bySource.get(way.source) ?? [];
				const done = async (result: PageResult) => await this.settle(read, result);
				bySource.set(way.source, pages);
				pages.push({ ...way, page: request.page, done });
			} catch (error) {
				// Once for all addresses of an item
				this.outcomes.drop(place);
				if (!this.unusable.has(place.index)) this.outcomes.refuse(place.index, error);
				this.unusable.add(place.index);
			}
		}
		const { sessionKey } = lane[0].request;
		const hasHistory = this.resumedSessions.has(sessionKey ?? '');
		for (const pages of bySource.values()) {
			this.run.add(pages, sessionKey === undefined ? undefined : { hasHistory });
		}
	}

	/** Never rejects. */
	private async settle(read: ReadItem, page: PageResult): Promise<void> {
		// The other pages are given up with the one that ended the run, and have nothing to tell
		if (page.error instanceof CancelledError && this.run.isEnded) return;
		const settled = await this.settledBy(read, page);
		const isPost = read.request.page.method === 'POST';
		if (settled.error === undefined || (isPost && page.mayHaveArrived)) {
			this.done.set(keyOf(read), settled);
		}
		this.note(read, settled, outcomeInWords(page.outcome, page.statusCode));
	}

	private async settledBy({ place, request }: ReadItem, page: PageResult): Promise<SettledPage> {
		const input = this.context.getInputData()[place.index];
		return await this.outcomes.settledBy(place, input, request, page);
	}

	private note(read: ReadItem, settled: SettledPage, how: string): void {
		const isNoted = settled.error === undefined && read.request.skipOpened;
		if (isNoted) this.outcomes.openedPages.note(addressOf(read));
		this.outcomes.settle(read.place, settled, how);
	}
}

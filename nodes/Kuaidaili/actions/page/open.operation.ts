import type { IExecuteFunctions } from 'n8n-workflow';

import { breaks } from '../../../shared/concurrency/wait';
import { CancelledError, DescribedError } from '../../../shared/errors/callErrors';
import { toCollection, toProperty } from '../../../shared/fields/field';
import { ordersOf } from '../../../shared/orders/orderField';
import { isRetriedTool, memoryOfRuns } from '../../nodeRun';
import type { Item, RunOutcome, RunOperation } from '../../operation';
import { notRequested, type PageResult } from '../../pages/openPage';
import { withoutFragment } from '../../pages/pageRequest';
import type { PlannedPage } from '../../pages/pageRun';
import { optionsCollection } from '../../parameters/callOptions';
import type { ProxySource } from '../../proxies/lease';
import type { ProxyRequest } from '../../proxies/productFields';
import { productField } from '../../proxies/products';
import { readSourceRequest, sourceOptions, sourceProperties } from '../../proxies/sourceFields';
import { PAGE_OPTIONS, pageProperties, retryIfCollection } from './open/fields';
import { readOpenRequests, type OpenRequest, urlField } from './open/openRequest';
import { refuseOverwriting } from './open/pageOutput';
import { PageOutcomes, WITHOUT_URL, type OutputPage, type SettledPage } from './pageOutcomes';

/** An item whose fields were read and checked. */
interface ReadItem {
	readonly index: number;
	/** Of its first page, which has all but the address in common with the others. */
	readonly request: OpenRequest;
	readonly proxies: ProxyRequest;
	/** Those that are to be opened. */
	pages: readonly OutputPage[];
}

/**
 * Pages that are not requested again when 'Retry On Fail' repeats the run: those that it opened, and those that may
 * have received a POST, whatever they answered. What became of them is reported again.
 */
const donePages = memoryOfRuns(() => new Map<string, SettledPage>());

function keyOf({ index, request }: OutputPage): string {
	return `${index} ${request.page.url}`;
}

function addressOf({ request }: OutputPage): string {
	return withoutFragment(request.page.url);
}

/** For the records of a page that was tried in vain. */
function failed(address: string): string {
	return `failed ${address}`;
}

class OpenRun {
	/** Keys of sessions with pages that were done before 'Retry On Fail' repeated the run. */
	private readonly resumedSessions = new Set<string | undefined>();

	private readonly done: Map<string, SettledPage>;

	private readonly outcomes: PageOutcomes;

	/** Of pages that were opened, or tried in vain, in earlier executions. */
	private known: ReadonlySet<string> = new Set();

	/** Pages that failed in earlier executions: they must not keep all others from their turn again. */
	private readonly last: PlannedPage[] = [];

	private readonly takeBreak = breaks();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly items: readonly Item[],
	) {
		this.done = donePages(context);
		this.outcomes = new PageOutcomes(context);
	}

	async executeAll(): Promise<RunOutcome> {
		const { outcomes } = this;
		const reads = await outcomes.readItems(
			this.items,
			async (item, index) => await this.readItem(item, index),
		);
		await this.leaveOutOpened(reads);
		/** By session; an item without one is alone. */
		const lanes = new Map<string | ReadItem, ReadItem[]>();
		for (const read of reads) {
			const key = read.request.sessionKey ?? read;
			const lane = lanes.get(key) ?? [];
			lane.push(read);
			lanes.set(key, lane);
		}
		for (const lane of lanes.values()) {
			await this.plan(lane);
			if (outcomes.run.signal.aborted) break;
		}
		for (const page of this.last) outcomes.run.add([page]);
		await outcomes.finish();
		return outcomes.outcome();
	}

	/** Reads and checks what was entered for an item; asks for nothing. Throws InvalidFieldError, DescribedError. */
	private async readItem(item: Item, index: number): Promise<ReadItem> {
		const input = this.context.getInputData()[index];
		const requests = readOpenRequests(item);
		const [request] = requests;
		const { sessionKey } = request;
		refuseOverwriting(input, request);
		if (request.page.method === 'POST' && isRetriedTool(this.context)) {
			throw new DescribedError({
				message: "Turn off 'Retry On Fail' in the settings of this tool to send a POST with it",
				description:
					'n8n would call the tool again after a failure, and the page could receive the POST twice. Nothing was sent.',
			});
		}
		const proxies = readSourceRequest(item, sessionKey !== undefined);
		const pages: OutputPage[] = [];
		for (const one of requests) {
			const page = { index, request: one, input };
			this.outcomes.add(page);
			const known = this.done.get(keyOf(page));
			if (known !== undefined) {
				this.resumedSessions.add(sessionKey);
				this.outcomes.put(page, { ...known, how: 'not sent again' });
				this.note(page, known);
			} else if (one.urlError === undefined) pages.push(page);
			else await this.outcomes.settle(page, notRequested(one.urlError), WITHOUT_URL);
		}
		return { index, request, proxies, pages };
	}

	/** Those of earlier executions. What a POST does is to be done each time, such as logging in. */
	private async leaveOutOpened(reads: readonly ReadItem[]): Promise<void> {
		const { openedPages } = this.outcomes;
		const asked = reads.filter(
			({ request }) => request.skipOpened && request.page.method !== 'POST',
		);
		const addresses = asked.flatMap(({ pages }) => pages.map(addressOf));
		const known = await openedPages.known([...addresses, ...addresses.map(failed)]);
		this.known = known;
		for (const read of asked) {
			const isOpened = (page: OutputPage) => known.has(addressOf(page));
			const opened = read.pages.filter(isOpened);
			for (const page of opened) this.outcomes.drop(page);
			openedPages.skipped += opened.length;
			read.pages = read.pages.filter((page) => !isOpened(page));
		}
	}

	/** Items of a session through proxies of another source belong to another session. */
	private async plan(lane: readonly ReadItem[]): Promise<void> {
		const { run } = this.outcomes;
		const { sessionKey } = lane[0].request;
		const bySource = new Map<ProxySource, PlannedPage[]>();
		for (const { index, request, proxies, pages } of lane) {
			if (pages.length === 0) continue;
			try {
				const way = await run.wayFor(this.items[index], request, proxies);
				const planned = bySource.get(way.source) ?? [];
				bySource.set(way.source, planned);
				for (const page of pages) {
					const done = async (result: PageResult) => await this.settle(page, result);
					const hasFailed = page.request.skipOpened && this.known.has(failed(addressOf(page)));
					const isLast = sessionKey === undefined && hasFailed;
					(isLast ? this.last : planned).push({ ...way, page: page.request.page, done });
				}
			} catch (error) {
				for (const page of pages) this.outcomes.drop(page);
				this.outcomes.refuse(index, error);
			}
		}
		const hasHistory = this.resumedSessions.has(sessionKey);
		for (const pages of bySource.values()) {
			if (sessionKey !== undefined) run.add(pages, { hasHistory });
			else for (const page of pages) run.add([page]);
			await this.takeBreak();
		}
	}

	/** Never rejects. */
	private async settle(page: OutputPage, result: PageResult): Promise<void> {
		// The other pages are given up with the one that ended the run, and have nothing to tell
		if (result.error instanceof CancelledError && this.outcomes.run.ended.signal.aborted) return;
		const settled = await this.outcomes.settle(page, result);
		const isPost = page.request.page.method === 'POST';
		if (settled.error === undefined || (isPost && result.mayHaveArrived)) {
			this.done.set(keyOf(page), settled);
		}
		this.note(page, settled, result.attempts.length > 0);
	}

	/** @param isTried in this run */
	private note(page: OutputPage, { error }: SettledPage, isTried = false): void {
		const address = addressOf(page);
		if (!page.request.skipOpened || (error !== undefined && !isTried)) return;
		this.outcomes.openedPages.noted.add(error === undefined ? address : failed(address));
	}
}

export const pageOpen: RunOperation = {
	option: {
		name: 'Open',
		value: 'open',
		action: 'Open pages through proxies',
		description:
			'Open web pages, each through a proxy of an order, and try another proxy when one fails or is blocked. As a tool, it lets an AI agent read pages; each may use up an IP of the order.',
	},
	orders: (valueOf) => ordersOf(valueOf(productField.name)),
	properties: [
		...sourceProperties,
		toProperty(urlField),
		...pageProperties,
		toCollection(retryIfCollection),
		optionsCollection([...sourceOptions, ...PAGE_OPTIONS]),
	],
	executeAll: async (context, items) => await new OpenRun(context, items).executeAll(),
};

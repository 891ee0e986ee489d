import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { eventLoopYielder } from '../../../shared/api/wait';
import { CancelledError, DescribedError } from '../../../shared/api/callErrors';
import { toProperty } from '../../../shared/fields/field';
import { shortLine } from '../../../shared/fields/invalidFieldError';
import { ordersOf } from '../../../shared/orders/orderField';
import { plural } from '../../../shared/wording';
import { isRetriedTool, memoryOfRuns } from '../../run/nodeRun';
import type { RunOutcome, RunOperation } from '../../run/operation';
import type { Item } from '../../run/item';
import { notRequested, type PageResult } from '../../pages/run/pageResult';
import { urlField } from '../../pages/request/pageAddresses';
import {
	readPageRequests,
	withoutFragment,
	type PageRequest,
} from '../../pages/request/pageRequest';
import { describeListEnds, PageList } from '../../pages/run/pageList';
import { PageRun, type OpenPage, type PageRoute } from '../../pages/run/pageRun';
import type { ProxyProvider } from '../../proxies/lease';
import type { ProxyRequest } from '../../proxies/productFields';
import { productField } from '../../proxies/products';
import {
	readProviderRequest,
	providerOptionProperties,
	providerOptions,
	providerProperties,
} from '../../proxies/providerFields';
import {
	NEXT_PAGE_OPTIONS,
	pageOptionsCollection,
	pageProperties,
} from '../../pages/request/pageFields';
import { refuseOverwriting, type OutputPage } from '../../pages/output/pageItem';
import { hasItems, PageOutput, type FinishedPage } from '../../pages/output/pageOutput';

/** A page that was done in a run, and the address of the page that follows it in its list. */
interface DonePage {
	readonly finished: FinishedPage;
	readonly nextUrl?: string;
}

/**
 * Pages that are not requested again when 'Retry On Fail' repeats the run: those that it opened, and those that may
 * have received a POST, whatever they answered. What became of them is reported again.
 */
const donePages = memoryOfRuns(() => new Map<string, DonePage>());

/** A page to open, with the list that it belongs to. */
interface ListedPage extends OutputPage {
	/** Set with *Next Page*. */
	readonly list?: PageList;
}

/** The pages of an item that are to be opened, and the proxies for them. */
interface PagesOfItem {
	readonly index: number;
	readonly item: Item;
	readonly proxies: ProxyRequest;
	/** They have all but their address in common. */
	readonly pages: readonly ListedPage[];
}

/** The pages that share a browser identity. */
interface SessionPages {
	readonly route: PageRoute;
	readonly pages: ListedPage[];
}

/** Ends the pages of a run that has ended, which says so itself. */
function unlessEnded(error: unknown): undefined {
	if (!(error instanceof CancelledError)) throw error;
}

function keyOf({ index, group, request }: OutputPage): string {
	return `${index} ${group} ${request.url}`;
}

function addressOf({ request }: OutputPage): string {
	return withoutFragment(request.url);
}

/** The record of a page that was tried in vain. */
function failureRecord(address: string): string {
	return `failed ${address}`;
}

/** The page of a list with its number, in the slot of the list's address. */
function inList(page: ListedPage, request: PageRequest, pageNumber: number): ListedPage {
	const { index, group, input, list } = page;
	return { index, group, request, list, input: { ...input, json: { ...input.json, pageNumber } } };
}

const TOOL_WITH_RETRY = {
	message: "Turn off 'Retry On Fail' in the settings of this tool to send a POST with it",
	description:
		'n8n would call the tool again after a failure, and the page could receive the POST twice. Nothing was sent.',
};

function refuseOwnPageNumber({ json }: INodeExecutionData, { nextPage }: PageRequest): void {
	const isOwn = Object.hasOwn(json, 'pageNumber') && !Object.hasOwn(json, 'pageStatus');
	if (nextPage === undefined || !isOwn || Object.hasOwn(json, 'pageDetails')) return;
	throw new DescribedError({
		message: "The item already has a field 'pageNumber'",
		description:
			"With 'Next Page', this node would replace it. Rename or remove it before this node. Nothing was requested for this item.",
	});
}

/** One run of the operation. */
class OpenRun {
	private readonly run: PageRun;

	readonly output: PageOutput;

	private readonly done: Map<string, DonePage>;

	private readonly lists: PageList[] = [];

	/** Addresses in front of which `http://` was put. */
	private readonly addedSchemes: string[] = [];

	private readonly pause = eventLoopYielder();

	/** Records of pages that earlier executions have opened, or tried in vain. */
	private records: ReadonlySet<string> = new Set();

	constructor(private readonly context: IExecuteFunctions) {
		this.run = new PageRun(context);
		this.output = new PageOutput(context, this.run);
		this.done = donePages(context);
	}

	/** Reads and checks all items; asks for nothing. */
	async read(items: readonly Item[]): Promise<readonly PagesOfItem[]> {
		return await this.output.readItems(items, async (item, index) => {
			const input = this.context.getInputData()[index];
			const requests = await readPageRequests(item);
			const [request] = requests;
			refuseOverwriting(input, request);
			refuseOwnPageNumber(input, request);
			if (request.method === 'POST' && isRetriedTool(this.context)) {
				throw new DescribedError(TOOL_WITH_RETRY);
			}
			const proxies = readProviderRequest(item, request.sessionKey !== undefined);
			const pages: ListedPage[] = [];
			for (const [group, ofPage] of this.output.admit(requests).entries()) {
				const page = await this.firstUndone({ index, group, request: ofPage, input });
				if (page !== undefined) pages.push(page);
				await this.pause();
			}
			return { index, item, proxies, pages };
		});
	}

	/** The page, or the first one of its list that was not done before 'Retry On Fail'; undefined where none is left. */
	private async firstUndone(first: OutputPage): Promise<ListedPage | undefined> {
		const { request } = first;
		const { nextPage, urlError, isSchemeAdded, address } = request;
		if (isSchemeAdded === true) this.addedSchemes.push(address);
		const list = nextPage === undefined ? undefined : new PageList();
		if (list !== undefined) this.lists.push(list);
		let page: ListedPage | undefined =
			list === undefined ? first : inList({ ...first, list }, request, list.pageNumber);
		while (page !== undefined) {
			this.output.reserve(page);
			const known = this.done.get(keyOf(page));
			if (known === undefined) break;
			this.output.fill(page, { ...known.finished, failure: 'not sent again' });
			this.note(page, known.finished);
			const { nextUrl } = known;
			if (nextUrl === undefined || list === undefined) return undefined;
			const next = list.resume(page.request, nextUrl);
			page = inList(page, next, list.pageNumber);
		}
		if (page === undefined || urlError === undefined) return page;
		await this.output.finishPage(page, notRequested(urlError));
		return undefined;
	}

	/** Leaves out the pages that earlier executions have opened, where that is wanted. */
	async leaveOutOpened(read: readonly PagesOfItem[]): Promise<readonly PagesOfItem[]> {
		const { openedPages } = this.output;
		const asked = read.flatMap(({ pages }) => pages.filter(({ request }) => request.skipOpened));
		const addresses = asked.map(addressOf);
		this.records = await openedPages.openedBefore([...addresses, ...addresses.map(failureRecord)]);
		const isOpened = (page: ListedPage) => this.hasRecord(page, addressOf(page));
		return read.map((ofItem) => {
			for (const page of ofItem.pages.filter(isOpened)) {
				this.output.drop(page);
				openedPages.skipped += 1;
			}
			return { ...ofItem, pages: ofItem.pages.filter((page) => !isOpened(page)) };
		});
	}

	private hasRecord({ request }: OutputPage, record: string): boolean {
		return request.skipOpened && this.records.has(record);
	}

	/** Finds the proxies for the pages of an item; undefined where there are none, which fails it. */
	private async route({
		index,
		item,
		pages,
		proxies,
	}: PagesOfItem): Promise<PageRoute | undefined> {
		try {
			return await this.run.routeFor(item, pages[0].request, proxies);
		} catch (error) {
			for (const page of pages) this.output.drop(page);
			this.output.refuse(index, error);
			return undefined;
		}
	}

	/**
	 * Opens all pages: those of a session one after the other, and those that failed in earlier executions last. The first
	 * items' pages are opened while proxies for others are looked for. Resolves also where the run ends before.
	 */
	async open(wanted: readonly PagesOfItem[]): Promise<void> {
		const { run } = this;
		const opened: Array<Promise<void>> = [];
		// Items of a session with other proxies belong to another session
		const sessions = new Map<ProxyProvider, Map<string, SessionPages>>();
		// They must not keep all others waiting again
		const last: Array<() => Promise<void>> = [];
		for (const ofItem of wanted) {
			const { pages } = ofItem;
			if (run.signal.aborted) break;
			const route = pages.length === 0 ? undefined : await this.route(ofItem);
			if (route === undefined) continue;
			const open: OpenPage = async (page, putOut) => await run.open(route, page, putOut);
			const { sessionKey } = pages[0].request;
			const ofProvider = sessions.get(route.source) ?? new Map<string, SessionPages>();
			sessions.set(route.source, ofProvider);
			for (const page of pages) {
				if (sessionKey !== undefined) {
					const session = ofProvider.get(sessionKey) ?? { route, pages: [] };
					session.pages.push(page);
					ofProvider.set(sessionKey, session);
				} else if (this.hasRecord(page, failureRecord(addressOf(page)))) {
					last.push(async () => await this.openList(page, open));
				} else opened.push(this.openList(page, open));
				await this.pause();
			}
		}
		for (const ofProvider of sessions.values()) {
			for (const session of ofProvider.values()) opened.push(this.openSession(session));
		}
		for (const open of last) opened.push(open());
		await Promise.all(opened);
	}

	private async openSession({ route, pages }: SessionPages): Promise<void> {
		await this.run
			.inSession(route, pages[0].request, async (open) => {
				for (const page of pages) await this.openList(page, open);
			})
			.catch(unlessEnded);
	}

	/** Opens a page, and those that follow it in its list. */
	private async openList(first: ListedPage, open: OpenPage): Promise<void> {
		let page: ListedPage | undefined = first;
		while (page !== undefined) {
			const current: ListedPage = page;
			const putOut = async (result: PageResult) => await this.putOut(current, result);
			page = await open(current.request, putOut).catch(unlessEnded);
		}
	}

	/** Puts a page out. Resolves with the page that follows it in its list. Never rejects. */
	private async putOut(page: ListedPage, result: PageResult): Promise<ListedPage | undefined> {
		const { output } = this;
		const { request, list } = page;
		const [next, finished] = await this.run.withMarkup(result, async () => [
			await list?.next(request, result).catch(() => undefined),
			await output.finishPage(page, result),
		]);
		if (finished.error === undefined || (request.method === 'POST' && result.mayHaveArrived)) {
			this.done.set(keyOf(page), { finished, nextUrl: next?.url });
		}
		this.note(page, finished, result.attempts.length > 0);
		if (next === undefined || list === undefined || finished.error !== undefined) return undefined;
		if (output.roomForPages === 0) {
			output.noteNotOpened([next.url]);
			return undefined;
		}
		const following = inList(page, next, list.pageNumber);
		output.reserve(following);
		return following;
	}

	/** @param isTried whether the page was tried in this run */
	private note(page: OutputPage, finished: FinishedPage, isTried = false): void {
		const address = addressOf(page);
		const isOpened = finished.error === undefined;
		if (!page.request.skipOpened || (!isOpened && !isTried)) return;
		const { noted } = this.output.openedPages;
		noted.add(isOpened && hasItems(finished) ? address : failureRecord(address));
	}

	/** Whole sentences about what was read and found. */
	get hints(): readonly string[] {
		const { addedSchemes, lists } = this;
		const [first] = addedSchemes;
		const count = plural(addedSchemes.length, 'address', 'addresses');
		return [
			...(first === undefined
				? []
				: [`'http://' was put in front of ${count} without it, such as ${shortLine(first)}.`]),
			...describeListEnds(lists),
		];
	}
}

async function openPages(context: IExecuteFunctions, items: readonly Item[]): Promise<RunOutcome> {
	const run = new OpenRun(context);
	const read = await run.read(items);
	const wanted = await run.leaveOutOpened(read);
	await run.open(wanted);
	return await run.output.finish(() => run.hints);
}

export const pageOpen: RunOperation = {
	kind: 'run',
	option: {
		name: 'Open',
		value: 'open',
		action: 'Open pages through proxies',
		description:
			'Open web pages, each through a proxy of an order, and try another proxy when one fails or is blocked. As a tool, it lets an AI agent read pages; each may use up an IP of the order.',
	},
	orders: (valueOf) => ordersOf(valueOf(productField.name)),
	properties: [
		...providerProperties,
		toProperty(urlField),
		...pageProperties,
		pageOptionsCollection([...providerOptions, ...NEXT_PAGE_OPTIONS], providerOptionProperties),
	],
	executeAll: openPages,
};

import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { eventLoopYielder } from '../../../shared/api/wait';
import { CancelledError, DescribedError } from '../../../shared/api/errors';
import { fingerprintOf } from '../../../shared/api/sign';
import { toProperty, shortLine } from '../../../shared/fields/field';
import { locatorValue } from '../../../shared/fields/reader';
import { orderField, ordersOf } from '../../../shared/orders/orderField';
import { formatNumber, plural } from '../../../shared/wording';
import type { Operation, RunOutcome } from '../../run/operation';
import { otherFieldsMayDiffer, type Item } from '../../run/item';
import { notRequested, type PageResult } from '../../pages/run/pageResult';
import { urlField } from '../../pages/request/pageAddresses';
import {
	readPageRequests,
	readPageSettings,
	withoutFragment,
	type PageRequest,
} from '../../pages/request/pageRequest';
import { describeListEnds, PageList } from '../../pages/run/pageList';
import type { PageRoute } from '../../pages/run/attempt';
import { PageRun } from '../../pages/run/pageRun';
import type { Session } from '../../pages/http/session';
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
import { OpenedPages } from '../../pages/output/openedPages';
import { hasItems, PageOutput, recordsOf } from '../../pages/output/pageOutput';

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

function shuffled<T>(all: readonly T[]): T[] {
	const drawn = all.map((one) => ({ one, lot: Math.random() }));
	return drawn.sort((a, b) => a.lot - b.lot).map(({ one }) => one);
}

/** Passes over what a run that has ended says itself. */
function unlessEnded(error: unknown): void {
	if (!(error instanceof CancelledError)) throw error;
}

function addressOf({ request }: OutputPage): string {
	return withoutFragment(request.url);
}

/** The page of a list with its number, in the slot of the list's address. */
function inList(page: ListedPage, request: PageRequest, pageNumber: number): ListedPage {
	const { index, group, input, list } = page;
	return { index, group, request, list, input: { ...input, json: { ...input.json, pageNumber } } };
}

/** Equal for pages that are opened alike, through the same proxies; undefined for one that is opened in any case. */
function keyOfTwins(
	{ request, list }: ListedPage,
	{ item, proxies }: Omit<PagesOfItem, 'pages'>,
): string | undefined {
	const { method, sessionKey } = request;
	if (method === 'POST' || sessionKey !== undefined || list !== undefined) return undefined;
	const listed = (_name: string, value: unknown) => (value instanceof Set ? [...value] : value);
	const order = locatorValue(item.parameter(orderField.name));
	const alike = JSON.stringify([request, proxies, order], listed);
	// Of a hundred thousand pages, the texts would take as many kilobytes
	return fingerprintOf(alike);
}

const POST_WITH_RETRY = {
	message: "Turn off 'Retry On Fail' in the node's settings to send a POST",
	description:
		'n8n would run the node again after a failure, and the page could receive the POST twice. Nothing was sent.',
};

function refuseOwnPageNumber(
	{ json }: INodeExecutionData,
	{ nextPage, openRange }: PageRequest,
): void {
	const isOwn = Object.hasOwn(json, 'pageNumber') && !Object.hasOwn(json, 'pageStatus');
	const isOfList = nextPage !== undefined || openRange !== undefined;
	if (!isOfList || !isOwn || Object.hasOwn(json, 'pageDetails')) return;
	throw new DescribedError({
		message: "The item already has a field 'pageNumber'",
		description:
			'With the pages of a list, this node would replace it. Rename or remove it before this node. Nothing was requested for this item.',
	});
}

/** One run of the operation. */
class OpenRun {
	private readonly run: PageRun;

	private readonly output: PageOutput;

	private readonly openedPages: OpenedPages;

	private readonly lists: PageList[] = [];

	/** Pages that are put out with another one of the same address. */
	private readonly twins = new Map<ListedPage, ListedPage[]>();

	/** The fields of all items, where only their addresses may differ. */
	private sameFields?: {
		readonly settings: ReturnType<typeof readPageSettings>;
		readonly proxies: ProxyRequest;
	};

	/** Pages that were asked for, twins included. */
	private pageCount = 0;

	/** Addresses in front of which `http://` was put. */
	private readonly addedSchemes: string[] = [];

	private readonly pause = eventLoopYielder();

	constructor(private readonly context: IExecuteFunctions) {
		this.run = new PageRun(context);
		this.output = new PageOutput(context, this.run);
		this.openedPages = new OpenedPages(context);
	}

	/** Reads and checks all items; asks for nothing. */
	async read(items: readonly Item[]): Promise<readonly PagesOfItem[]> {
		const read: PagesOfItem[] = [];
		for (const [index, item] of items.entries()) {
			try {
				read.push(await this.readItem(item, index));
			} catch (error) {
				this.output.refuse(index, error);
			}
			if (this.run.signal.aborted) return [];
		}
		return read;
	}

	private async readItem(item: Item, index: number): Promise<PagesOfItem> {
		const input = this.context.getInputData()[index];
		const { settings, proxies } = this.fieldsOf(item);
		const requests = await readPageRequests(item, settings);
		const [request] = requests;
		refuseOverwriting(input, request);
		refuseOwnPageNumber(input, request);
		if (request.method === 'POST' && this.context.getNode().retryOnFail === true) {
			throw new DescribedError(POST_WITH_RETRY);
		}
		const pages: ListedPage[] = [];
		for (const [group, ofPage] of this.output.admit(requests).entries()) {
			const page = this.listed({ index, group, request: ofPage, input });
			this.output.reserve(page);
			const { urlError } = ofPage;
			if (urlError === undefined) pages.push(page);
			else await this.output.finishPage(page, notRequested(urlError));
			await this.pause();
		}
		return { index, item, proxies, pages };
	}

	/** Everything but the addresses: of the first item where it is the same for all of them. */
	private fieldsOf(item: Item): NonNullable<OpenRun['sameFields']> {
		if (this.sameFields !== undefined) return this.sameFields;
		const settings = readPageSettings(item);
		const proxies = readProviderRequest(item, settings.sessionKey !== undefined);
		const fields = { settings, proxies };
		if (!otherFieldsMayDiffer(this.context, urlField.name)) this.sameFields = fields;
		return fields;
	}

	/** The page as the first one of its list, where it has one. */
	private listed(page: OutputPage): ListedPage {
		const { nextPage, openRange, isSchemeAdded, address } = page.request;
		if (isSchemeAdded === true) this.addedSchemes.push(address);
		if (nextPage === undefined && openRange === undefined) return page;
		const list = new PageList();
		this.lists.push(list);
		return inList({ ...page, list }, page.request, list.pageNumber);
	}

	/** Leaves out the pages that earlier executions have put out, where that is wanted; the others in any order. */
	async leaveOutOpened(read: readonly PagesOfItem[]): Promise<readonly PagesOfItem[]> {
		const { openedPages } = this;
		const skippable = read.flatMap(({ pages }) =>
			pages.filter(({ request }) => request.skipOpened),
		);
		const opened = await openedPages.openedBefore(skippable.map(addressOf));
		const isOpened = (page: ListedPage) => page.request.skipOpened && opened.has(addressOf(page));
		// In a row, pages that fail each day would get their site given up each day, before the new ones behind them
		const isAnyOrder =
			skippable.length > 0 && skippable.every(({ request }) => request.sessionKey === undefined);
		const ordered = <T>(all: readonly T[]) => (isAnyOrder ? shuffled(all) : all);
		const remaining = read.map((ofItem) => {
			for (const page of ofItem.pages.filter(isOpened)) {
				this.output.drop(page);
				openedPages.skipped += 1;
			}
			return { ...ofItem, pages: ordered(ofItem.pages.filter((page) => !isOpened(page))) };
		});
		return ordered(remaining);
	}

	/** Leaves out the pages that are put out with another one, which is opened for all of its address. */
	async leaveOutTwins(read: readonly PagesOfItem[]): Promise<readonly PagesOfItem[]> {
		const firsts = new Map<string, ListedPage>();
		const remaining: PagesOfItem[] = [];
		const urls = new Set<string>();
		const repeated = new Set<string>();
		for (const { pages } of read) {
			await this.pause();
			for (const { request } of pages) (urls.has(request.url) ? repeated : urls).add(request.url);
		}
		for (const { pages, ...ofItem } of read) {
			const distinct: ListedPage[] = [];
			for (const page of pages) {
				await this.pause();
				const key = repeated.has(page.request.url) ? keyOfTwins(page, ofItem) : undefined;
				const first = key === undefined ? undefined : firsts.get(key);
				this.pageCount += 1;
				if (first === undefined) {
					distinct.push(page);
					if (key !== undefined) firsts.set(key, page);
					continue;
				}
				const twins = this.twins.get(first) ?? [];
				twins.push(page);
				this.twins.set(first, twins);
			}
			remaining.push({ ...ofItem, pages: distinct });
		}
		return remaining;
	}

	private twinsOf(page: ListedPage): readonly ListedPage[] {
		return this.twins.get(page) ?? [];
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
			const all = pages.flatMap((page) => [page, ...this.twinsOf(page)]);
			for (const page of all) this.output.drop(page);
			for (const failed of new Set([index, ...all.map((page) => page.index)])) {
				this.output.refuse(failed, error);
			}
			return undefined;
		}
	}

	/**
	 * Pages with their routes, found for as many items at once as pages are opened at a time: so they ask for their proxies
	 * together.
	 */
	private async *routed(read: readonly PagesOfItem[]) {
		const wanted = read.filter(({ pages }) => pages.length > 0);
		const atATime = wanted[0]?.pages[0].request.pagesAtATime;
		for (let at = 0; at < wanted.length && !this.run.signal.aborted; at += atATime) {
			const some = wanted.slice(at, at + atATime);
			const routes = await Promise.all(some.map(async (ofItem) => await this.route(ofItem)));
			for (const [index, route] of routes.entries())
				if (route !== undefined) yield { route, pages: some[index].pages };
		}
	}

	/**
	 * Opens all pages, those of a session one after the other. The first items' pages are opened while proxies for others
	 * are looked for. Resolves also where the run ends before.
	 */
	async open(read: readonly PagesOfItem[]): Promise<void> {
		const opened: Array<Promise<void>> = [];
		// Items of a session with other proxies belong to another session
		const sessions = new Map<PageRoute['proxies'], Map<string, SessionPages>>();
		for await (const { route, pages } of this.routed(read)) {
			const { sessionKey } = pages[0].request;
			const ofProxies = sessions.get(route.proxies) ?? new Map<string, SessionPages>();
			sessions.set(route.proxies, ofProxies);
			for (const page of pages) {
				if (sessionKey !== undefined) {
					const session = ofProxies.get(sessionKey) ?? { route, pages: [] };
					session.pages.push(page);
					ofProxies.set(sessionKey, session);
				} else opened.push(this.openList(page, route).catch(unlessEnded));
				await this.pause();
			}
		}
		for (const ofProxies of sessions.values()) {
			for (const session of ofProxies.values())
				opened.push(this.openSession(session).catch(unlessEnded));
		}
		await Promise.all(opened);
	}

	private async openSession({ route, pages }: SessionPages): Promise<void> {
		await this.run.inSession(route, pages[0].request, async (session) => {
			for (const page of pages) await this.openList(page, route, session);
		});
	}

	/** Opens a page, and those that follow it in its list. Throws CancelledError. */
	private async openList(first: ListedPage, route: PageRoute, kept?: Session): Promise<void> {
		let page: ListedPage | undefined = first;
		while (page !== undefined) {
			const current: ListedPage = page;
			const putOut = async (result: PageResult) => await this.putOut(current, result);
			page = await this.run.open(route, current.request, putOut, kept);
		}
	}

	/** Puts a page out. Resolves with the page that follows it in its list. Never rejects. */
	private async putOut(page: ListedPage, result: PageResult): Promise<ListedPage | undefined> {
		const { output } = this;
		const { request, list } = page;
		const unlockTree = await this.run.lockTree(result);
		try {
			const comesOut = list?.endsBefore(request, result) !== true;
			const next = await list?.next(request, result).catch(() => undefined);
			const finished = await output.finishPage(page, result, comesOut);
			for (const twin of this.twinsOf(page)) await output.finishPage(twin, result);
			if (finished.error !== undefined) return undefined;
			if (list?.takes(request, recordsOf(finished)) === false) {
				if (request.openRange?.isFollowing === true) output.dropOpened(page);
				return undefined;
			}
			if (request.skipOpened && hasItems(finished)) this.openedPages.note(addressOf(page));
			if (next === undefined || list === undefined) return undefined;
			const [admitted] = output.admit([next]);
			if (admitted === undefined) return undefined;
			const following = inList(page, admitted, list.pageNumber);
			output.reserve(following);
			return following;
		} finally {
			unlockTree();
		}
	}

	/** Records what came out for later executions, and tells what came of all pages. */
	async finish(): Promise<RunOutcome> {
		// Whoever did not get the pages needs them again
		if (!this.run.signal.aborted) await this.openedPages.record();
		return this.output.finish([...this.hints, ...this.openedPages.hints]);
	}

	/** Whole sentences about what was read and found. */
	private get hints(): readonly string[] {
		const { addedSchemes, lists, pageCount, twins } = this;
		const [first] = addedSchemes;
		const repeated = [...twins.values()].reduce((sum, { length }) => sum + length, 0);
		const count = plural(addedSchemes.length, 'address', 'addresses');
		return [
			...(first === undefined
				? []
				: [`'http://' was put in front of ${count} without it, such as ${shortLine(first)}.`]),
			...(repeated === 0
				? []
				: [
						`${formatNumber(pageCount)} items have ${plural(pageCount - repeated, 'different address', 'different addresses')}. Each was opened once.`,
					]),
			...describeListEnds(lists),
		];
	}
}

async function openPages(context: IExecuteFunctions, items: readonly Item[]): Promise<RunOutcome> {
	const run = new OpenRun(context);
	const read = await run.read(items);
	const wanted = await run.leaveOutOpened(read);
	await run.open(await run.leaveOutTwins(wanted));
	return await run.finish();
}

export const pageOpen: Operation = {
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

import type { IExecuteFunctions } from 'n8n-workflow';

import { eventLoopYielder } from '../../../shared/concurrency/wait';
import { CancelledError, DescribedError } from '../../../shared/errors/callErrors';
import { toCollection, toProperty } from '../../../shared/fields/field';
import { ordersOf } from '../../../shared/orders/orderField';
import { isRetriedTool, memoryOfRuns } from '../../nodeRun';
import type { Item, RunOutcome, RunOperation } from '../../operation';
import { notRequested, type PageResult } from '../../pages/run/pageResult';
import { urlField } from '../../pages/request/pageAddresses';
import { readPageRequests, withoutFragment } from '../../pages/request/pageRequest';
import { PageRun, type PlannedPage } from '../../pages/run/pageRun';
import { optionsCollection } from '../../parameters/callOptions';
import type { ProxyProvider } from '../../proxies/lease';
import { productField } from '../../proxies/products';
import {
	readProviderRequest,
	providerOptions,
	providerProperties,
} from '../../proxies/providerFields';
import {
	NEXT_PAGE_OPTIONS,
	PAGE_OPTIONS,
	pageProperties,
	retryIfCollection,
} from '../../pages/request/pageFields';
import { refuseOverwriting, type OutputPage } from '../../pages/output/pageItem';
import { PageOutput, type FinishedPage } from '../../pages/output/pageOutput';

/**
 * Pages that are not requested again when 'Retry On Fail' repeats the run: those that it opened, and those that may
 * have received a POST, whatever they answered. What became of them is reported again.
 */
const donePages = memoryOfRuns(() => new Map<string, FinishedPage>());

function keyOf({ index, group, request }: OutputPage): string {
	return `${index} ${group} ${request.url}`;
}

function addressOf({ request }: OutputPage): string {
	return withoutFragment(request.url);
}

/** For the records of a page that was tried in vain. */
function failed(address: string): string {
	return `failed ${address}`;
}

async function openPages(context: IExecuteFunctions, items: readonly Item[]): Promise<RunOutcome> {
	const run = new PageRun(context);
	const output = new PageOutput(context, run);
	const { openedPages } = output;
	const done = donePages(context);
	/** Keys of sessions with pages that were done before 'Retry On Fail' repeated the run. */
	const resumedSessions = new Set<string | undefined>();

	/** @param isTried in this run */
	const note = (page: OutputPage, { error }: FinishedPage, isTried = false): void => {
		const address = addressOf(page);
		if (!page.request.skipOpened || (error !== undefined && !isTried)) return;
		openedPages.noted.add(error === undefined ? address : failed(address));
	};

	/** Reads and checks what was entered for an item; asks for nothing. Throws InvalidFieldError, DescribedError. */
	const readItem = async (item: Item, index: number) => {
		const input = context.getInputData()[index];
		const requests = await readPageRequests(item);
		const [request] = requests;
		const { sessionKey } = request;
		refuseOverwriting(input, request);
		if (request.method === 'POST' && isRetriedTool(context)) {
			throw new DescribedError({
				message: "Turn off 'Retry On Fail' in the settings of this tool to send a POST with it",
				description:
					'n8n would call the tool again after a failure, and the page could receive the POST twice. Nothing was sent.',
			});
		}
		const proxies = readProviderRequest(item, sessionKey !== undefined);
		/** Those that are to be opened; they have all but their address in common. */
		const pages: OutputPage[] = [];
		for (const [group, one] of output.admit(requests).entries()) {
			const page = { index, group, request: one, input };
			output.reserve(page);
			const known = done.get(keyOf(page));
			if (known !== undefined) {
				resumedSessions.add(sessionKey);
				output.fill(page, { ...known, failure: 'not sent again' });
				note(page, known);
			} else if (one.urlError === undefined) pages.push(page);
			else await output.finishPage(page, notRequested(one.urlError));
		}
		return { index, proxies, pages };
	};

	/** Never rejects. */
	const settle = async (page: OutputPage, result: PageResult): Promise<void> => {
		// The other pages are given up with the one that ended the run, and have nothing to tell
		if (result.error instanceof CancelledError && run.ended.signal.aborted) return;
		const settled = await output.finishPage(page, result);
		const isPost = page.request.method === 'POST';
		if (settled.error === undefined || (isPost && result.mayHaveArrived)) {
			done.set(keyOf(page), settled);
		}
		note(page, settled, result.attempts.length > 0);
	};

	const reads = await output.readItems(items, readItem);
	const asked = reads.flatMap(({ pages }) => pages.filter(({ request }) => request.skipOpened));
	const addresses = asked.map(addressOf);
	const records = await openedPages.known([...addresses, ...addresses.map(failed)]);
	const isKnown = ({ request }: OutputPage, record: string) =>
		request.skipOpened && records.has(record);
	/** By key. Items of a session through proxies of another source belong to another session. */
	const sessions = new Map<ProxyProvider, Map<string, PlannedPage[]>>();
	const laneOf = (source: ProxyProvider, key: string) => {
		const lanes = sessions.get(source) ?? new Map<string, PlannedPage[]>();
		const lane = lanes.get(key) ?? [];
		sessions.set(source, lanes.set(key, lane));
		return lane;
	};
	/** Pages that failed in earlier executions: they must not keep all others from their turn again. */
	const last: PlannedPage[] = [];
	const takeBreak = eventLoopYielder();
	for (const { index, proxies, pages } of reads) {
		const left: OutputPage[] = [];
		for (const page of pages) {
			if (!isKnown(page, addressOf(page))) left.push(page);
			else {
				output.drop(page);
				openedPages.skipped += 1;
			}
		}
		if (left.length === 0) continue;
		const [{ request }] = left;
		const { sessionKey } = request;
		try {
			const way = await run.routeFor(items[index], request, proxies);
			const lane = sessionKey === undefined ? undefined : laneOf(way.source, sessionKey);
			for (const page of left) {
				const planned = {
					...way,
					page: page.request,
					done: async (result: PageResult) => await settle(page, result),
				};
				const isLast = isKnown(page, failed(addressOf(page)));
				if (lane !== undefined) lane.push(planned);
				else if (isLast) last.push(planned);
				else run.add([planned]);
				await takeBreak();
			}
		} catch (error) {
			for (const page of left) output.drop(page);
			output.refuse(index, error);
		}
		if (run.signal.aborted) break;
	}
	for (const lanes of sessions.values()) {
		for (const [key, pages] of lanes) run.add(pages, { hasHistory: resumedSessions.has(key) });
	}
	for (const page of last) run.add([page]);
	return await output.finish();
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
		...providerProperties,
		toProperty(urlField),
		...pageProperties,
		toCollection(retryIfCollection),
		optionsCollection([...providerOptions, ...PAGE_OPTIONS, ...NEXT_PAGE_OPTIONS]),
	],
	executeAll: openPages,
};

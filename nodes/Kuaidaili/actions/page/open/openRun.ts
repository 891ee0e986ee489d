import type { IExecuteFunctions } from 'n8n-workflow';

import { debugLog } from '../../../../shared/concurrency/wait';
import { CancelledError, DescribedError } from '../../../../shared/errors/callErrors';
import {
	obtainOrderFacts,
	refuseOtherProduct,
	type OrderFacts,
} from '../../../../shared/queries/orderFacts';
import { isCancelled, isRetriedTool, memoryOfRuns } from '../../../nodeRun';
import type { Item, ItemOutcome, OperationResult, RunOutcome } from '../../../operation';
import { Brakes } from '../../../pages/brakes';
import { openPage, type PageResult } from '../../../pages/openPage';
import { Pace, paceOfOrder } from '../../../pages/pace';
import { siteOf } from '../../../pages/pageRequest';
import { breaks, runSchedule, Upcoming } from '../../../pages/schedule';
import { Session } from '../../../pages/session';
import type { ProxySource } from '../../../proxies/lease';
import { ProxySources } from '../../../proxies/source';
import { readSourceRequest } from '../../../proxies/sourceFields';
import { endsRun } from '../../runItems';
import { readOpenRequest, type OpenRequest } from './openRequest';
import { refuseOverwriting, toPageItem } from './pageOutput';
import { progressOf, reportEvery10Seconds, summaryOf, type PageCounts } from './runReport';

/** What a page needs besides what was entered for it. */
interface Preparation {
	readonly source: ProxySource;
	readonly pace: Pace;
}

interface PlannedPage extends Preparation {
	readonly request: OpenRequest;
	/** Equal for items that share a session; of its own for every other. */
	readonly lane: string;
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

function anyOf(...signals: ReadonlyArray<AbortSignal | undefined>): AbortSignal {
	return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}

function errorOf(error: unknown): ItemOutcome {
	return { error };
}

/** One run of "Page: Open" over all input items. */
export class OpenRun {
	private readonly outcomes = new Map<number, ItemOutcome>();

	private readonly planned = new Map<number, PlannedPage>();

	private readonly sessions = new Map<string, Session>();

	/** Keys of sessions with pages that were done before 'Retry On Fail' repeated the run. */
	private readonly resumedSessions = new Set<string>();

	private readonly orderFacts = new Map<string, Promise<OrderFacts>>();

	private readonly sourceNumbers = new Map<ProxySource, number>();

	/** By the requests per second that were entered: they count for the whole run. */
	private readonly ownPaces = new Map<number, Pace>();

	private readonly done: Map<number, DonePage>;

	private readonly sources: ProxySources;

	/** Set off by an error that ends the run. */
	private readonly ended = new AbortController();

	private readonly signal: AbortSignal;

	/** Of the execution. */
	private readonly cancelSignal: AbortSignal | undefined;

	private opened = 0;

	/** Their addresses. */
	private readonly failedProxies = new Set<string>();

	private readonly brakes = new Brakes();

	/** Sessions, and pages without one, that have not begun yet. */
	private readonly upcoming = new Upcoming();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly items: readonly Item[],
	) {
		this.done = donePages(context);
		this.cancelSignal = context.getExecutionCancelSignal?.();
		this.signal = anyOf(this.ended.signal, this.cancelSignal);
		this.sources = new ProxySources(context, this.signal);
	}

	async executeAll(): Promise<RunOutcome> {
		const takeBreak = breaks();
		for (const index of this.items.keys()) {
			await this.plan(index).catch((error: unknown) => this.settle(index, errorOf(error)));
			if (this.signal.aborted) return this.outcome();
			await takeBreak();
		}
		const lanes = this.lanes();
		for (const [first] of lanes) this.addUpcoming(this.pageOf(first), 1);
		const { name } = this.context.getNode();
		const stopReporting = reportEvery10Seconds(() =>
			this.context.logger.info(`'${name}': ${progressOf(this.counts)}`),
		);
		await runSchedule({
			lanes,
			atATime: (index) => this.pageOf(index).request.pagesAtATime,
			work: async (index) => await this.work(index),
			laneEnded: ([first]) => this.sessions.get(this.pageOf(first).lane)?.end(),
			isOver: () => this.signal.aborted,
		}).finally(stopReporting);
		if (isCancelled(this.context)) this.reportCancelled();
		return this.outcome();
	}

	private pageOf(index: number): PlannedPage {
		const page = this.planned.get(index);
		if (page === undefined) throw new Error(`Item ${index} has no page`);
		return page;
	}

	/**
	 * Reads and checks what was entered for an item, and asks what there is to know about its order. No proxy is
	 * taken for it.
	 *
	 * @throws InvalidFieldError, CallError
	 */
	private async plan(index: number): Promise<void> {
		const item = this.items[index];
		const request = readOpenRequest((name) => item.parameter(name), item.callOptions().options);
		refuseOverwriting(this.context.getInputData()[index], request);
		if (request.page.method === 'POST') this.refuseRetryingTool();
		const known = this.done.get(index);
		if (known !== undefined) {
			if (known.isOpened) this.opened += 1;
			if (request.sessionKey !== undefined) this.resumedSessions.add(request.sessionKey);
			return this.settle(index, known.outcome);
		}
		const proxies = readSourceRequest(item, request.sessionKey !== undefined);
		if (request.urlError !== undefined) {
			const page = {
				url: '',
				attempts: [],
				failedProxies: [],
				mayHaveArrived: false,
				error: request.urlError,
			};
			return this.settle(index, { result: await this.resultOf(index, request, page) });
		}
		const orderKey = await item.orderKey();
		const facts = await this.factsOf(item, orderKey);
		refuseOtherProduct(facts, request.product);
		const { requestsPerSecond, sessionKey, pagesPerProxy } = request;
		const { secondsPerIp } = facts;
		const source = await this.sources.sourceFor(item, proxies, pagesPerProxy, secondsPerIp);
		const pace =
			requestsPerSecond === undefined
				? paceOfOrder(orderKey, facts.requestsPerSecond)
				: this.ownPace(requestsPerSecond);
		const lane =
			sessionKey === undefined ? String(index) : `${this.numberOf(source)} ${sessionKey}`;
		this.planned.set(index, { request, source, pace, lane });
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

	/** Asked for once in a run, also where there is no answer. */
	private async factsOf(item: Item, orderKey: string): Promise<OrderFacts> {
		const facts =
			this.orderFacts.get(orderKey) ?? obtainOrderFacts(item.run, orderKey, item.signal);
		this.orderFacts.set(orderKey, facts);
		return await facts;
	}

	private numberOf(source: ProxySource): number {
		const number = this.sourceNumbers.get(source) ?? this.sourceNumbers.size;
		this.sourceNumbers.set(source, number);
		return number;
	}

	private ownPace(perSecond: number): Pace {
		const pace = this.ownPaces.get(perSecond) ?? new Pace(perSecond);
		this.ownPaces.set(perSecond, pace);
		return pace;
	}

	/** Pages of a session one after the other, at the place of the first one. */
	private lanes(): number[][] {
		const lanes = new Map<string, number[]>();
		for (const [index, { lane }] of this.planned) {
			const members = lanes.get(lane) ?? [];
			members.push(index);
			lanes.set(lane, members);
		}
		return [...lanes.values()];
	}

	private addUpcoming({ source, request }: PlannedPage, count: number): void {
		this.upcoming.add(source, siteOf(request.page), count);
	}

	private sessionOf(planned: PlannedPage): Session {
		const { lane, request, source } = planned;
		const known = this.sessions.get(lane);
		if (known !== undefined) return known;
		const lease = async (site: string) => {
			const upcoming = this.upcoming.of(source);
			return await source.lease({ site, upcoming, signal: anyOf(this.signal) });
		};
		this.addUpcoming(planned, -1);
		const { sessionKey } = request;
		const isResumed = sessionKey !== undefined && this.resumedSessions.has(sessionKey);
		const session = new Session(lease, sessionKey !== undefined, isResumed);
		this.sessions.set(lane, session);
		return session;
	}

	/** Never rejects. */
	private async work(index: number): Promise<void> {
		const planned = this.pageOf(index);
		const outcome = await this.open(index, planned).catch(errorOf);
		// The other pages are given up with it, and have nothing to tell
		if (
			'error' in outcome &&
			outcome.error instanceof CancelledError &&
			this.ended.signal.aborted
		) {
			return;
		}
		this.settle(index, outcome);
	}

	/** @throws CancelledError */
	private async open(index: number, planned: PlannedPage): Promise<ItemOutcome> {
		const { request, pace } = planned;
		const { context } = this;
		const send = async (options: Parameters<typeof context.helpers.httpRequest>[0]) => {
			const response: unknown = await context.helpers.httpRequest(options);
			return response;
		};
		const session = this.sessionOf(planned);
		const isPost = request.page.method === 'POST';
		const page = await openPage(request.page, {
			send,
			pace,
			run: this,
			brakes: this.brakes,
			session,
			log: debugLog(context),
			// One of its own: with very many listeners, Node.js warns of a leak
			signal: anyOf(this.signal),
			// What is under way when another page ends the run, is not to be sent again when it is repeated
			requestSignal: isPost ? anyOf(this.cancelSignal) : undefined,
		}).catch((error: unknown): never => {
			session.end();
			throw error;
		});
		for (const proxy of page.failedProxies) this.failedProxies.add(proxy);
		const site = siteOf(request.page);
		// Nobody extracts proxies ahead for pages that will not be tried
		if (this.brakes.isSiteGivenUp(site, request.page.giveUpSiteAfter)) this.upcoming.drop(site);
		const outcome = await this.resultOf(index, request, page).then(
			(result): ItemOutcome => ({ result }),
			errorOf,
		);
		const isOpened = page.error === undefined && 'result' in outcome;
		if (isOpened) this.opened += 1;
		if (isOpened || (isPost && page.mayHaveArrived)) this.done.set(index, { outcome, isOpened });
		return outcome;
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
		return neverError && (this.opened > 0 || !this.brakes.isRunOver(page.giveUpSiteAfter));
	}

	private settle(index: number, outcome: ItemOutcome): void {
		this.outcomes.set(index, outcome);
		if ('error' in outcome && endsRun(this.context, outcome.error)) this.ended.abort();
	}

	private get counts(): PageCounts {
		const outcomes = [...this.outcomes.values()];
		const failed = outcomes.filter((outcome) => 'error' in outcome).length;
		return { opened: this.opened, done: outcomes.length, failed, total: this.items.length };
	}

	/** n8n saves no output of a cancelled node: the log is left. */
	private reportCancelled(): void {
		const { name } = this.context.getNode();
		this.context.logger.warn(`'${name}' was cancelled, and its output is lost. ${this.summary}`);
	}

	private get summary(): string {
		return summaryOf(this.counts, this.sources.counts, this.failedProxies.size);
	}

	private outcome(): RunOutcome {
		const { summary } = this;
		const { extracted, reused } = this.sources.counts;
		const isFree = extracted + reused === 0;
		const keep =
			"To keep the pages that were opened when one is not, set 'On Error' in the settings of the node to 'Continue'.";
		return {
			items: this.outcomes,
			hints: [
				...(this.items.length === 1 && this.opened === 1 && isFree ? [] : [summary]),
				...this.brakes.hints,
			],
			note: this.opened === 0 ? undefined : `${summary} ${keep}`,
		};
	}
}

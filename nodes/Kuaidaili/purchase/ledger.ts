import { NodeOperationError, type IDataObject, type IExecuteFunctions } from 'n8n-workflow';

import type { FailureText } from '../../shared/api/errors';
import { fingerprintOf } from '../../shared/fingerprint';
import { ownValue } from '../../shared/guards';
import { DAY_MS, type EpochMs } from '../../shared/service/chinaTime';
import {
	isTool,
	manualExecutionOf,
	retriedExecutionOf,
	runIndexOf,
	savedData,
} from '../run/nodeRun';
import { DurableRecords, executionName } from './durableRecords';
import { LATE_MS, orderNumberOf, type PlacedOrder } from './types';

/** The version of the data that an execution saves; another version of the node may save something else. */
const LEDGER_VERSION = 1;

/** Properties that do not change while a purchase is made. */
export interface PurchaseSubject {
	/** Identifies it: the node, the first execution of the chain of retries, the run, and the item or order. */
	readonly id: string;
	/** The purchase key: purchases with the same one exclude each other. New orders of one kind, or one order's renewals. */
	readonly key: string;
	/** The key pair that renews, which stands for an order whose number can't be read; empty for new orders. */
	readonly keyPair: string;
	/** Equal for the same goods for the same buyer. */
	readonly goods: string;
	/** The input item, by its JSON; for a renewal, the key. */
	readonly item: string;
	/** Its place among equal ones. */
	readonly place: number;
	/** The account that pays; empty where only the key pair of an order is known. */
	readonly account: string;
	/** The most that the user expects it to cost, in yuan. */
	readonly expectedCost?: number;
	readonly itemIndex: number;
	readonly isRenewal: boolean;
	/** A dry run only counts what it would buy; nobody else sees it. */
	readonly isDry: boolean;
	/** Whether a condition keeps it from being bought again. */
	readonly isConditional: boolean;
}

/** The state of a purchase, with what is known in it. */
export interface PurchaseState {
	readonly state: 'sent' | 'paid' | 'refused' | 'unknown';
	/** Its name in lists of what was bought, or may have been. */
	readonly label: string;
	/** The output of what was paid. */
	readonly record?: IDataObject;
	/** Set where the outcome is unknown. */
	readonly text?: FailureText;
	/** Fingerprint of the snapshot that it was bought from; undefined where that could not be read. */
	readonly before?: string;
	/** The balance of the account before it was sent, in yuan. */
	readonly balanceBefore?: number;
	/** The cost in yuan, by the balance before and after it; undefined where that doesn't tell. */
	readonly cost?: number;
}

/** One purchase of an item. */
export interface LedgerEntry extends PurchaseSubject, PurchaseState {
	readonly node: string;
	readonly execution: string;
	/** The execution that somebody started by hand; undefined where nobody did. */
	readonly manualExecution?: string;
	readonly run: string;
	/** When it was sent, or its outcome known. */
	readonly at: EpochMs;
}

/** The data that are saved with an execution, and come back when it is retried. */
interface SavedLedger {
	version: number;
	/** The execution that has saved it. */
	execution?: string;
	/** Name of the first execution of the chain of retries. */
	first?: string;
	/** The run of the node in this execution that is the first one counted from there. */
	firstRun?: number;
	/** See `PurchaseLedger.isRetryOfUnknown`. */
	isOfUnknown?: boolean;
	/** Entries by run and item. */
	entries: Record<string, LedgerEntry>;
	/** Outputs of what another execution had bought for the same item, by run and item. */
	repeats?: Record<string, IDataObject>;
	/** Runs, and whether another process had begun them before; or the calls of a tool. */
	runs: Record<string, boolean>;
}

function isSavedLedger(saved: unknown): saved is SavedLedger {
	return ownValue(saved, 'version') === LEDGER_VERSION;
}

function readSavedLedger(context: IExecuteFunctions): SavedLedger {
	const saved = savedData(context, 'purchases');
	if (Object.keys(saved).length === 0) {
		Object.assign(saved, { version: LEDGER_VERSION, entries: {}, runs: {} });
	}
	if (isSavedLedger(saved)) return saved;
	throw new NodeOperationError(
		context.getNode(),
		"This version of the node can't read what this execution has bought",
		{
			description:
				'Nothing more was bought. Start the workflow anew instead of retrying the execution.',
		},
	);
}

/**
 * All purchases of this process, for a day, by identity. They are timed by two clocks: the date may be set back, and that of
 * `keptAt` may stop while a machine sleeps.
 */
const allEntries = new Map<string, { readonly entry: LedgerEntry; readonly keptAt: number }>();

/** The most items of sub-workflows that are told apart. */
const MOST_ITEMS_OF_CLICKS = 10_000;

/** Counts of an input item by execution, for each item of what somebody started by hand. */
const itemsOfClicks = new Map<string, Map<string, number>>();

/** Time since a purchase was sent, or its outcome known, in milliseconds. */
export function ageOf(entry: LedgerEntry): number {
	const kept = allEntries.get(entry.id);
	const sinceKept = kept?.entry.at === entry.at ? performance.now() - kept.keptAt : 0;
	return Math.max(sinceKept, Date.now() - entry.at);
}

/** Whether the service may not show it yet. */
export function isLate(entry: LedgerEntry): boolean {
	return ageOf(entry) < LATE_MS;
}

/** The finding in an earlier execution that somebody may be repeating by hand. */
export type ManualRepeat =
	| { readonly kind: 'sameItem'; readonly entry: LedgerEntry }
	/** Equal parameters were bought for another item. */
	| { readonly kind: 'otherItem'; readonly entry: LedgerEntry }
	/** The item is known here, and was not bought, or not so often. */
	| { readonly kind: 'unbought' };

const CANNOT_READ_RECORDS = "n8n can't read what the execution that this one retries has bought";

/**
 * Every purchase, seen from one run of a node: what was sent, what became of it, and when. It lies in the process
 * for a day, and in the data of its execution, which lives on for 'Retry On Fail', is saved with the execution, and
 * comes back when that is retried. Every guard is a question to it. What another process did, the durable records tell.
 */
export class PurchaseLedger {
	readonly isTool: boolean;
	/** None for a tool: nothing tells its calls apart in another process. */
	readonly records: DurableRecords | undefined;
	readonly manualExecution: string | undefined;
	/** Whether this is the retry of an execution. */
	readonly isRetry: boolean;
	private readonly execution: string;
	/** Tells the node apart from all others of this n8n. */
	readonly node: string;
	/** The run of the node in this execution. */
	readonly run: string;
	private readonly saved: SavedLedger;
	/** Name of the first execution of the chain of retries. */
	private first = '';

	private constructor(private readonly context: IExecuteFunctions) {
		const { id, name } = context.getNode();
		this.saved = readSavedLedger(context);
		this.isTool = isTool(context);
		this.records = this.isTool ? undefined : new DurableRecords(context);
		this.manualExecution = manualExecutionOf(context);
		this.isRetry = context.getMode() === 'retry' || retriedExecutionOf(context) !== undefined;
		this.execution = context.getExecutionId();
		this.node = JSON.stringify([context.getWorkflow().id, id ?? name]);
		const { entries, runs } = this.saved;
		// n8n numbers the calls of a tool from 0 for each agent, so its run index may come twice
		this.run = this.isTool ? `tool${Object.keys(runs).length}` : runIndexOf(context);
		// What a dry run would buy, it would not buy again when 'Retry On Fail' or somebody repeats it
		for (const [key, { isDry, run }] of Object.entries(entries)) {
			if (isDry && run === this.run) delete entries[key];
		}
		// At once, before another call of the tool counts
		if (this.isTool) runs[this.run] = true;
	}

	/** Throws NodeOperationError where a retry can't know what was bought before it. */
	static async open(context: IExecuteFunctions): Promise<PurchaseLedger> {
		const ledger = new PurchaseLedger(context);
		await ledger.findFirstExecution();
		return ledger;
	}

	private async findFirstExecution(): Promise<void> {
		const { context, execution, records, saved } = this;
		const own = executionName(execution);
		const retried = retriedExecutionOf(context);
		// Of an execution that was killed, n8n keeps nothing but which nodes have run
		const isLost = saved.first === undefined && retried !== undefined && records !== undefined;
		const left = isLost ? await records.firstExecution(executionName(retried)) : undefined;
		const ofChain = left === '' && retried !== undefined ? executionName(retried) : left;
		const first = saved.first ?? (isLost ? ofChain : own);
		const isNoted =
			saved.execution === execution ||
			!this.isRetry ||
			records === undefined ||
			(first !== undefined && (await records.noteFirstExecution(own, first)));
		if (first === undefined || !isNoted) throw this.unreadable();
		saved.isOfUnknown ??= left === '';
		saved.first = first;
		saved.firstRun ??= isLost ? Number(this.run) : 0;
		saved.execution = execution;
		this.first = first;
	}

	/**
	 * Whether this is the retry of an execution that left nothing: one that was killed, or failed, before it came to
	 * this node. If that was a retry itself, another one of its chain may have bought the same.
	 */
	get isRetryOfUnknown(): boolean {
		return this.saved.isOfUnknown === true;
	}

	private unreadable(): NodeOperationError {
		return new NodeOperationError(this.context.getNode(), CANNOT_READ_RECORDS, {
			description:
				"Nothing was bought. Check n8n's database, and retry the execution again once it answers.",
		});
	}

	/** @param orderid of the order to renew, in place of the item: another execution may have it at another one */
	idOf(itemIndex: number, orderid?: string): string {
		const { first, node, run, saved } = this;
		const counted = this.isTool ? run : Number(run) - (saved.firstRun ?? 0);
		const what = orderid === undefined ? itemIndex : `order ${orderid}`;
		return [node, first, counted, what].join('/');
	}

	/**
	 * Counts an input item that somebody's click hands to several executions, as a sub-workflow for each item does.
	 *
	 * @param item its fingerprint
	 * @param count how often this execution has had it so far
	 * @returns how often the executions before this one had it
	 */
	placesBefore(item: string, count: number): number {
		const { execution, manualExecution, node } = this;
		if (manualExecution === undefined || manualExecution === execution) return 0;
		const key = fingerprintOf(node, manualExecution, item);
		const counts = itemsOfClicks.get(key) ?? new Map<string, number>();
		counts.set(execution, count);
		itemsOfClicks.set(key, counts);
		const [oldest] = itemsOfClicks.keys();
		if (itemsOfClicks.size > MOST_ITEMS_OF_CLICKS) itemsOfClicks.delete(oldest);
		const executions = [...counts.keys()];
		const earlier = executions.slice(0, executions.indexOf(execution));
		return earlier.reduce((sum, id) => sum + (counts.get(id) ?? 0), 0);
	}

	/* Entries */

	write(subject: PurchaseSubject, state: PurchaseState): LedgerEntry {
		const at = Date.now();
		for (const [id, { entry }] of allEntries) {
			if (at - entry.at > DAY_MS) allEntries.delete(id);
		}
		const { execution, manualExecution, node, run } = this;
		const entry = { ...subject, execution, manualExecution, node, run, at, ...state };
		this.keep(entry, performance.now());
		return entry;
	}

	/** Adds to what is known of a paid purchase of this run. */
	complete(itemIndex: number, more: Pick<LedgerEntry, 'cost' | 'record'>): void {
		const entry = this.entryOf(itemIndex);
		if (entry === undefined) return;
		const keptAt = allEntries.get(entry.id)?.keptAt ?? performance.now();
		this.keep({ ...entry, ...more }, keptAt);
	}

	private keep(entry: LedgerEntry, keptAt: number): void {
		// Only this execution counts what a dry run would buy
		if (!entry.isDry) allEntries.set(entry.id, { entry, keptAt });
		this.saved.entries[`${entry.run}/${entry.itemIndex}`] = { ...entry };
	}

	/** Keeps the output of what another execution had bought for the item: a retry of this one comes when that is long ago. */
	keepRepeat(itemIndex: number, record: IDataObject): void {
		this.saved.repeats = { ...this.saved.repeats, [`${this.run}/${itemIndex}`]: record };
	}

	repeatOf(itemIndex: number): IDataObject | undefined {
		return this.saved.repeats?.[`${this.run}/${itemIndex}`];
	}

	/** The entry of an item of this run, whatever became of it. */
	entryOf(itemIndex: number): LedgerEntry | undefined {
		return this.saved.entries[`${this.run}/${itemIndex}`];
	}

	/** The purchases that the runs of this node made in this execution, or may have made; with `isDry`, also the dry ones. */
	made(isDry: boolean): LedgerEntry[] {
		return Object.values(this.saved.entries).filter(
			(entry) => entry.state !== 'refused' && (isDry || !entry.isDry),
		);
	}

	/** Paid and unclear ones of this run, in the order of the items. */
	ofThisRun(): LedgerEntry[] {
		const entries = this.made(false).filter(({ run }) => run === this.run);
		return entries.sort((a, b) => a.itemIndex - b.itemIndex);
	}

	/** All that was bought or may have been, but for the purchase itself: by this process within a day, and in this execution. */
	others(subject: Pick<PurchaseSubject, 'id' | 'itemIndex' | 'isDry'>): LedgerEntry[] {
		// The same order may stand in several items
		const nameOf = ({ id, itemIndex }: Pick<PurchaseSubject, 'id' | 'itemIndex'>) =>
			`${id}/${itemIndex}`;
		const ofProcess = [...allEntries.values()].map(({ entry }) => entry);
		const all = [...ofProcess, ...this.made(subject.isDry)];
		const entries = new Map(all.map((entry) => [nameOf(entry), entry]));
		entries.delete(nameOf(subject));
		return [...entries.values()].filter(({ state }) => state !== 'refused');
	}

	private othersOfKey(subject: PurchaseSubject): LedgerEntry[] {
		return this.others(subject).filter((entry) => isSameKey(entry, subject));
	}

	/* Guards */

	/** The purchase itself, as this or another retry of the execution has left it; undefined where that bought nothing. */
	earlier({ id, itemIndex }: PurchaseSubject): LedgerEntry | undefined {
		const entries = [this.entryOf(itemIndex), allEntries.get(id)?.entry];
		return entries.find((entry) => entry?.id === id && entry.state !== 'refused');
	}

	isOfThisExecution({ execution }: LedgerEntry): boolean {
		return execution === this.execution;
	}

	/** Purchases of the key that were on their way or unclear in the ten minutes before a moment. */
	pending(subject: PurchaseSubject, moment = Date.now()): LedgerEntry[] {
		return this.othersOfKey(subject).filter(
			(entry) => entry.state !== 'paid' && ageOf(entry) - (Date.now() - moment) < LATE_MS,
		);
	}

	/** Unclear new orders with equal parameters in other runs of this execution: the items of one run are orders of their own. */
	pendingInOtherRuns({ goods, isDry, isRenewal }: PurchaseSubject): LedgerEntry[] {
		return this.made(isDry).filter(
			(entry) =>
				!isRenewal && entry.goods === goods && entry.run !== this.run && entry.state !== 'paid',
		);
	}

	/**
	 * A renewal of the same order after which this one has nothing to do: in this execution, and, where a condition
	 * decides, in the last ten minutes.
	 */
	renewalBefore(subject: PurchaseSubject): LedgerEntry | undefined {
		if (!subject.isRenewal) return undefined;
		const paid = this.othersOfKey(subject).filter(({ state }) => state === 'paid');
		return paid.find((entry) =>
			subject.isConditional ? isLate(entry) : this.isOfThisExecution(entry),
		);
	}

	/** A renewal that began with the same state of the order, which comes back only where the service shows an old one. */
	renewalFrom(subject: PurchaseSubject, before: string): LedgerEntry | undefined {
		const paid = this.othersOfKey(subject).filter(({ state }) => state === 'paid');
		return paid.find((entry) => entry.before === before);
	}

	placedOrders(subject: PurchaseSubject): PlacedOrder[] {
		return this.others(subject)
			.filter(({ isRenewal, state }) => !isRenewal && state === 'paid')
			.map((entry) => ({
				orderid: orderNumberOf(entry.record),
				isOfKey: isSameKey(entry, subject),
			}));
	}

	/**
	 * A purchase with equal parameters by this node in another execution, a short while before somebody started this one
	 * by hand, or retried it; for a retry, only what was bought by hand for the same item.
	 */
	manualRepeat(subject: PurchaseSubject): ManualRepeat | undefined {
		const recent = [...allEntries.values()]
			.map(({ entry }) => entry)
			.filter(
				(entry) =>
					entry.node === this.node &&
					this.mayRepeat(entry) &&
					(subject.isRenewal ? isSameKey(entry, subject) : entry.goods === subject.goods) &&
					isLate(entry),
			);
		const bought = recent.filter(({ state }) => state !== 'refused');
		const alike = recent.filter(({ item }) => item === subject.item);
		const same = alike.find(
			({ place, state }) => state !== 'refused' && (subject.isRenewal || place === subject.place),
		);
		if (same !== undefined) return { kind: 'sameItem', entry: same };
		if (alike.length > 0) return { kind: 'unbought' };
		if (this.manualExecution === undefined) return undefined;
		const [other] = bought.sort((a, b) => b.at - a.at);
		return other === undefined ? undefined : { kind: 'otherItem', entry: other };
	}

	private mayRepeat(entry: LedgerEntry): boolean {
		const { execution, isRetryOfUnknown, manualExecution } = this;
		if (isRetryOfUnknown) return entry.execution !== execution;
		// Of a retry it is undefined, so that retries of two executions with equal items each buy
		return entry.manualExecution !== manualExecution;
	}

	/** Whether what somebody started by hand has bought the same goods before, or tried to. */
	hasTried({ goods }: PurchaseSubject): boolean {
		return [...allEntries.values()].some(
			({ entry }) => entry.goods === goods && entry.manualExecution === this.manualExecution,
		);
	}

	/* What other processes did */

	/**
	 * @returns those of the identities that an earlier delivery of this execution, or one that it retries, has sent
	 * @throws NodeOperationError where a retry can't know that
	 */
	async sentBefore(ids: readonly string[]): Promise<ReadonlySet<string>> {
		const { isRetry, records, saved } = this;
		if (records === undefined || ids.length === 0) return new Set();
		const run = this.idOf(-1);
		// What is found holds for all that 'Retry On Fail' makes of the run
		saved.runs[run] ??= (await records.noteRun(run)) === true;
		if (!isRetry && !saved.runs[run]) return new Set();
		if (!isRetry) return (await records.sentAmong(ids)) ?? new Set();
		const signal = this.context.getExecutionCancelSignal();
		const sent = await records.surelySentAmong(ids, signal);
		if (sent === undefined) throw this.unreadable();
		return sent;
	}
}

function isSameKey(entry: PurchaseSubject, subject: PurchaseSubject): boolean {
	if (entry.isRenewal !== subject.isRenewal) return false;
	return entry.key === subject.key || (subject.isRenewal && entry.keyPair === subject.keyPair);
}

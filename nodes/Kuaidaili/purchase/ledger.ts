import { NodeOperationError, type IDataObject, type IExecuteFunctions } from 'n8n-workflow';

import type { FailureText } from '../../shared/api/errors';
import { ownValue } from '../../shared/guards';
import { DAY_MS, type EpochMs } from '../../shared/service/chinaTime';
import { NodeRecords } from '../run/nodeRecords';
import { retriedExecutionOf } from '../run/n8nInternals';
import { isTool, manualExecutionOf, runIndexOf, savedData } from '../run/nodeRun';
import { durationInWords } from '../../shared/wording';
import { executionName, HOLD_MS, ANY_ITEM_MS, PurchaseRecords } from './records';
import { RECENT_MS, orderNumberOf, type PlacedOrder } from './types';

/** The version of the data that an execution saves; another version of the node may save something else. */
const LEDGER_VERSION = 2;

/** A purchase leaves about 10 to 16 texts, so this is enough for the last six hundred to thousand of them. */
const MOST_RECORDS = 10_000;

/** Properties of a purchase that don't change while it is made. */
export interface PurchaseSubject {
	readonly itemIndex: number;
	/** The purchase key: purchases with the same one exclude each other. New orders of one kind, or one order's renewals. */
	readonly key: string;
	/** Equal for the same goods for the same buyer; for a renewal, the key. */
	readonly goods: string;
	/** The fingerprint of the input item, by its JSON and its place among equal ones; for a renewal, the key. */
	readonly item: string;
	/** The user's own key as a fingerprint; undefined where it has none. */
	readonly onceKey?: string;
	/** The account that pays; empty where only the key pair of an order is known. */
	readonly account: string;
	/** The most that the user expects it to cost, in yuan. */
	readonly expectedCost?: number;
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
	record?: IDataObject;
	/** Set where the outcome is unknown. */
	readonly text?: FailureText;
	/** Key of the state that it was bought from; undefined where that could not be read. */
	readonly before?: string;
	/** The time of the entry of a request that was sent before, and has changed nothing though its outcome was unknown. */
	readonly vainAt?: EpochMs;
	/** The balance of the account before it was sent, in yuan. */
	readonly balanceBefore?: number;
	/** The cost in yuan, by the balance before and after it; undefined where that doesn't tell. */
	cost?: number;
}

/** One purchase of an item. */
export interface LedgerEntry extends PurchaseSubject, PurchaseState {
	readonly id: string;
	readonly node: string;
	/** The first execution of the chain of retries. */
	readonly execution: string;
	/** The execution that somebody started by hand, or its first one where it is retried; undefined where nobody did. */
	readonly manualExecution?: string;
	readonly run: string;
	/** When this was written: when it was sent, or some seconds later, when its outcome was known or it became unclear. */
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
	/** The execution that somebody started by hand, which may be the parent of the first one. */
	manualExecution?: string;
	/**
	 * Set for a retry of an execution of which nothing says what it has bought: the first one, or a retry that was killed
	 * before it came to the node.
	 */
	isOfUnknown?: boolean;
	/** Entries by run and item. */
	entries: Record<string, LedgerEntry>;
	/** Outputs to be given again, by run and item. */
	outputs: Record<string, IDataObject>;
	/** How often a tool was called. */
	calls: number;
}

function isSavedLedger(saved: unknown): saved is SavedLedger {
	return ownValue(saved, 'version') === LEDGER_VERSION;
}

function readSavedLedger(context: IExecuteFunctions): SavedLedger {
	const saved = savedData(context, 'purchases');
	if (Object.keys(saved).length === 0) {
		Object.assign(saved, { version: LEDGER_VERSION, entries: {}, outputs: {}, calls: 0 });
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

/** All purchases of this process, for a day. */
const processEntries = new Map<string, LedgerEntry>();

/** Whether it is less than ten minutes old, so that the service may not show it yet. */
export function isRecent({ at }: LedgerEntry, moment: EpochMs = Date.now()): boolean {
	return moment - at < RECENT_MS;
}

/**
 * Every purchase, seen from one run of a node: what was sent, what became of it, and when. It lies in the process
 * for a day, and in the data of its execution, which lives on for 'Retry On Fail', is saved with the execution, and
 * comes back when that is retried. What another process did, n8n's records tell.
 */
export class PurchaseLedger {
	readonly isTool: boolean;
	readonly isRetry: boolean;
	/** See `LedgerEntry`. */
	readonly manualExecution: string | undefined;
	/** Tells the node apart from all others of this n8n. */
	readonly node: string;
	/** The run of the node in this execution. */
	readonly run: string;
	private readonly saved: SavedLedger;
	private readonly records: PurchaseRecords;
	/** Name of the first execution of the chain of retries. */
	private first = '';
	private readonly dryEntries = new Map<string, LedgerEntry>();

	private constructor(private readonly context: IExecuteFunctions) {
		const { id, name } = context.getNode();
		const saved = readSavedLedger(context);
		this.saved = saved;
		this.isTool = isTool(context);
		this.isRetry = context.getMode() === 'retry' || retriedExecutionOf(context) !== undefined;
		saved.manualExecution ??= manualExecutionOf(context);
		this.manualExecution = saved.manualExecution;
		this.records = new PurchaseRecords(new NodeRecords(context, 'purchase:', MOST_RECORDS));
		this.node = JSON.stringify([context.getWorkflow().id, id ?? name]);
		// n8n numbers the calls of a tool from 0 for each agent, so its run index may come twice
		this.run = this.isTool ? `tool${saved.calls++}` : runIndexOf(context);
	}

	/** Throws NodeOperationError where another version of the node has saved the execution. */
	static async open(context: IExecuteFunctions): Promise<PurchaseLedger> {
		const ledger = new PurchaseLedger(context);
		await ledger.findFirstExecution();
		return ledger;
	}

	private async findFirstExecution(): Promise<void> {
		const { context, isRetry, isTool: isCalled, records, saved } = this;
		const execution = executionName(context.getExecutionId());
		const isLost = isRetry && saved.first === undefined;
		saved.firstRun ??= isLost ? Number(this.run) : 0;
		saved.first ??= isLost ? await this.firstOfLost() : execution;
		this.first = saved.first;
		// For a retry of this one, of which nothing else may be left then
		const mustNote = isRetry && !isCalled && saved.execution !== execution;
		if (mustNote && !(await records.noteFirst(execution, this.first))) throw this.unreadable();
		saved.execution = execution;
	}

	/** The first execution, where the one that this one retries was killed: n8n kept nothing of it but which nodes have run. */
	private async firstOfLost(): Promise<string> {
		const { context, records, saved } = this;
		const retried = executionName(retriedExecutionOf(context) ?? context.getExecutionId());
		const noted = this.isTool ? '' : await records.firstOf(retried);
		if (noted === undefined) throw this.unreadable();
		// It was the first one itself, or a retry that was killed before it came to the node
		saved.isOfUnknown = noted === '';
		return noted === '' ? retried : noted;
	}

	/**
	 * Name of the purchase of an item, for all executions of the chain of retries. Another one takes the place of a
	 * purchase that has changed nothing, so that of several retries one sends it again.
	 */
	nameOf({ itemIndex, what }: { readonly itemIndex: number; readonly what: string }): string {
		const run = Number(this.run) - (this.saved.firstRun ?? 0);
		const vainAt = this.entryOf(itemIndex)?.vainAt;
		return `${this.first}/${run}/${what}${vainAt === undefined ? '' : ` after ${vainAt}`}`;
	}

	/* Entries */

	/** With the name of the node: in a file that was written by hand, two nodes may have one id, but no two one name. */
	private idOf(itemIndex: number): string {
		return JSON.stringify([
			this.node,
			this.context.getNode().name,
			this.first,
			this.run,
			itemIndex,
		]);
	}

	write(subject: PurchaseSubject, state: PurchaseState): void {
		const { first: execution, manualExecution, node, run } = this;
		const id = this.idOf(subject.itemIndex);
		const at = Date.now();
		const { vainAt } = this.entryOf(subject.itemIndex) ?? {};
		const of = { id, node, execution, manualExecution, run, at };
		const entry = { vainAt, ...subject, ...state, ...of };
		if (subject.isDry) {
			this.dryEntries.set(id, entry);
			return;
		}
		for (const [old, { at: then }] of processEntries) {
			if (at - then > DAY_MS) processEntries.delete(old);
		}
		processEntries.set(id, entry);
		this.saved.entries[`${run}/${subject.itemIndex}`] = entry;
	}

	/** The entry of an item of this run, or of another retry of the same execution, whatever became of it. */
	entryOf(itemIndex: number): LedgerEntry | undefined {
		const saved = this.saved.entries[`${this.run}/${itemIndex}`];
		const ofProcess = processEntries.get(this.idOf(itemIndex));
		return saved === undefined || (ofProcess?.at ?? 0) > saved.at ? ofProcess : saved;
	}

	/** The output that an item of this run got before. */
	outputOf(itemIndex: number): IDataObject | undefined {
		const item = `${this.run}/${itemIndex}`;
		const { state, record } = this.saved.entries[item] ?? {};
		return this.saved.outputs[item] ?? (state === 'paid' ? record : undefined);
	}

	/** Keeps an output that 'Retry On Fail' and a retry give again. */
	keepOutput(itemIndex: number, record: IDataObject): void {
		const entry = this.entryOf(itemIndex);
		if (entry !== undefined) entry.record = record;
		this.saved.outputs[`${this.run}/${itemIndex}`] = record;
	}

	/** The purchases that the runs of this node made in this execution, or may have made; with `isDry`, also the dry ones. */
	made(isDry: boolean): LedgerEntry[] {
		const entries = Object.values(this.saved.entries).filter(({ state }) => state !== 'refused');
		return isDry ? [...entries, ...this.dryEntries.values()] : entries;
	}

	/** Paid and unclear ones of this run, in the order of the items. */
	ofThisRun(): LedgerEntry[] {
		const entries = this.made(false).filter(({ run }) => run === this.run);
		return entries.sort((a, b) => a.itemIndex - b.itemIndex);
	}

	/** All that was bought or may have been, but for the purchase itself: by this process within a day, and in this execution. */
	others({ itemIndex, isDry }: PurchaseSubject): LedgerEntry[] {
		const all = [...processEntries.values(), ...this.made(isDry)];
		const entries = new Map(all.map((entry) => [entry.id, entry]));
		entries.delete(this.idOf(itemIndex));
		return [...entries.values()].filter(({ state }) => state !== 'refused');
	}

	isOfThisExecution({ execution }: LedgerEntry): boolean {
		return execution === this.first;
	}

	/* Guards */

	/** Purchases of the key that were on their way or unclear in the ten minutes before a moment, and since. */
	pending(subject: PurchaseSubject, moment?: EpochMs): LedgerEntry[] {
		return this.others(subject).filter(
			(entry) => entry.key === subject.key && entry.state !== 'paid' && isRecent(entry, moment),
		);
	}

	/**
	 * A renewal of the same order after which this one has nothing to do: in this execution, and, where a condition
	 * decides, in the last ten minutes.
	 */
	renewalBefore(subject: PurchaseSubject): LedgerEntry | undefined {
		return this.renewals(subject).find((entry) =>
			subject.isConditional ? isRecent(entry) : this.isOfThisExecution(entry),
		);
	}

	/** A renewal of the same order that began with the same state. */
	renewalFrom(subject: PurchaseSubject, before: string): LedgerEntry | undefined {
		return this.renewals(subject).find((entry) => entry.before === before);
	}

	/** Whether the order was renewed for somebody else since a moment. */
	isRenewedSince(subject: PurchaseSubject, moment: EpochMs): boolean {
		return this.renewals(subject).some(({ at }) => at > moment);
	}

	/** Others of the same order that were paid; none for a new order. */
	private renewals(subject: PurchaseSubject): LedgerEntry[] {
		const isOf = ({ key, state }: LedgerEntry) => key === subject.key && state === 'paid';
		return subject.isRenewal ? this.others(subject).filter(isOf) : [];
	}

	placedOrders(subject: PurchaseSubject): PlacedOrder[] {
		return this.others(subject)
			.filter(({ isRenewal, state }) => !isRenewal && state === 'paid')
			.map(({ key, record }) => ({
				orderid: orderNumberOf(record),
				isOfKind: key === subject.key,
			}));
	}

	/* What other executions have bought */

	/**
	 * Whose purchases of the same goods count: for what somebody starts by hand, those of all; for another retry, those
	 * by hand, since two executions with equal items buy for each; else nobody's.
	 */
	get goodsAsked(): 'all' | 'byHand' | undefined {
		if (this.manualExecution !== undefined) return 'all';
		return this.isRetry ? 'byHand' : undefined;
	}

	/**
	 * Purchases of the same goods that count for this one and that this process, or this execution, knows, as long as
	 * n8n's records may hold them; the last first, refused ones included. None with a key, which is all that counts.
	 */
	ofSameGoods({ goods, onceKey }: PurchaseSubject): LedgerEntry[] {
		if (onceKey !== undefined) return [];
		const { goodsAsked, node } = this;
		// Nobody knows of an execution that was killed whether it was started by hand
		const isAsked = (entry: LedgerEntry) =>
			goodsAsked === 'all' ||
			(goodsAsked === 'byHand' && entry.manualExecution !== undefined) ||
			this.isOfThisExecution(entry);
		return [...processEntries.values(), ...Object.values(this.saved.entries)]
			.filter((entry) => entry.node === node && entry.goods === goods && isAsked(entry))
			.filter(({ at }) => Date.now() - at < HOLD_MS)
			.sort((a, b) => b.at - a.at);
	}

	/** Whether it is of this execution, or of one that somebody started by hand together with it. */
	isOwn(entry: LedgerEntry): boolean {
		const { manualExecution } = this;
		const isOfSameStart =
			manualExecution !== undefined && entry.manualExecution === manualExecution;
		return this.isOfThisExecution(entry) || isOfSameStart;
	}

	/** Another purchase of this node for the same key of the user, by this process within a day, or in this execution. */
	ofKey(subject: PurchaseSubject): LedgerEntry | undefined {
		const { onceKey } = subject;
		const isOf = (entry: LedgerEntry) => entry.node === this.node && entry.onceKey === onceKey;
		return onceKey === undefined ? undefined : this.others(subject).find(isOf);
	}

	/* n8n's records */

	/** None for what a tool buys without a key: nothing tells its calls apart in another process. */
	recordsFor({ onceKey }: PurchaseSubject): PurchaseRecords | undefined {
		return this.isTool && onceKey === undefined ? undefined : this.records;
	}

	/**
	 * Finds out which items an execution that this one retries has sent, in whichever process.
	 *
	 * @throws NodeOperationError where n8n's records can't be read, or nobody knows of which execution what was sent is
	 */
	async sentBefore(names: readonly string[]): Promise<ReadonlySet<string>> {
		const { isRetry, records } = this;
		if (!isRetry || this.isTool || names.length === 0) return new Set();
		const sent = await records.sentAmong(names);
		if (sent === undefined) throw this.unreadable();
		if (sent.size > 0) this.saved.isOfUnknown = false;
		if (this.saved.isOfUnknown !== true) return sent;
		const isAnySent = await records.isAnySent(names);
		if (isAnySent === undefined) throw this.unreadable();
		if (isAnySent) throw retryOfNothing(this.context);
		return sent;
	}

	/** The error of what only n8n's records can tell was not bought yet; undefined for what is bought without them. */
	errorWithoutRecords({ onceKey }: PurchaseSubject): NodeOperationError | undefined {
		if (onceKey !== undefined) return this.unreadable('for which keys this node has bought');
		return this.isRetry ? this.unreadable() : undefined;
	}

	/** The error of a retry, or of a purchase with a key, that can't ask n8n's records. */
	private unreadable(what = 'what the execution that this one retries has bought') {
		return new NodeOperationError(this.context.getNode(), `n8n can't read ${what}`, {
			description:
				"Nothing was bought. The workflow has to be saved, and n8n's database has to answer; retry the execution then.",
		});
	}
}

/** The error of a retry of an execution of which nothing is left, where another one has sent the same lately. */
function retryOfNothing(context: IExecuteFunctions): NodeOperationError {
	const hours = durationInWords(ANY_ITEM_MS);
	const message = `n8n kept nothing of the execution that this one retries, and this node sent the same in the last ${hours}`;
	return new NodeOperationError(context.getNode(), message, {
		description:
			'It may have been for that execution, so nothing was bought. Look into the list of orders. What is missing there, buy by starting the workflow anew.',
	});
}

import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { FailureText } from '../../shared/errors/callErrors';
import { isDataObject, isOneOf, ownValue, propertyOf } from '../../shared/guards';
import { NodeRecords } from '../nodeRecords';
import { isTool, memoryOfRuns, runIndexOf } from '../nodeRun';

/**
 * A purchase of the last minutes may not show at the service yet. 'Execute step' on a later node runs this one again
 * within the same time, as a double click does.
 */
export const LATE_MS = 600_000;

const REMEMBERED_MS = 86_400_000;

const STATES = ['sent', 'paid', 'refused', 'open'] as const;

/** What does not change while a purchase is made. */
export interface BookSubject {
	/** What conditions count together: new orders of one kind, or all renewals of one order. */
	readonly subject: string;
	/** Equal for the same purchase by the same buyer. */
	readonly fingerprint: string;
	/** Equal for purchases that probably cost the same. */
	readonly costKey: string;
	/** Of the account that pays; empty where only the key pair of an order is known. */
	readonly account: string;
	readonly itemIndex: number;
	/** A dry run only counts what it would buy; nobody else sees it. */
	readonly isDry: boolean;
	/** Whether a condition keeps it from being bought again. */
	readonly isConditional: boolean;
}

/** What became of it. */
export interface BookOutcome {
	readonly state: (typeof STATES)[number];
	/** How it is named in lists of what was bought, or may have been. */
	readonly label: string;
	/** The output of what was paid. */
	readonly record?: IDataObject;
	/** Of what is unclear. */
	readonly text?: FailureText;
}

/** One purchase of an item. */
export interface BookEntry extends BookSubject, BookOutcome {
	readonly node: string;
	readonly execution: string;
	/** The execution that somebody started by hand; undefined where nobody did. */
	readonly click?: string;
	readonly run: string;
	/** When it was sent, or its outcome known; milliseconds since 1970. */
	readonly at: number;
	/** What it cost in yuan, by the balance before and after it; undefined where that doesn't tell. */
	readonly cost?: number;
}

const TEXTS = 'subject fingerprint costKey account node execution run label'.split(' ');

/** Whether it is an entry as n8n saved it with its execution; nobody else writes there. */
function isEntry(value: unknown): value is BookEntry {
	const isOfType = (type: string) => (name: string) => typeof ownValue(value, name) === type;
	return (
		isOneOf(ownValue(value, 'state'), STATES) &&
		TEXTS.every(isOfType('string')) &&
		['itemIndex', 'at'].every(isOfType('number')) &&
		['isDry', 'isConditional'].every(isOfType('boolean')) &&
		isDataObject(ownValue(value, 'record') ?? {})
	);
}

/** All purchases of this process, for a day. */
const allEntries = new Map<string, BookEntry>();
/** By the same keys, and then by click: the item of that click that got what it says instead of buying it again. */
const repeats = new Map<string, Map<string, string>>();
/** Purchases of cancelled runs, by node, until its next run tells them: n8n keeps nothing of those runs. */
const untold = new Map<string, string>();

function keyOf({ node, execution, run, itemIndex }: BookEntry): string {
	return [node, execution, run, itemIndex].join('/');
}

function isUnclear({ state }: BookEntry): boolean {
	return state === 'open' || state === 'sent';
}

/** n8n numbers the calls of a tool from 0 for each agent, so its run index may come twice. */
function reserveToolCall(stored: IDataObject): string {
	const run = `tool${new Set(Object.keys(stored).map((key) => key.split('/')[0])).size}`;
	// At once, before another call of the tool counts
	stored[`${run}/call`] = true;
	return run;
}

/**
 * The execution that somebody started by hand, also where a sub-workflow of it buys; undefined where nobody did. n8n 1
 * doesn't tell a sub-workflow who started it.
 */
function clickOf(context: IExecuteFunctions): string | undefined {
	if (context.getMode() === 'manual') return context.getExecutionId();
	const root = propertyOf(propertyOf(context, 'additionalData'), 'rootExecutionMode');
	const parent = propertyOf(context.getExecutionContext?.(), 'parentExecutionId');
	return root === 'manual' && typeof parent === 'string' ? parent : undefined;
}

/** Tells nodes apart, in all workflows of this process. */
function nodeKeyOf(context: IExecuteFunctions): string {
	const { id, name } = context.getNode();
	return JSON.stringify([context.getWorkflow().id, id ?? name]);
}

const STORED = 'purchases';

/**
 * Every purchase, seen from one run of a node: what was sent, what became of it, and when. It lies in the process
 * for a day, and in the data of its execution, which lives on for 'Retry On Fail', is saved with the execution, and
 * comes back when that is retried. Whoever has to know whether something was bought asks here.
 */
export class PurchaseBook {
	readonly isTool: boolean;
	private readonly node: string;
	private readonly execution: string;
	private readonly run: string;
	private readonly click: string | undefined;
	private readonly begunAt = Date.now();
	private readonly stored: IDataObject;

	constructor(context: IExecuteFunctions) {
		this.isTool = isTool(context);
		this.node = nodeKeyOf(context);
		this.execution = context.getExecutionId();
		this.click = clickOf(context);
		const nodeData: IDataObject = context.getContext('node');
		const known: unknown = nodeData[STORED];
		this.stored = isDataObject(known) ? known : {};
		nodeData[STORED] = this.stored;
		this.run = this.isTool ? reserveToolCall(this.stored) : runIndexOf(context);
	}

	/** Tells an item of this run apart from those of all other runs, in all processes. */
	idOf(itemIndex: number): string {
		return [this.execution, this.run, itemIndex].join('/');
	}

	/**
	 * Whether n8n delivered this run before, to a process that died. What it finds holds for all that 'Retry On Fail'
	 * makes of the run.
	 */
	async isDeliveredAgain(records: DeliveryRecords): Promise<boolean> {
		if (this.isTool) return false;
		const id = [this.execution, this.run].join('/');
		// An execution that n8n retries brings the data of the one before
		const known = this.stored[`begun/${id}`];
		if (typeof known === 'boolean') return known;
		const isAgain = (await records.record(id)).has(id);
		this.stored[`begun/${id}`] = isAgain;
		return isAgain;
	}

	write(subject: BookSubject, outcome: BookOutcome): void {
		const { node, execution, click, run } = this;
		const at = Date.now();
		for (const [key, old] of allEntries) {
			if (at - old.at <= REMEMBERED_MS) continue;
			allEntries.delete(key);
			repeats.delete(key);
		}
		this.keep({ ...subject, node, execution, click, run, at, ...outcome });
	}

	/** Notes what a paid purchase of this run cost, in yuan. */
	writeCost(itemIndex: number, cost: number): void {
		const entry = this.entryOf(itemIndex);
		if (entry !== undefined) this.keep({ ...entry, cost });
	}

	/** Of an item of this run, whatever became of it. */
	entryOf(itemIndex: number): BookEntry | undefined {
		const entry = this.stored[`${this.run}/${itemIndex}`];
		return isEntry(entry) ? entry : undefined;
	}

	/** Of this run, in the order of the items: paid and unclear ones. */
	ofThisRun(): BookEntry[] {
		return this.made(false)
			.filter(({ run }) => run === this.run)
			.sort((a, b) => a.itemIndex - b.itemIndex);
	}

	/**
	 * What the runs of this node made in this execution, or may have made.
	 *
	 * @param isDry whether what a dry run would buy counts as well
	 */
	made(isDry: boolean): BookEntry[] {
		const stored: unknown[] = Object.values(this.stored);
		return stored.filter(isEntry).filter((entry) => {
			return entry.state !== 'refused' && (isDry || !entry.isDry);
		});
	}

	/** All that was bought or may have been, but for the item: by this process within a day, and in this execution. */
	others({ itemIndex, isDry }: BookSubject): BookEntry[] {
		const own = this.made(isDry).map((entry) => [keyOf(entry), entry] as const);
		return [...new Map([...allEntries, ...own]).values()].filter(
			(entry) => entry.state !== 'refused' && !this.isOf(entry, itemIndex),
		);
	}

	/** Those of the subject in the last minutes. */
	recent(subject: BookSubject): BookEntry[] {
		const since = Date.now() - LATE_MS;
		return this.others(subject).filter(
			(entry) => entry.subject === subject.subject && entry.at >= since,
		);
	}

	/** For another item of this execution: the same order is renewed once. */
	paidInExecution({ subject, itemIndex, isDry }: BookSubject): BookEntry | undefined {
		return this.made(isDry).find(
			(entry) =>
				entry.subject === subject && entry.state === 'paid' && !this.isOf(entry, itemIndex),
		);
	}

	/**
	 * An unclear purchase that has to be settled before this one: the same one in another run of this execution, the
	 * same order in any, or, where it may be what a condition asks for, any of the subject in the last minutes. The
	 * items of one run are orders of their own.
	 */
	unclear(subject: BookSubject, isRenewal: boolean): BookEntry | undefined {
		const { fingerprint, isConditional, itemIndex } = subject;
		const isSame = (entry: BookEntry) =>
			(entry.fingerprint === fingerprint && (entry.run !== this.run || isRenewal)) ||
			(isConditional && entry.subject === subject.subject);
		const here = this.made(false).filter((entry) => !this.isOf(entry, itemIndex) && isSame(entry));
		return [...(isConditional ? this.recent(subject) : []), ...here].find(isUnclear);
	}

	/** Whether another purchase of the subject can have caused what is new since the look. */
	mayBeAnothers(subject: BookSubject, lookedAt: number): boolean {
		return this.others(subject).some(
			(entry) =>
				entry.subject === subject.subject && isUnclear(entry) && entry.at + LATE_MS >= lookedAt,
		);
	}

	/**
	 * The same purchase by this node in another execution that somebody started, a short while ago. Each is found
	 * for one item of an execution only, so that two items get two orders.
	 */
	repeatedClick({ fingerprint, itemIndex }: BookSubject): BookEntry | undefined {
		const { begunAt, click } = this;
		if (click === undefined) return undefined;
		const id = this.idOf(itemIndex);
		const recent = [...allEntries].filter(
			([, entry]) =>
				entry.fingerprint === fingerprint &&
				entry.node === this.node &&
				entry.click !== click &&
				entry.state !== 'refused' &&
				begunAt - entry.at < LATE_MS,
		);
		const takenBy = ([key]: [string, BookEntry]) => repeats.get(key)?.get(click);
		const found =
			recent.find((entry) => takenBy(entry) === id) ??
			recent.find((entry) => takenBy(entry) === undefined);
		if (found === undefined) return undefined;
		const [key, entry] = found;
		repeats.set(key, (repeats.get(key) ?? new Map<string, string>()).set(click, id));
		return entry;
	}

	/** What cancelled runs of this node left to be told, for the one run that tells it. */
	takeUntold(): string | undefined {
		const purchases = untold.get(this.node);
		untold.delete(this.node);
		return purchases;
	}

	tellLater(purchases: string): void {
		untold.set(this.node, [untold.get(this.node), purchases].filter(Boolean).join(' '));
	}

	private keep(entry: BookEntry): void {
		// Only this execution counts what a dry run would buy
		if (!entry.isDry) allEntries.set(keyOf(entry), entry);
		this.stored[`${entry.run}/${entry.itemIndex}`] = { ...entry };
	}

	/** Whether it is the entry of an item of this run. */
	private isOf({ execution, node, run, itemIndex: index }: BookEntry, itemIndex: number): boolean {
		const isOwnRun = execution === this.execution && node === this.node && run === this.run;
		return isOwnRun && index === itemIndex;
	}
}

/** Four records a purchase, so this is enough for 1,200 of them. */
const MOST_RECORDS = 5000;

const settledIds = memoryOfRuns(() => new Set<string>());

/**
 * n8n's deduplication records of the node, which lie in its database and are shared by all workers: n8n 1 delivers
 * the execution of a worker that died once more, without anything that it knew. They answer only whether a text
 * was recorded. Where n8n has none, as for a workflow that isn't saved, nothing is known.
 */
export class DeliveryRecords {
	/** What this process has recorded itself for an item, or knows to be settled. */
	readonly settled: Set<string>;
	private readonly records: NodeRecords;

	constructor(context: IExecuteFunctions) {
		this.records = new NodeRecords(context, 'purchase:', MOST_RECORDS);
		this.settled = settledIds(context);
	}

	/** Records the texts. @returns those that were there before */
	async record(...texts: string[]): Promise<ReadonlySet<string>> {
		return (await this.records.record(texts)) ?? new Set();
	}

	/** @returns those that were recorded */
	async known(...texts: string[]): Promise<ReadonlySet<string>> {
		return (await this.records.known(texts)) ?? new Set();
	}
}

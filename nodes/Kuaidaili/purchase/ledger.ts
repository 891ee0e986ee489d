import { NodeOperationError, type IDataObject, type IExecuteFunctions } from 'n8n-workflow';

import type { FailureText } from '../../shared/errors/callErrors';
import { fingerprintOf } from '../../shared/fingerprint';
import { isOneOf, isRecord, ownValue, propertyOf } from '../../shared/guards';
import { DAY_MS, type EpochMs } from '../../shared/service/chinaTime';
import { NodeRecords } from '../nodeRecords';
import { isTool, runIndexOf, savedData } from '../nodeRun';
import {
	LATE_MS,
	orderNumberOf,
	type KnownOrders,
	type PurchasePlan,
	type RecoveryCandidate,
} from './types';

/** Four records a purchase, so this is enough for 1,200 of them. */
const MOST_RECORDS = 5000;

const STATES = ['sent', 'paid', 'refused', 'open'] as const;

/** What does not change while a purchase is made. */
export interface PurchaseKey {
	/** What conditions count together: new orders of one kind, or all renewals of one order. */
	readonly subject: string;
	/** Equal for the same purchase by the same buyer. */
	readonly fingerprint: string;
	/** Equal for purchases that probably cost the same. */
	readonly costKey: string;
	/** What the user expects it to cost at most, in yuan. */
	readonly expectedCost?: number;
	/** Of the account that pays; empty where only the key pair of an order is known. */
	readonly account: string;
	readonly itemIndex: number;
	/** A dry run only counts what it would buy; nobody else sees it. */
	readonly isDry: boolean;
	/** Whether a condition keeps it from being bought again. */
	readonly isConditional: boolean;
}

/** What became of it. */
interface BookOutcome {
	readonly state: (typeof STATES)[number];
	/** How it is named in lists of what was bought, or may have been. */
	readonly label: string;
	/** The output of what was paid. */
	readonly record?: IDataObject;
	/** Of what is unclear. */
	readonly text?: FailureText;
}

/** One purchase of an item. */
export interface LedgerEntry extends PurchaseKey, BookOutcome {
	readonly node: string;
	/** Tells it apart from those of all other nodes and runs, in all processes. */
	readonly id: string;
	/** The execution that somebody started by hand; undefined where nobody did. */
	readonly click?: string;
	readonly run: string;
	/** The execution that this one retries, or the first one of several that do; itself where it retries none. */
	readonly origin: string;
	/** When it was sent, or its outcome known. */
	readonly at: EpochMs;
	/** What it cost in yuan, by the balance before and after it; undefined where that doesn't tell. */
	readonly cost?: number;
	/** By click, the item of that click that got what it says instead of buying it again. */
	readonly repeats?: ReadonlyMap<string, string>;
}

/** By the types that they may have. */
const PROPERTIES = {
	string: ['subject', 'fingerprint', 'costKey', 'account', 'node', 'id', 'run', 'origin', 'label'],
	number: ['itemIndex', 'at'],
	boolean: ['isDry', 'isConditional'],
	'record, undefined': ['record', 'text'],
	'number, undefined': ['cost', 'expectedCost'],
	'string, undefined': ['click'],
};

/** False for what another version of the node has saved. */
function areEntries(saved: IDataObject): saved is Record<string, LedgerEntry & IDataObject> {
	return Object.values(saved).every((entry) => {
		const isOne = (types: string) => (name: string) => {
			const value = ownValue(entry, name);
			return types.split(', ').includes(isRecord(value) ? 'record' : typeof value);
		};
		return (
			isOneOf(ownValue(entry, 'state'), STATES) &&
			Object.entries(PROPERTIES).every(([types, names]) => names.every(isOne(types)))
		);
	});
}

/** All purchases of this process, for a day. */
const allEntries = new Map<string, LedgerEntry>();
/** Purchases of cancelled runs, by node, until its next run tells them: n8n keeps nothing of those runs. */
const untold = new Map<string, string>();

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

/** The execution that this one retries, where n8n tells it. */
function retriedBy(context: IExecuteFunctions): string | undefined {
	const hooks = propertyOf(propertyOf(context, 'additionalData'), 'hooks');
	const retried = propertyOf(hooks, 'retryOf');
	return typeof retried === 'string' ? retried : undefined;
}

/**
 * Every purchase, seen from one run of a node: what was sent, what became of it, and when. It lies in the process
 * for a day, and in the data of its execution, which lives on for 'Retry On Fail', is saved with the execution, and
 * comes back when that is retried. Whoever has to know whether something was bought asks here.
 *
 * n8n 1 delivers the execution of a worker that died once more, without these data. What is left then are n8n's
 * deduplication records: see `NodeRecords`. Without those, as for a workflow that isn't saved, nothing is known.
 */
export class PurchaseLedger {
	readonly isTool: boolean;
	/** Tells this run apart from all others, in all processes. */
	private readonly runId: string;
	/** The same for the records, but for the retry of an execution that left nothing else, as where n8n was killed. */
	private readonly recordedRun: string;
	/** What the entries of this run have in common. */
	private readonly own: Pick<LedgerEntry, 'node' | 'click' | 'run' | 'origin'>;
	/** The orders that items renew: another execution may have the same ones at other items. */
	private readonly orders = new Map<number, string>();
	private readonly begunAt = Date.now();
	/** The entries of this execution. */
	private readonly stored: Record<string, LedgerEntry>;
	/** The runs of this execution, and whether they were delivered before; or the calls of a tool. */
	private readonly runs: IDataObject;
	/** None for a tool: nothing tells its calls apart in another process. */
	private readonly records: NodeRecords | undefined;

	constructor(context: IExecuteFunctions) {
		const { id, name } = context.getNode();
		const stored = savedData(context, 'purchases');
		if (!areEntries(stored)) {
			throw new NodeOperationError(
				context.getNode(),
				"This version of the node can't read what this execution has bought",
				{
					description:
						'Nothing more was bought. Start the workflow anew instead of retrying the execution.',
				},
			);
		}
		this.stored = stored;
		this.isTool = isTool(context);
		this.runs = savedData(context, 'purchaseRuns');
		this.records = this.isTool ? undefined : new NodeRecords(context, 'purchase:', MOST_RECORDS);
		const retried = savedData(context, 'retriedExecution');
		const executionId = context.getExecutionId();
		// Of an execution that was killed, n8n keeps nothing but which nodes have run
		if (retried.id === undefined && !this.isTool) {
			Object.assign(retried, { killed: retriedBy(context), runsBefore: runIndexOf(context) });
		}
		retried.id ??= retried.killed ?? executionId;
		this.own = {
			origin: JSON.stringify(retried.id),
			node: JSON.stringify([context.getWorkflow().id, id ?? name]),
			click: clickOf(context),
			// n8n numbers the calls of a tool from 0 for each agent, so its run index may come twice
			run: this.isTool ? `tool${Object.keys(this.runs).length}` : runIndexOf(context),
		};
		const { node, run } = this.own;
		this.runId = [node, executionId, run].join('/');
		const { killed, runsBefore } = retried;
		this.recordedRun =
			typeof killed === 'string'
				? [node, killed, Number(run) - Number(runsBefore)].join('/')
				: this.runId;
		// What a dry run would buy, it would not buy again when 'Retry On Fail' or somebody repeats it
		for (const [key, { isDry, run }] of Object.entries(stored)) {
			if (isDry && run === this.own.run) delete stored[key];
		}
		// At once, before another call of the tool counts
		if (this.isTool) this.runs[this.own.run] = true;
	}

	/* Purchases */

	write(subject: PurchaseKey, outcome: BookOutcome): void {
		const at = Date.now();
		for (const [key, old] of allEntries) {
			if (at - old.at > DAY_MS) allEntries.delete(key);
		}
		this.keep({ ...subject, ...this.own, id: this.idOf(subject.itemIndex), at, ...outcome });
	}

	/** Adds to what is known of a paid purchase of this run. */
	complete(itemIndex: number, known: Pick<LedgerEntry, 'cost' | 'record'>): void {
		const entry = this.entryOf(itemIndex);
		if (entry !== undefined) this.keep({ ...entry, ...known });
	}

	/** Of an item of this run, whatever became of it. */
	entryOf(itemIndex: number): LedgerEntry | undefined {
		return this.stored[`${this.own.run}/${itemIndex}`];
	}

	/** What the runs of this node made in this execution, or may have made; with `isDry`, also what is dry. */
	made(isDry: boolean): LedgerEntry[] {
		return Object.values(this.stored).filter(
			(entry) => entry.state !== 'refused' && (isDry || !entry.isDry),
		);
	}

	/** Of this run, in the order of the items: paid and unclear ones. */
	ofThisRun(): LedgerEntry[] {
		const entries = this.made(false).filter(({ run }) => run === this.own.run);
		return entries.sort((a, b) => a.itemIndex - b.itemIndex);
	}

	/** All that was bought or may have been, but for the item: by this process within a day, and in this execution. */
	others({ itemIndex, isDry }: PurchaseKey): LedgerEntry[] {
		const own = this.made(isDry).map((entry) => [entry.id, entry] as const);
		const entries = new Map([...allEntries, ...own]);
		entries.delete(this.idOf(itemIndex));
		return [...entries.values()].filter(({ state }) => state !== 'refused');
	}

	/** Those of the subject, from the minutes before a moment on: what is not paid among them is unclear. */
	recent(subject: PurchaseKey, moment = Date.now()): LedgerEntry[] {
		return this.others(subject).filter(
			(entry) => entry.subject === subject.subject && entry.at + LATE_MS >= moment,
		);
	}

	known(subject: PurchaseKey): KnownOrders {
		const paid = this.recent(subject).filter(({ state }) => state === 'paid');
		const placed = this.others(subject).filter(({ record }) => record?.created === true);
		return {
			recent: paid.map(({ record, label }) => orderNumberOf(record) ?? label),
			placed: new Map(
				placed.map((entry) => [entry.record?.orderid, entry.subject === subject.subject]),
			),
		};
	}

	/**
	 * Those of this execution that are the same: all renewals of one order, but the same new orders in other runs only,
	 * since the items of one run are orders of their own.
	 */
	same({ subject, fingerprint, itemIndex, isDry }: PurchaseKey, isRenewal: boolean): LedgerEntry[] {
		const own = this.entryOf(itemIndex);
		return this.made(isDry).filter((entry) =>
			isRenewal
				? entry.subject === subject && entry !== own
				: entry.fingerprint === fingerprint && entry.run !== this.own.run,
		);
	}

	/**
	 * The same purchase by this node in another execution that somebody started, a short while ago. Each new order is
	 * found for one item of an execution only, so that two items get two orders; an order is renewed once for all. Where
	 * somebody retries an execution once more, what another retry bought for the item, however long ago.
	 */
	repeatedClick(
		{ fingerprint, itemIndex }: PurchaseKey,
		isRenewal: boolean,
	): LedgerEntry | undefined {
		const { begunAt } = this;
		const { click, node, origin, run } = this.own;
		const id = this.idOf(itemIndex);
		const same = [...allEntries.values()].filter(
			(entry) =>
				entry.fingerprint === fingerprint && entry.node === node && entry.state !== 'refused',
		);
		const retried = same.find(
			(entry) =>
				entry.origin === origin &&
				(isRenewal || (entry.run === run && entry.itemIndex === itemIndex)) &&
				// A condition goes by what shows in the end
				(entry.state === 'paid' || !entry.isConditional),
		);
		if (click === undefined || retried !== undefined) return retried;
		const recent = same.filter((entry) => entry.click !== click && begunAt - entry.at < LATE_MS);
		const takenBy = ({ repeats }: LedgerEntry) => repeats?.get(click);
		const found =
			recent.find((entry) => takenBy(entry) === id) ??
			recent.find((entry) => isRenewal || takenBy(entry) === undefined);
		if (found === undefined) return undefined;
		const repeats = new Map([...(found.repeats ?? []), [click, id]]);
		allEntries.set(found.id, { ...found, repeats });
		return found;
	}

	/* Cancelled runs */

	/** What cancelled runs of this node left to be told, for the one run that tells it. */
	takeUntold(): string | undefined {
		const purchases = untold.get(this.own.node);
		untold.delete(this.own.node);
		return purchases;
	}

	tellLater(purchases: string): void {
		untold.set(this.own.node, [untold.get(this.own.node), purchases].filter(Boolean).join(' '));
	}

	/* Executions that are delivered again */

	/** Those of the items for which another process has recorded a purchase. It may have died. */
	async sentElsewhere(plans: ReadonlyMap<number, PurchasePlan>): Promise<ReadonlySet<number>> {
		if (this.records === undefined) return new Set();
		for (const [itemIndex, plan] of plans) {
			const orderid = orderNumberOf(plan.preview);
			if (orderid !== undefined) this.orders.set(itemIndex, orderid);
		}
		// What is found holds for all that 'Retry On Fail' makes of the run
		const { recordedRun, records, runs } = this;
		runs[recordedRun] ??= (await records.record([recordedRun]))?.has(recordedRun) ?? false;
		if (runs[recordedRun] !== true) return new Set();
		const items = [...plans.keys()];
		const known = await records.known(items.map((index) => this.recordOf(index)));
		const isOwn = (index: number) => this.entryOf(index) !== undefined;
		return new Set(
			items.filter((index) => known?.has(this.recordOf(index)) === true && !isOwn(index)),
		);
	}

	/**
	 * To be called before a purchase is sent from a state.
	 *
	 * @returns false where another process has recorded it: n8n takes a worker that is too busy to answer for one that
	 * died, and both go on
	 */
	async recordSending(itemIndex: number, state: string | undefined): Promise<boolean> {
		const id = this.recordOf(itemIndex);
		const known = await this.records?.record([id, stateId(id, state)]);
		return known?.has(id) !== true || this.entryOf(itemIndex) !== undefined;
	}

	/** Who begins the execution once more buys as if nothing had been sent. */
	recordRefused(itemIndex: number): void {
		void this.records?.forget([this.recordOf(itemIndex)]);
	}

	/** @param claim so that no other run, in whichever process, takes it for its own */
	recordPaid(itemIndex: number, orderid: unknown, claim: string | undefined): void {
		const texts = [
			paidId(this.recordOf(itemIndex), orderid),
			...(claim === undefined ? [] : [claim]),
		];
		void this.records?.record(texts);
	}

	/** @returns false where another run, in whichever process, has made the claim before */
	async claim(claim: string | undefined): Promise<boolean> {
		if (claim === undefined) return true;
		return (await this.records?.record([claim]))?.has(claim) !== true;
	}

	/**
	 * What a process that died has bought for an item, by what the service shows.
	 *
	 * @param isSatisfied whether the present state needs no purchase, though it did
	 * @returns undefined where that doesn't tell
	 */
	async earlier(
		subject: PurchaseKey,
		state: string,
		traces: readonly RecoveryCandidate[],
		isSatisfied: boolean,
	): Promise<'nothing' | IDataObject | undefined> {
		const id = this.recordOf(subject.itemIndex);
		const [now, unknown] = [stateId(id, state), stateId(id, undefined)];
		const asked = traces.flatMap(({ record: { orderid }, before }) => [
			...[paidId(id, orderid), placedId(orderid), stateId(id, before)],
		]);
		const known = (await this.records?.known([now, unknown, ...asked])) ?? new Set();
		const paid = traces.find(({ record }) => known.has(paidId(id, record.orderid)));
		if (paid !== undefined) return paid.record;
		if (known.has(now)) return 'nothing';
		const others = new Set(this.others(subject).map(({ record }) => record?.orderid));
		const isLeft = ({ record: { orderid }, before }: RecoveryCandidate) =>
			!known.has(placedId(orderid)) &&
			(orderid === undefined || !others.has(orderid)) &&
			(isSatisfied ||
				(before === undefined ? !known.has(unknown) : known.has(stateId(id, before))));
		const left = traces.find(isLeft);
		return left && { ...left.record, verified: true };
	}

	private recordOf(itemIndex: number): string {
		const orderid = this.orders.get(itemIndex);
		return `${this.recordedRun}/${orderid === undefined ? itemIndex : `order ${orderid}`}`;
	}

	private idOf(itemIndex: number): string {
		return `${this.runId}/${itemIndex}`;
	}

	private keep(entry: LedgerEntry): void {
		// Only this execution counts what a dry run would buy
		const { repeats } = allEntries.get(entry.id) ?? {};
		if (!entry.isDry) allEntries.set(entry.id, { repeats, ...entry });
		this.stored[`${entry.run}/${entry.itemIndex}`] = { ...entry };
	}
}

function paidId(id: string, orderid: unknown): string {
	return `${id}=${String(orderid)}`;
}

/** Equal for the same new order. */
export function placedId(orderid: unknown): string {
	return `order ${String(orderid)}`;
}

function stateId(id: string, state: string | undefined): string {
	return `${id}|${state === undefined ? 'unknown' : fingerprintOf(state)}`;
}

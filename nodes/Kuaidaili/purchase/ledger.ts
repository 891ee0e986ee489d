import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { isDataObject, isRecord, ownValue, type UnknownRecord } from '../../shared/guards';
import { type FailureText } from '../../shared/errors/callErrors';
import { isTool, runIndexOf } from '../nodeRun';
import { localTimeIn, type LocalTime } from '../../shared/service/localTime';
import {
	purchaseFingerprint,
	type PlannedPurchase,
	type PurchaseOfItem,
	type RememberedPurchase,
} from './contract';
import { ManualPurchases, type ManualPurchase } from './processMemory';
import { duplicateWarningIn } from './words';

/*
 * What is remembered of purchases. `PurchaseRecord` writes all of it but the last line.
 *
 * | What                              | Where            | How long             | Why                              |
 * | --------------------------------- | ---------------- | -------------------- | -------------------------------- |
 * | the outcome of each item: sent,   | data of the      | as long as the       | loops, 'Retry On Fail', 'Retry'  |
 * | paid, or unclear (`RunLedger`)    | execution        | execution, saved     | and agents buy no item twice;    |
 * |                                   |                  | with it              | limits and reports count it      |
 * | requests on their way or unclear  | `openPurchases`, | a day and 10 minutes | a new order is this purchase's   |
 * | and the orders that were placed   | in the process   |                      | only if it cannot be another's   |
 * | what was made or is unclear, and  | `openPurchases`, | 10 minutes           | a condition buys nothing again   |
 * | the state before it               | in the process   |                      | that the service only shows late |
 * | what manual runs bought, or are   | `manualPurchases`| 10 minutes after the | a double click, and 'Execute     |
 * | buying, by node and purchase      | in the process   | purchase             | step' on a later node, buy once  |
 * | what cancelled runs bought, by    | `cancelledRuns`, | until the node's     | n8n keeps neither output nor     |
 * | node                              | in the process   | next run, 500 nodes  | error of a cancelled node        |
 */

/** @param outcome undefined where nothing was bought */
export type EndManual = (outcome?: RememberedPurchase) => void;

const manualPurchases = new ManualPurchases<RememberedPurchase>();

interface StoredPurchase extends PurchaseOfItem {
	readonly run: string;
}

function readText(value: unknown): FailureText | undefined {
	if (!isRecord(value)) return undefined;
	const message = ownValue(value, 'message');
	const description = ownValue(value, 'description');
	const code = ownValue(value, 'code');
	if (typeof message !== 'string' || typeof description !== 'string') return undefined;
	return typeof code === 'string' ? { message, description, code } : { message, description };
}

function readPurchase(value: unknown): RememberedPurchase | undefined {
	if (!isRecord(value)) return undefined;
	const state = ownValue(value, 'state');
	const fingerprint = ownValue(value, 'fingerprint');
	const label = ownValue(value, 'label');
	const record = ownValue(value, 'record');
	if (typeof fingerprint !== 'string' || typeof label !== 'string') return undefined;
	const known = { fingerprint, label, subject: textOr(fingerprint, ownValue(value, 'subject')) };
	if (state === 'paid' && isDataObject(record)) return { ...known, state, record };
	const text = readText(ownValue(value, 'text'));
	if (text === undefined || (state !== 'sent' && state !== 'unclear')) return undefined;
	return { ...known, state, text };
}

function isDoubled(purchase: RememberedPurchase): boolean {
	return purchase.state === 'paid' && duplicateWarningIn(purchase.record) !== undefined;
}

/** Executions that an older version saved lack what it did not know. */
function textOr(otherwise: string, value: unknown): string {
	return typeof value === 'string' ? value : otherwise;
}

const KEY = 'purchases';
/** What a dry run notes in place of a purchase. */
const DRY = 'dry';

/** n8n numbers the calls of a tool from 0 for each agent, so its run index may come twice. */
function reserveToolCall(stored: UnknownRecord): string {
	const count = new Set(Object.keys(stored).map((key) => key.split('/')[0])).size;
	const run = `tool${count}`;
	// At once, before another call of the tool counts
	stored[`${run}/call`] = true;
	return run;
}

/**
 * The purchases of one call of a node by n8n, with all its items, and of all its runs in the same execution.
 * They lie in the execution's own data, which lives on when n8n runs the node again for 'Retry On Fail', is
 * saved with the execution, and comes back when the saved execution is retried.
 */
export class RunLedger {
	readonly isTool: boolean;
	readonly localTime: LocalTime;
	/** What the service showed right before each purchase, by item. */
	readonly statesBefore = new Map<number, unknown>();
	/** Tells nodes apart, in all workflows of this process. */
	readonly nodeKey: string;
	private readonly executionId: string;
	/** Somebody started it in the editor. */
	private readonly isManual: boolean;
	private readonly begunAt = manualPurchases.now();
	private readonly stored: UnknownRecord;
	private readonly run: string;

	constructor(context: IExecuteFunctions) {
		const { id, name } = context.getNode();
		this.isTool = isTool(context);
		this.localTime = localTimeIn(context.getTimezone());
		this.nodeKey = JSON.stringify([context.getWorkflow().id, id ?? name]);
		this.executionId = context.getExecutionId();
		this.isManual = context.getMode() === 'manual';
		const nodeData: IDataObject = context.getContext('node');
		const known: unknown = nodeData[KEY];
		const stored = isDataObject(known) ? known : {};
		nodeData[KEY] = stored;
		this.stored = stored;
		this.run = this.isTool ? reserveToolCall(stored) : runIndexOf(context);
	}

	get(itemIndex: number): RememberedPurchase | undefined {
		return readPurchase(ownValue(this.stored, this.keyOf(itemIndex)));
	}

	set(itemIndex: number, purchase: RememberedPurchase): void {
		this.stored[this.keyOf(itemIndex)] = purchase;
	}

	forget(itemIndex: number): void {
		delete this.stored[this.keyOf(itemIndex)];
	}

	/** Notes a purchase that a dry run would make. */
	setDry(itemIndex: number, subject: string): void {
		this.stored[this.keyOf(itemIndex)] = { [DRY]: subject };
	}

	/**
	 * The subjects of the purchases that the dry runs of this node would make in this execution.
	 *
	 * @param but an item of this run that is not counted
	 */
	drySubjects(but: number): string[] {
		return Object.entries(this.stored).flatMap(([key, value]) => {
			const subject = ownValue(value, DRY);
			return key !== this.keyOf(but) && typeof subject === 'string' ? [subject] : [];
		});
	}

	/** The purchases of this run, in the order of the items. */
	ofThisRun(): PurchaseOfItem[] {
		return this.entries()
			.filter(({ run }) => run === this.run)
			.sort((a, b) => a.itemIndex - b.itemIndex);
	}

	/**
	 * How many purchases all runs of this node in this execution made, or may have made. One that is known to
	 * have been carried out twice counts twice.
	 *
	 * @param but an item of this run that is not counted
	 */
	count(but?: number): number {
		const isOther = ({ run, itemIndex }: StoredPurchase) => run !== this.run || itemIndex !== but;
		const others = this.entries().filter(isOther);
		return others.length + others.filter(({ purchase }) => isDoubled(purchase)).length;
	}

	/** The same purchase in another run of this node, if its outcome is unknown. */
	unclearInOtherRun(fingerprint: string): FailureText | undefined {
		return this.unclear(
			({ run, purchase }) => run !== this.run && purchase.fingerprint === fingerprint,
		);
	}

	/** Any of the same subject, but for an item of this run, if its outcome is unknown. */
	unclearOfSubject(subject: string, but: number): FailureText | undefined {
		return this.unclear(
			({ run, itemIndex, purchase }) =>
				(run !== this.run || itemIndex !== but) && purchase.subject === subject,
		);
	}

	/**
	 * The same purchase in another manual execution, a short while ago.
	 *
	 * @param buyerFingerprint of the purchase, once it is known who buys: the key pairs of an order and of its
	 * account then find each other's
	 */
	findRepeated(
		planned: PlannedPurchase,
		buyerFingerprint?: string,
	): ManualPurchase<RememberedPurchase> | undefined {
		if (!this.isManual) return undefined;
		const { executionId, begunAt } = this;
		const item = `${executionId}/${this.keyOf(planned.itemIndex)}`;
		const keys = this.manualKeys(planned, buyerFingerprint);
		return manualPurchases.find(keys, { executionId, item, begunAt });
	}

	/** @returns what to call with the outcome; undefined for an execution that nobody started by hand */
	beginManual(planned: PlannedPurchase, buyerFingerprint: string): EndManual | undefined {
		if (!this.isManual) return undefined;
		const keys = this.manualKeys(planned, buyerFingerprint);
		const purchase = manualPurchases.begin(keys, this.executionId);
		return (outcome) => manualPurchases.end(keys, purchase, outcome);
	}

	private manualKeys({ purchase, caller }: PlannedPurchase, buyerFingerprint?: string): string[] {
		const fingerprint = purchaseFingerprint(purchase, caller);
		const keys = [[fingerprint, purchase.orderid ?? '']];
		if (buyerFingerprint !== undefined) keys.push([buyerFingerprint, 'buyer']);
		return keys.map((key) => JSON.stringify([this.nodeKey, ...key]));
	}

	private unclear(isMeant: (stored: StoredPurchase) => boolean): FailureText | undefined {
		for (const stored of this.entries()) {
			const { purchase } = stored;
			if (purchase.state === 'unclear' && isMeant(stored)) return purchase.text;
		}
		return undefined;
	}

	private keyOf(itemIndex: number): string {
		return `${this.run}/${itemIndex}`;
	}

	private entries(): StoredPurchase[] {
		return Object.entries(this.stored).flatMap(([key, value]) => {
			const [run, itemIndex] = key.split('/');
			const purchase = readPurchase(value);
			return purchase === undefined ? [] : [{ run, itemIndex: Number(itemIndex), purchase }];
		});
	}
}

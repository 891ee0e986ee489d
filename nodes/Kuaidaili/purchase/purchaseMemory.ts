import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isDataObject, isRecord, ownValue, type UnknownRecord } from '../../shared/guards';
import type { FailureText } from '../../shared/transport/callErrors';
import { isTool, runIndexOf } from '../nodeRun';

interface Remembered {
	/** Of the purchase and its buyer: the same purchase in another run has the same one. */
	readonly fingerprint: string;
	/** How it is named in lists of what was bought, or may have been. */
	readonly label: string;
}

/** What became of the purchase of one item. What was refused is not remembered: it may be asked for again. */
export type RememberedPurchase = Remembered &
	(
		| { readonly state: 'paid'; readonly record: IDataObject }
		/** On its way; read back only if the process ended before the outcome was known. */
		| { readonly state: 'sent'; readonly text: FailureText }
		/** It may have been bought. */
		| { readonly state: 'unclear'; readonly text: FailureText }
	);

const KEY = 'purchases';

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
	if (state === 'paid' && isDataObject(record)) return { state, fingerprint, label, record };
	const text = readText(ownValue(value, 'text'));
	if (text === undefined || (state !== 'sent' && state !== 'unclear')) return undefined;
	return { state, fingerprint, label, text };
}

/** A purchase of this run, with its item. */
export interface PurchaseOfItem {
	readonly itemIndex: number;
	readonly purchase: RememberedPurchase;
}

/**
 * Remembers for each item what became of its purchase. It lies in the execution's own data, which lives
 * on when n8n runs the node again for 'Retry On Fail', is saved with the execution, and comes back when
 * the saved execution is retried.
 */
export class PurchaseMemory {
	private readonly stored: UnknownRecord;
	private readonly run: string;

	constructor(context: IExecuteFunctions) {
		const nodeData: IDataObject = context.getContext('node');
		const known: unknown = nodeData[KEY];
		const stored = isDataObject(known) ? known : {};
		nodeData[KEY] = stored;
		this.stored = stored;
		this.run = isTool(context) ? this.newToolCall() : runIndexOf(context);
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

	/** The purchases of this run, in the order of the items. */
	ofThisRun(): PurchaseOfItem[] {
		return this.entries()
			.filter(({ run }) => run === this.run)
			.sort((a, b) => a.itemIndex - b.itemIndex);
	}

	/**
	 * How many purchases all runs of this node in this execution made, or may have made.
	 *
	 * @param but an item of this run that is not counted
	 */
	count(but?: number): number {
		const isOther = ({ run, itemIndex }: StoredPurchase) => run !== this.run || itemIndex !== but;
		return this.entries().filter(isOther).length;
	}

	/** The same purchase in another run of this node, of which nobody knows whether it was made. */
	unclearInOtherRun(fingerprint: string): FailureText | undefined {
		return this.unclear(fingerprint, ({ run }) => run !== this.run);
	}

	/** The same of another item of this run. */
	unclearOfOtherItem(fingerprint: string, item: number): FailureText | undefined {
		return this.unclear(
			fingerprint,
			({ run, itemIndex }) => run === this.run && itemIndex !== item,
		);
	}

	private unclear(
		fingerprint: string,
		isMeant: (stored: StoredPurchase) => boolean,
	): FailureText | undefined {
		for (const stored of this.entries()) {
			const { purchase } = stored;
			const isSame = purchase.fingerprint === fingerprint && isMeant(stored);
			if (isSame && purchase.state === 'unclear') return purchase.text;
		}
		return undefined;
	}

	private keyOf(itemIndex: number): string {
		return `${this.run}/${itemIndex}`;
	}

	/** n8n numbers the calls of a tool anew for each agent, so its run index may come twice. */
	private newToolCall(): string {
		const count = new Set(Object.keys(this.stored).map((key) => key.split('/')[0])).size;
		const run = `tool${count}`;
		// Reserved at once, before another call of the tool counts
		this.stored[`${run}/call`] = true;
		return run;
	}

	private entries(): StoredPurchase[] {
		return Object.entries(this.stored).flatMap(([key, value]) => {
			const [run, itemIndex] = key.split('/');
			const purchase = readPurchase(value);
			return purchase === undefined ? [] : [{ run, itemIndex: Number(itemIndex), purchase }];
		});
	}
}

interface StoredPurchase extends PurchaseOfItem {
	readonly run: string;
}

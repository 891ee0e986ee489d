import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isRecord, ownValue, type UnknownRecord } from '../../shared/guards';
import type { FailureText } from '../../shared/loadedOnce/callErrors';

/** What became of the purchase of one item. */
export type RememberedPurchase =
	/** On its way; found again only when the process lost sight of it. */
	| { readonly state: 'sent'; readonly text: FailureText }
	| { readonly state: 'paid'; readonly record: IDataObject; readonly label: string }
	/** Nothing was bought; sending it again would be refused again. */
	| { readonly state: 'refused'; readonly text: FailureText }
	/** It may have been bought. */
	| { readonly state: 'unclear'; readonly text: FailureText };

const KEY = 'purchases';

function readText(value: unknown): FailureText | undefined {
	if (!isRecord(value)) return undefined;
	const message = ownValue(value, 'message');
	const description = ownValue(value, 'description');
	const code = ownValue(value, 'code');
	if (typeof message !== 'string' || typeof description !== 'string') return undefined;
	return typeof code === 'string' ? { message, description, code } : { message, description };
}

function isDataObject(value: unknown): value is IDataObject {
	return isRecord(value);
}

function readPurchase(value: unknown): RememberedPurchase | undefined {
	if (!isRecord(value)) return undefined;
	const state = ownValue(value, 'state');
	const record = ownValue(value, 'record');
	const label = ownValue(value, 'label');
	if (state === 'paid' && isDataObject(record) && typeof label === 'string') {
		return { state, record, label };
	}
	const text = readText(ownValue(value, 'text'));
	if (text === undefined) return undefined;
	if (state === 'sent' || state === 'refused' || state === 'unclear') return { state, text };
	return undefined;
}

/**
 * Remembers for each item what became of its purchase. It lies in the execution's own data, which lives
 * on when n8n runs the node again for 'Retry On Fail', and is saved with the execution.
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
		// A node in a loop runs several times in one execution; each run has its own items
		const runIndex: unknown = context.evaluateExpression('{{ $runIndex }}', 0);
		if (typeof runIndex !== 'number') throw new Error('n8n does not tell which run this is');
		this.run = String(runIndex);
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

	/** The purchases of this run that are paid, in the order of the items. */
	paid(): Array<{ itemIndex: number; label: string }> {
		return this.entries(true)
			.flatMap(({ itemIndex, purchase }) =>
				purchase.state === 'paid' ? [{ itemIndex, label: purchase.label }] : [],
			)
			.sort((a, b) => a.itemIndex - b.itemIndex);
	}

	/** How many purchases other runs of this node in this execution made, or may have made. */
	countOfOtherRuns(): number {
		return this.entries(false).filter(({ purchase }) => purchase.state !== 'refused').length;
	}

	private keyOf(itemIndex: number): string {
		return `${this.run}/${itemIndex}`;
	}

	private entries(ofThisRun: boolean): Array<{ itemIndex: number; purchase: RememberedPurchase }> {
		return Object.entries(this.stored).flatMap(([key, value]) => {
			const [run, itemIndex] = key.split('/');
			const purchase = readPurchase(value);
			if (purchase === undefined || (run === this.run) !== ofThisRun) return [];
			return [{ itemIndex: Number(itemIndex), purchase }];
		});
	}
}

import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isDataObject, isRecord, ownValue, type UnknownRecord } from '../../shared/guards';
import type { FailureText } from '../../shared/transport/callErrors';

interface Remembered {
	/** Of what was bought, by whom: the same purchase in another run has the same one. */
	readonly fingerprint: string;
}

/** What became of the purchase of one item. */
export type RememberedPurchase = Remembered &
	(
		| { readonly state: 'paid'; readonly record: IDataObject; readonly label: string }
		/** On its way; found again only when the process lost sight of it. */
		| { readonly state: 'sent'; readonly text: FailureText }
		/** It may have been bought. */
		| { readonly state: 'unclear'; readonly text: FailureText }
		/** Nothing was bought, in this execution; a later one may have more luck. */
		| { readonly state: 'refused'; readonly text: FailureText; readonly executionId: string }
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
	const record = ownValue(value, 'record');
	const label = ownValue(value, 'label');
	const executionId = ownValue(value, 'executionId');
	if (typeof fingerprint !== 'string') return undefined;
	if (state === 'paid' && isDataObject(record) && typeof label === 'string') {
		return { state, fingerprint, record, label };
	}
	const text = readText(ownValue(value, 'text'));
	if (text === undefined) return undefined;
	if (state === 'sent' || state === 'unclear') return { state, fingerprint, text };
	if (state === 'refused' && typeof executionId === 'string') {
		return { state, fingerprint, text, executionId };
	}
	return undefined;
}

/** As a tool of an AI agent, n8n gives the node another type. */
export function isTool(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool');
}

/**
 * Remembers for each item what became of its purchase. It lies in the execution's own data, which lives
 * on when n8n runs the node again for 'Retry On Fail', is saved with the execution, and comes back when
 * the saved execution is retried.
 */
export class PurchaseMemory {
	private readonly stored: UnknownRecord;
	private readonly run: string;
	private readonly executionId: string;

	constructor(context: IExecuteFunctions) {
		const nodeData: IDataObject = context.getContext('node');
		const known: unknown = nodeData[KEY];
		const stored = isDataObject(known) ? known : {};
		nodeData[KEY] = stored;
		this.stored = stored;
		this.executionId = context.getExecutionId();
		this.run = isTool(context) ? this.newToolCall() : runIndexOf(context);
	}

	get(itemIndex: number): RememberedPurchase | undefined {
		const known = readPurchase(ownValue(this.stored, this.keyOf(itemIndex)));
		const isOld = known?.state === 'refused' && known.executionId !== this.executionId;
		return isOld ? undefined : known;
	}

	set(itemIndex: number, purchase: RememberedPurchase): void {
		this.stored[this.keyOf(itemIndex)] = purchase;
	}

	/** Nothing was bought, and n8n may run the node again in this execution. */
	refuse(itemIndex: number, fingerprint: string, text: FailureText): void {
		this.set(itemIndex, { state: 'refused', fingerprint, text, executionId: this.executionId });
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

	/** The same purchase in another run of this node, of which nobody knows whether it was made. */
	unclearInOtherRun(fingerprint: string): FailureText | undefined {
		for (const { purchase } of this.entries(false)) {
			if (purchase.state === 'unclear' && purchase.fingerprint === fingerprint)
				return purchase.text;
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
		// Taken at once, before another call of the tool looks
		this.stored[`${run}/call`] = true;
		return run;
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

/** A node in a loop runs several times in one execution; each run has its own items. */
function runIndexOf(context: IExecuteFunctions): string {
	const runIndex: unknown = context.evaluateExpression('{{ $runIndex }}', 0);
	if (typeof runIndex !== 'number') throw new Error('n8n does not tell which run this is');
	return String(runIndex);
}

const memories = new WeakMap<IExecuteFunctions, PurchaseMemory>();

/** The memory for one call of the node by n8n; the same for all its items. */
export function purchaseMemoryOf(context: IExecuteFunctions): PurchaseMemory {
	const memory = memories.get(context) ?? new PurchaseMemory(context);
	memories.set(context, memory);
	return memory;
}

import type {
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import type { UsableOrders } from '../shared/orders/orderField';
import type { RunExtraction, RunQuery } from '../shared/service/query';
import type { CallError } from '../shared/errors/callErrors';
import type { Waiter } from '../shared/concurrency/wait';
import type { CallOptions } from './parameters/callOptions';

/** One input item of a run, as its operation sees it. */
export interface Item extends Waiter {
	/** The resolved value of a field; empty if there is no such field. */
	parameter(name: string): unknown;
	/** Throws InvalidFieldError. */
	callOptions(): CallOptions;
	/** The number in 'Order'; undefined for the order of the credential. Throws InvalidFieldError. */
	orderNumber(): string | undefined;
	/** The same, if it can be reached with the key pair of the credential. Throws InvalidFieldError. */
	reachableOrder(): Promise<string | undefined>;
	/**
	 * Makes one call with the key pair that the endpoint needs: that of the credential, or of the order in
	 * 'Order'. The item's fields should be read before: what is wrong with them is then reported before
	 * anything is sent.
	 */
	readonly run: RunQuery;
	readonly extract: RunExtraction;
	/** What n8n saves with the workflow after each production run, and not after one in the editor. */
	workflowMemory(): IDataObject;
	readonly isManual: boolean;
	/** Whether an AI agent called the node as its tool, so that a model reads the output. */
	readonly isForAgent: boolean;
	/** Whether a test of Kuaidaili Trigger brought it, which must not change anything of an order. */
	readonly isTest: boolean;
	/**
	 * Tells the key pairs of orders apart without containing them. Throws what getting one throws.
	 */
	readonly orderKey: () => Promise<string>;
}

export interface OperationResult {
	/** The output, one object per item; the router links each to its input item. */
	readonly records: readonly IDataObject[];
	readonly binary?: IBinaryKeyData;
	/** Whole sentences to show with the output of a run that succeeded. */
	readonly hint?: string;
	/** What failed after these records had arrived; the router shows it together with the hint. */
	readonly failure?: CallError;
}

export interface OperationBase {
	readonly option: INodePropertyOptions & { readonly value: string; readonly action: string };
	/** Without display options; the resource adds those. */
	readonly properties: readonly INodeProperties[];
	/** Which orders 'Order' offers; all active ones if not given. */
	readonly orders?: UsableOrders;
	/** Only for operations that spend money: the field of the output that says whether it was done. */
	readonly done?: 'created' | 'renewed';
	/** Set for operations that cannot be undone; no resource opens with one. */
	readonly irreversible?: true;
}

/** Works on one input item after the other. */
export interface ItemOperation extends OperationBase {
	/** Set where it changes something, which is not to be done again for an item that went well. */
	readonly changes?: true;
	/** Throws InvalidFieldError for a value that cannot be used; nothing was sent then. */
	execute(item: Item): Promise<OperationResult>;
}

/** Works on one input item after the other, and once for those that ask for the same change. */
export interface SharedOperation extends OperationBase {
	/** Throws InvalidFieldError; sends nothing. */
	check(item: Item): void;
	/** Tells apart what is changed. Sends only what getting a key pair takes. */
	changeKey(item: Item): Promise<string>;
	execute(item: Item, sharing: readonly Item[]): Promise<OperationResult>;
}

export type ItemOutcome =
	| { readonly result: OperationResult }
	/** `known` is put out beside the error, where n8n lets it be. */
	| { readonly error: unknown; readonly known?: IDataObject };

export interface RunOutcome {
	/**
	 * By the index of the item, which may have several, in the order in which they come out. After an error that ends
	 * the run, such as any without 'Continue On Fail', there may be none for the others.
	 */
	readonly items: Iterable<readonly [number, ItemOutcome]>;
	/** What the user should know about the run as a whole: whole sentences, shown with the output. */
	readonly hints?: readonly string[];
	/** The same for an error that ends the run, because its output is lost. */
	readonly note?: string;
}

/** Looks at all input items before it works on the first one, or works on several together. */
export interface RunOperation extends OperationBase {
	executeAll(context: IExecuteFunctions, items: readonly Item[]): Promise<RunOutcome>;
}

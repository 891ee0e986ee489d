import type {
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import type { CallError } from '../../shared/api/errors';
import type { UsableOrders } from '../../shared/orders/orderField';
import type { Item } from './item';

export interface OperationResult {
	/** The output, one object per item; the router links each to its input item. */
	readonly records: readonly IDataObject[];
	readonly binary?: IBinaryKeyData;
	/** Whole sentences to show with the output of a run that succeeded. */
	readonly hint?: string;
	/** The failure of a call after these records had arrived; the router shows it together with the hint. */
	readonly failure?: CallError;
}

export interface OperationBase {
	readonly option: INodePropertyOptions & { readonly value: string; readonly action: string };
	/** Without display options; the resource adds those. */
	readonly properties: readonly INodeProperties[];
	/** The orders that 'Order' offers; all active ones if not given. */
	readonly orders?: UsableOrders;
	/** Only for operations that spend money: the field of the output that says whether it was done. */
	readonly done?: 'created' | 'renewed';
	/** Set for operations that cannot be undone; no resource opens with one. */
	readonly irreversible?: true;
}

export type ItemOutcome =
	| { readonly kind: 'result'; readonly result: OperationResult }
	/** `known` is put out beside the error, where n8n lets it be, and `details` in a field of that name. */
	| {
			readonly kind: 'error';
			readonly error: unknown;
			readonly known?: IDataObject;
			readonly details?: IDataObject;
	  };

export interface RunOutcome {
	/**
	 * Outcomes by the index of the item, which may have several, in the order in which they come out. After an error that ends
	 * the run, such as any without 'Continue On Fail', there may be none for the others.
	 */
	readonly items: Iterable<readonly [number, ItemOutcome]>;
	/** Whole sentences about the run, shown with the output. */
	readonly hints?: readonly string[];
	/** A sentence for an error that ends the run, because its output is lost. */
	readonly note?: string;
}

/** An operation that spends no money. */
export interface RunOperation extends OperationBase {
	readonly kind: 'run';
	executeAll(context: IExecuteFunctions, items: readonly Item[]): Promise<RunOutcome>;
}

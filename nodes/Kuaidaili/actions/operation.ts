import type {
	IDataObject,
	IExecuteFunctions,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import type { PurchaseNoun } from '../purchase/purchaseReport';

/** What one operation made of one input item. */
export interface OperationResult {
	/** The output, one object per item; the router links each to its input item. */
	readonly records: readonly IDataObject[];
	/** What the user should know although nothing is wrong: a whole sentence, shown with the output. */
	readonly hint?: string;
}

/** One operation: its entry in the menu, its fields and its work. */
export interface Operation {
	readonly option: INodePropertyOptions & { readonly value: string; readonly action: string };
	/** Without display options; the resource adds those. */
	readonly properties: readonly INodeProperties[];
	/** Of operations that spend money; `execute` then buys through `purchaseOnce` and nothing else. */
	readonly purchases?: PurchaseNoun;
	/** Of operations whose effect cannot be taken back; no resource opens with one. */
	readonly irreversible?: true;
	/**
	 * @throws InvalidFieldError for a value that cannot be used; nothing was sent then
	 * @throws CallError when the service did not do it
	 */
	execute(context: IExecuteFunctions, itemIndex: number): Promise<OperationResult>;
}

/** One resource: its entry in the menu and its operations. */
export interface Resource {
	readonly option: INodePropertyOptions & { readonly value: string };
	readonly operations: readonly Operation[];
	/**
	 * The value of the operation that the menu opens with. n8n saves no value that equals the default, so
	 * changing it changes saved workflows. It may neither spend money nor do what cannot be undone.
	 */
	readonly defaultOperation: string;
}

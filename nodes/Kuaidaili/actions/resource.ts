import type { INodePropertyOptions } from 'n8n-workflow';

import type { ItemOperation, RunOperation } from '../operation';
import type { PurchaseOperation } from '../purchase/contract';

/** One operation: its entry in the menu, its fields and its work. */
export type Operation = ItemOperation | RunOperation | PurchaseOperation;

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

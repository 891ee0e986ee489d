import type { IDataObject } from 'n8n-workflow';

import type { Field } from '../../shared/fields/field';
import type { UnknownRecord } from '../../shared/guards';
import type { RunQuery } from '../../shared/service/query';
import type { Item, OperationBase, PurchaseNoun } from '../operation';
import type { Purchase } from './purchase';

/** Everything that the purchase of one item is planned from. */
export interface PurchaseItem extends Pick<Item, 'parameter' | 'orderNumber'> {
	/** The same for all items of a run. */
	readonly run: object;
	/** The collection 'Options', as it was entered. */
	readonly options: UnknownRecord;
	/** False with 'Skip Local Checks'. */
	readonly check: boolean;
	/** The JSON of the input item. */
	readonly json: IDataObject;
}

/** The output of a purchase that was made in this run. */
export interface BoughtItem {
	/** Asks with the key pair of the credential. */
	readonly ask: RunQuery;
	/** The Secret ID of that key pair. */
	readonly secretId: string;
	/** `complete` adds to it in place. */
	readonly record: IDataObject;
}

/** Spends money: everything is checked for all items before the first one is bought. */
export interface PurchaseOperation extends OperationBase {
	readonly purchases: PurchaseNoun;
	/** The option 'Max Orders per Run'. */
	readonly maxOrdersField: Field;
	/** Whether a run of more items than that is refused as a whole. */
	readonly refusesLargeRuns: boolean;
	/**
	 * Reads the fields of an item and makes all checks that need no request.
	 *
	 * @throws InvalidFieldError
	 */
	plan(item: PurchaseItem): Purchase;
	/** Completes the output after all purchases. Where it rejects, the output stays as it is. */
	complete?(bought: readonly BoughtItem[]): Promise<void>;
}

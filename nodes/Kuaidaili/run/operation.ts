import type {
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import { CancelledError, type CallError } from '../../shared/api/errors';
import { readField, readRequiredField, FieldReader } from '../../shared/fields/reader';
import {
	toCollection,
	toProperty,
	type Field,
	type FieldCollection,
} from '../../shared/fields/field';
import { toggle, number } from '../../shared/fields/kinds';
import { orderProperty, type UsableOrders } from '../../shared/orders/orderField';
import type { Endpoint } from '../../shared/service/endpoint';
import type { Query, RunQuery } from '../../shared/api/call';
import type { FlatParameters } from '../../shared/service/wireTypes';
import { TEST_EVENT_REASONS } from './testEvent';
import { formatNumber, sentences } from '../../shared/wording';
import type { Item } from './item';
import { OPTIONS_LABEL, optionsCollection } from '../parameters/callOptions';
import { isCancelled } from './nodeRun';

export interface OperationResult {
	/** The output, one object per item; the router links each to its input item. */
	readonly records: readonly IDataObject[];
	readonly binary?: IBinaryKeyData;
	/** Whole sentences to show with the output of a run that succeeded. */
	readonly hint?: string;
	/** The failure of a call after these records had arrived; the router shows it together with the hint. */
	readonly failure?: CallError;
}

/** The end of an item, or of a step of its work. */
export type ItemOutcome<T = OperationResult> =
	| { readonly kind: 'result'; readonly result: T }
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

/** Whether nothing may come after the error, whatever 'On Error' is set to: after a cancellation. */
export function isLastError(context: IExecuteFunctions, error: unknown): boolean {
	return isCancelled(context) || error instanceof CancelledError;
}

/** Whether there is no use in working on other items: none of them would come out. */
export function endsRun(context: IExecuteFunctions, error: unknown): boolean {
	return isLastError(context, error) || !context.continueOnFail();
}

/**
 * Does a step of the work for the items of a run, one after the other. An error that ends the run is all that is left of
 * it, so no later step does anything.
 *
 * @param items the items, or their outcomes of the step before: an error stays the outcome
 */
export async function tryItems<T, U>(
	context: IExecuteFunctions,
	items: readonly T[] | Map<number, ItemOutcome<T>>,
	work: (one: T, index: number) => Promise<U>,
): Promise<Map<number, ItemOutcome<U>>> {
	const before =
		items instanceof Map
			? items
			: items.map((result, index): [number, ItemOutcome<T>] => [index, { kind: 'result', result }]);
	const outcomes = new Map<number, ItemOutcome<U>>();
	for (const [index, outcome] of before) {
		if (outcome.kind === 'error') {
			outcomes.set(index, outcome);
			continue;
		}
		try {
			outcomes.set(index, { kind: 'result', result: await work(outcome.result, index) });
		} catch (error) {
			if (endsRun(context, error)) return new Map([[index, { kind: 'error', error }]]);
			outcomes.set(index, { kind: 'error', error });
		}
	}
	return outcomes;
}

/** An operation of the node: its entry in the menu, its fields, and its work for all items of a run. */
export interface Operation {
	readonly option: INodePropertyOptions & { readonly value: string; readonly action: string };
	/** Without display options; the resource adds those. */
	readonly properties: readonly INodeProperties[];
	/** The orders that 'Order' offers; all active ones if not given. */
	readonly orders?: UsableOrders;
	/** Only for operations that spend money: the field of the output that says whether it was done. */
	readonly done?: 'created' | 'renewed';
	executeAll(context: IExecuteFunctions, items: readonly Item[]): Promise<RunOutcome>;
}

const returnAllField: Field = {
	name: 'returnAll',
	displayName: 'Return All',
	description: 'Whether to return all results or only up to a given limit',
	kind: toggle(),
};

const limitField: Field = {
	name: 'limit',
	displayName: 'Limit',
	description: 'Max number of results to return',
	kind: number({ min: 1, max: 100_000, preset: 50 }),
};

/** The two fields of every operation that returns a list. */
const listLengthProperties: INodeProperties[] = [
	toProperty(returnAllField),
	{ ...toProperty(limitField), displayOptions: { show: { returnAll: [false] } } },
];

function readListLength(valueOf: (name: string) => unknown): number {
	if (readField(returnAllField, valueOf(returnAllField.name)) === '1') return Infinity;
	return Number(readRequiredField(limitField, valueOf(limitField.name)));
}

/** The item that calls are made for, with its fields. */
export interface CallContext {
	readonly item: Item;
	/** The number from 'Order', for records that don't contain it. */
	readonly orderRecord: { readonly orderid?: string };
	/** The text of any field of the operation, by its name in n8n; undefined when it is left out. */
	readonly textOf: (name: string) => string | undefined;
}

/** The calls that an operation makes for an item. */
interface Work<T> {
	/** The endpoint of the call that does the work. 'Order' is added where it needs the key pair of an order. */
	readonly endpoint: Endpoint;
	readonly fetch: (ask: RunQuery, parameters: FlatParameters, context: CallContext) => Promise<T>;
}

/** Work of one call. */
export function querying<T>(query: Query<T>): Work<T> {
	return fetching(query.endpoint, async (ask, parameters) => await ask(query, parameters));
}

/** Work that may take several calls. */
export function fetching<T>(endpoint: Endpoint, fetch: Work<T>['fetch']): Work<T> {
	return { endpoint, fetch };
}

/** An operation that makes a call: how its fields become the call, and how the response becomes the output. */
interface CallOperation<T> extends Pick<Operation, 'option' | 'orders'> {
	readonly work: Work<T>;
	readonly notice?: INodeProperties;
	/** In the order of the editor. Parameters of the service are sent; the others are for `toResult`. */
	readonly fields?: readonly Field[];
	/** The noun for the records, in the plural. 'Return All' and 'Limit' shorten the output. */
	readonly listOf?: string;
	readonly filters?: FieldCollection;
	readonly options?: readonly Field[];
	readonly toResult: (answer: T, context: CallContext) => OperationResult;
	/** Set where a test event of the trigger must not do it. */
	readonly skipsTestEvents?: true;
	readonly hintForNone?: string;
}

async function orderRecordOf(item: Item): Promise<CallContext['orderRecord']> {
	const orderid = await item.reachableOrder();
	return orderid === undefined ? {} : { orderid };
}

function propertiesOf<T>(spec: CallOperation<T>): INodeProperties[] {
	const { work, notice, fields = [], listOf, filters, options = [] } = spec;
	const isForOrder = work.endpoint.key === 'order';
	return [
		...(notice === undefined ? [] : [notice]),
		...(isForOrder ? [orderProperty] : []),
		...fields.map(toProperty),
		...(listOf === undefined ? [] : listLengthProperties),
		...(filters === undefined ? [] : [toCollection(filters)]),
		optionsCollection(options),
	];
}

/** Work for one item: its fields are read and checked, and what came back becomes the output. */
async function callFor<T>(spec: CallOperation<T>, item: Item): Promise<OperationResult> {
	const { work, fields = [], listOf, filters, options = [] } = spec;
	const { toResult, skipsTestEvents, hintForNone } = spec;
	const { parameter: valueOf } = item;
	const { options: entered } = item.callOptions();
	const reader = new FieldReader().read(fields, valueOf);
	if (filters !== undefined) reader.readCollection(filters, valueOf(filters.name));
	reader.readCollection({ displayName: OPTIONS_LABEL, fields: options }, entered);
	const { parameters, textOf } = reader;
	const length = listOf === undefined ? Infinity : readListLength(valueOf);
	// Before any call: the first one may not concern the order, so a wrong order would be noticed
	// too late
	const orderRecord = work.endpoint.key === 'order' ? await orderRecordOf(item) : {};
	if (skipsTestEvents === true && item.isTest) {
		return { records: [{ ...orderRecord, changed: false, reason: TEST_EVENT_REASONS.changed }] };
	}
	const callContext = { item, orderRecord, textOf };
	const result = toResult(await work.fetch(item.ask, parameters, callContext), callContext);
	const { records, hint } = result;
	if (records.length === 0) return { ...result, hint: hint ?? hintForNone };
	if (records.length <= length) return result;
	const cut = `${formatNumber(length)} of ${formatNumber(records.length)} ${listOf}, because of '${limitField.displayName}'.`;
	return { ...result, records: records.slice(0, length), hint: sentences(cut, hint) };
}

export function callOperation<T>(spec: CallOperation<T>): Operation {
	const { option, orders } = spec;
	return {
		option,
		orders,
		properties: propertiesOf(spec),
		executeAll: async (context, items) => ({
			items: await tryItems(context, items, async (item) => await callFor(spec, item)),
		}),
	};
}

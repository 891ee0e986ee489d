import type { IExecuteFunctions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
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
import { outcomesOf, tryItems, untried, type OperationResult, type RunOutcome } from './runItems';

export interface OperationBase {
	readonly option: INodePropertyOptions & { readonly value: string; readonly action: string };
	/** Without display options; the resource adds those. */
	readonly properties: readonly INodeProperties[];
	/** The orders that 'Order' offers; all active ones if not given. */
	readonly orders?: UsableOrders;
	/** Only for operations that spend money: the field of the output that says whether it was done. */
	readonly done?: 'created' | 'renewed';
}

/** An operation of the node: its entry in the menu, its fields, and its work for all items of a run. */
export interface Operation extends OperationBase {
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
	readonly fetch: (run: RunQuery, parameters: FlatParameters, context: CallContext) => Promise<T>;
}

/** Work of one call. */
export function querying<T>(query: Query<T>): Work<T> {
	return fetching(query.endpoint, async (run, parameters) => await run(query, parameters));
}

/** Work that may take several calls. */
export function fetching<T>(endpoint: Endpoint, fetch: Work<T>['fetch']): Work<T> {
	return { endpoint, fetch };
}

/** An operation that makes a call: how its fields become the call, and how the response becomes the output. */
interface CallOperation<T> extends Omit<OperationBase, 'properties' | 'done'> {
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

/** Reads and checks the fields of an item. Throws InvalidFieldError. */
function readCallFields<T>(spec: CallOperation<T>, item: Item): FieldReader {
	const { fields = [], filters, options = [] } = spec;
	const valueOf = (name: string): unknown => item.parameter(name);
	const { options: entered } = item.callOptions();
	const reader = new FieldReader().read(fields, valueOf);
	if (filters !== undefined) reader.readCollection(filters, valueOf(filters.name));
	return reader.readCollection({ displayName: OPTIONS_LABEL, fields: options }, entered);
}

/** The result as it is put out: no longer than 'Limit' says, with hints. */
function shortened<T>(
	{ listOf, hintForNone }: CallOperation<T>,
	{ records, hint, failure }: OperationResult,
	length: number,
): OperationResult {
	const cut =
		records.length > length
			? `${formatNumber(length)} of ${formatNumber(records.length)} ${listOf}. Raise '${limitField.displayName}', or turn on '${returnAllField.displayName}' for the rest.`
			: undefined;
	const told = records.length === 0 ? (hint ?? hintForNone) : sentences(cut, hint);
	return { records: records.slice(0, length), hint: told || undefined, failure };
}

async function callFor<T>(spec: CallOperation<T>, item: Item): Promise<OperationResult> {
	const { work, listOf, toResult, skipsTestEvents } = spec;
	const { parameters, textOf } = readCallFields(spec, item);
	const length = listOf === undefined ? Infinity : readListLength((name) => item.parameter(name));
	// Before any call: the first one may not concern the order, so a wrong order would be noticed
	// too late
	const orderRecord = work.endpoint.key === 'order' ? await orderRecordOf(item) : {};
	if (skipsTestEvents === true && item.isTest) {
		return { records: [{ ...orderRecord, changed: false, reason: TEST_EVENT_REASONS.changed }] };
	}
	const callContext = { item, orderRecord, textOf };
	const answer = await work.fetch(item.run, parameters, callContext);
	return shortened(spec, toResult(answer, callContext), length);
}

export function callOperation<T>(spec: CallOperation<T>): Operation {
	const { option, orders } = spec;
	return {
		option,
		orders,
		properties: propertiesOf(spec),
		executeAll: async (context, items) => ({
			items: outcomesOf(
				await tryItems(context, untried(items), async (item) => await callFor(spec, item)),
			),
		}),
	};
}

import type { INodeProperties } from 'n8n-workflow';

import {
	isServiceField,
	readField,
	readRequiredField,
	toCollection,
	toProperty,
	type Field,
	type FieldCollection,
	FieldReader,
} from '../../shared/fields/field';
import { oneOrZero, wholeNumber } from '../../shared/fields/valueKinds';
import { orderProperty } from '../../shared/orders/orderField';
import type { Endpoint } from '../../shared/service/endpoint';
import type { Query, RunQuery } from '../../shared/queries/query';
import { fingerprintOf } from '../../shared/fingerprint';
import { TEST_EVENT_REASONS } from '../../shared/testEvent';
import { formatNumber, sentences } from '../../shared/wording';
import type { OperationBase, OperationResult, RunOperation } from '../operation';
import type { Item } from '../item/item';
import { OPTIONS_LABEL, optionsCollection } from '../parameters/callOptions';
import { runItems, runItemsOnce, runSharedChanges, type MadeChange } from './runItems';

const returnAllField: Field = {
	name: 'returnAll',
	displayName: 'Return All',
	description: 'Whether to return all results or only up to a given limit',
	kind: oneOrZero,
};

const limitField: Field = {
	name: 'limit',
	displayName: 'Limit',
	description: 'Max number of results to return',
	kind: wholeNumber(1, 100_000, 50),
};

/** The two fields of every operation that returns a list. */
const listLengthProperties: INodeProperties[] = [
	toProperty(returnAllField),
	{ ...toProperty(limitField), displayOptions: { show: { returnAll: [false] } } },
];

function readListLength(valueOf: (name: string) => unknown): number {
	// The node's own fields, so they are always checked
	if (readField(returnAllField, valueOf(returnAllField.name)) === '1') return Infinity;
	return Number(readRequiredField(limitField, valueOf(limitField.name)));
}

export interface ItemFields {
	/** The number from 'Order', for records that don't contain it. */
	readonly order: { readonly orderid?: string };
	/** The text of any field of the operation, by its name in n8n; undefined when it is left out. */
	readonly text: (name: string) => string | undefined;
}

/** The item that calls are made for, with its fields. */
export interface CallContext extends ItemFields {
	readonly item: Item;
	/** The fields of all items that the calls are made for, this one included. */
	readonly sharing: ReadonlyArray<Pick<ItemFields, 'text'>>;
}

/** 'Order' is added where the endpoint needs the key pair of an order. */
type Work<T> =
	| { readonly query: Query<T> }
	/** For work that may take several calls. */
	| {
			/** The endpoint of the call that does the work. */
			readonly endpoint: Endpoint;
			readonly fetch: (
				run: RunQuery,
				parameters: Readonly<Record<string, string>>,
				asked: CallContext,
			) => Promise<T>;
	  }
	/** For a change whose result is read once those of all items were made. */
	| {
			/** The endpoint of the call that makes the change. */
			readonly endpoint: Endpoint;
			readonly change: (
				run: RunQuery,
				parameters: Readonly<Record<string, string>>,
				asked: CallContext,
			) => Promise<() => Promise<T>>;
	  };

/** An operation that makes a call: how its fields become the call, and how the response becomes the output. */
interface CallOperation<T> extends Omit<OperationBase, 'properties' | 'done'> {
	readonly notice?: INodeProperties;
	/** In the order of the editor. Parameters of the service are sent; the others are for `toResult`. */
	readonly fields?: readonly Field[];
	/** The noun for the records, in the plural. 'Return All' and 'Limit' shorten the output. */
	readonly listOf?: string;
	readonly filters?: FieldCollection;
	readonly options?: readonly Field[];
	readonly toResult: (answer: T, asked: ItemFields) => OperationResult;
	/** Set where a test event of the trigger must not do it. */
	readonly skipsTestEvents?: true;
	/** Set where the calls are made once for all input items that are one change. */
	readonly shared?: {
		/** Items for one order share a change, or only those with the same fields as well. */
		readonly by: 'order' | 'orderAndFields';
		/** Why several items were one change: a sentence. */
		readonly hint: string;
	};
	readonly hintForNone?: string;
}

async function orderFieldsOf(item: Item): Promise<ItemFields['order']> {
	const orderid = await item.reachableOrder();
	return orderid === undefined ? {} : { orderid };
}

export function callOperation<T>(spec: CallOperation<T> & Work<T>): RunOperation {
	const { notice, fields = [], listOf, filters, options = [], ...others } = spec;
	const { option, orders, irreversible, toResult, hintForNone, shared } = others;
	const { key, kind } = 'query' in spec ? spec.query.endpoint : spec.endpoint;
	const isForOrder = key === 'order';
	const optionFields = { displayName: OPTIONS_LABEL, fields: options };
	// The node's own fields are always checked
	const hasChecks =
		isForOrder || [...fields, ...(filters?.fields ?? []), ...options].some(isServiceField);

	const read = (item: Item): FieldReader => {
		const valueOf = (name: string): unknown => item.parameter(name);
		const { options: entered, check } = item.callOptions();
		const reader = new FieldReader({ check }).read(fields, valueOf);
		if (filters !== undefined) reader.readCollection(filters, valueOf(filters.name));
		return reader.readCollection(optionFields, entered);
	};

	const work = async (
		item: Item,
		parameters: Readonly<Record<string, string>>,
		asked: CallContext,
	): Promise<() => Promise<T>> => {
		if ('change' in spec) return await spec.change(item.run, parameters, asked);
		const answer = await ('fetch' in spec
			? spec.fetch(item.run, parameters, asked)
			: item.run(spec.query, parameters));
		return async () => answer;
	};

	const make = async (item: Item, sharing: readonly Item[]): Promise<MadeChange> => {
		const reader = read(item);
		const { parameters, text } = reader;
		const length = listOf === undefined ? Infinity : readListLength((name) => item.parameter(name));
		// Before any call: the first one may not concern the order, so a wrong order would be noticed
		// too late
		const order = isForOrder ? await orderFieldsOf(item) : {};
		if (spec.skipsTestEvents === true && item.isTest) {
			const skipped = {
				records: [{ ...order, changed: false, reason: TEST_EVENT_REASONS.changed }],
			};
			return async () => skipped;
		}
		const fields = { text, order, item, sharing: sharing.map(read) };
		const readAnswer = await work(item, parameters, fields);
		return async () => output(toResult(await readAnswer(), { text, order }), length, sharing);
	};

	const output = (
		{ records, hint, failure }: OperationResult,
		length: number,
		sharing: readonly Item[],
	): OperationResult => {
		const cut =
			records.length > length
				? `${formatNumber(length)} of ${formatNumber(records.length)} ${listOf}. Raise '${limitField.displayName}', or turn on '${returnAllField.displayName}' for the rest.`
				: undefined;
		const why = sharing.length > 1 ? shared?.hint : undefined;
		const told = records.length === 0 ? (hint ?? hintForNone) : sentences(cut, hint);
		return { records: records.slice(0, length), hint: sentences(told, why) || undefined, failure };
	};

	return {
		option,
		orders,
		...(irreversible === true ? { irreversible } : {}),
		properties: [
			...(notice === undefined ? [] : [notice]),
			...(isForOrder ? [orderProperty] : []),
			...fields.map(toProperty),
			...(listOf === undefined ? [] : listLengthProperties),
			...(filters === undefined ? [] : [toCollection(filters)]),
			optionsCollection(options, { hasChecks }),
		],
		async executeAll(context, items) {
			if (shared === undefined) {
				const makeOne = async (at: number) => await make(items[at], [items[at]]);
				return kind === 'read'
					? await runItems(context, async (at) => await (await makeOne(at))())
					: await runItemsOnce(context, makeOne);
			}
			const keyOf = async (item: Item): Promise<string> => {
				const asked = shared.by === 'order' ? {} : read(item).parameters;
				return fingerprintOf(await item.orderKey(), asked);
			};
			return await runSharedChanges(context, items, { check: read, keyOf, make });
		},
	};
}

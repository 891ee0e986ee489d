import type { INodeProperties } from 'n8n-workflow';

import {
	isServiceField,
	readField,
	readRequiredField,
	toCollection,
	toProperty,
	type Field,
	type FieldCollection,
} from '../../shared/fields/field';
import { FieldReader } from '../../shared/fields/readFields';
import { flag, wholeNumber } from '../../shared/fields/valueKinds';
import { orderProperty } from '../../shared/orders/orderField';
import type { Endpoint } from '../../shared/service/endpoint';
import type { Query, RunQuery } from '../../shared/service/query';
import type { Item, ItemOperation, OperationBase, OperationResult } from '../operation';
import { OPTIONS_LABEL, optionsCollection } from '../parameters/callOptions';

const returnAllField: Field = {
	name: 'returnAll',
	displayName: 'Return All',
	description: 'Whether to return all results or only up to a given limit',
	kind: { ...flag, property: { type: 'boolean', default: false } },
};

const limitField: Field = {
	name: 'limit',
	displayName: 'Limit',
	description: 'Max number of results to return',
	kind: wholeNumber(1, 100_000, 50),
};

/** The two fields of every operation that returns a list. */
export const listLengthProperties: INodeProperties[] = [
	toProperty(returnAllField),
	{ ...toProperty(limitField), displayOptions: { show: { returnAll: [false] } } },
];

/**
 * How many records are wanted; Infinity for all.
 *
 * @throws InvalidFieldError
 */
export function readListLength(valueOf: (name: string) => unknown): number {
	// The node's own fields, so they are always checked
	if (readField(returnAllField, valueOf(returnAllField.name)) !== undefined) return Infinity;
	return Number(readRequiredField(limitField, valueOf(limitField.name)));
}

/** What the fields of an item say. */
export interface Asked {
	/** The number from 'Order', for records that don't contain it. */
	readonly order: { readonly orderid?: string };
	/** The text of any field of the operation, by its name in n8n; undefined when it is left out. */
	readonly text: (name: string) => string | undefined;
}

/** The item that the calls are made for. */
export interface AskingItem
	extends Pick<Asked, 'text'>,
		Pick<Item, 'isForAgent' | 'orderKey' | 'signal' | 'log'> {
	/** False with 'Skip Local Checks'. */
	readonly check: boolean;
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
				item: AskingItem,
			) => Promise<T>;
	  };

/** An operation that makes a call: how its fields become the call, and how the response becomes the output. */
interface CallOperation<T> extends Omit<OperationBase, 'properties' | 'purchases'> {
	/** Shown above all fields. */
	readonly notice?: INodeProperties;
	/** In the order of the editor. Parameters of the service are sent; the others are for `toResult`. */
	readonly fields?: readonly Field[];
	/** 'Return All' and 'Limit' shorten the output. */
	readonly isList?: boolean;
	readonly filters?: FieldCollection;
	/** Added to the 'Options' that every operation has. */
	readonly options?: readonly Field[];
	readonly toResult: (answer: T, asked: Asked) => OperationResult;
	/** A sentence to show if there are no records. */
	readonly hintForNone?: string;
}

async function orderOf(item: Item): Promise<Asked['order']> {
	const orderid = await item.reachableOrder();
	return orderid === undefined ? {} : { orderid };
}

export function callOperation<T>(spec: CallOperation<T> & Work<T>): ItemOperation {
	const { notice, fields = [], isList = false, filters, options = [], ...others } = spec;
	const { option, orders, irreversible, toResult, hintForNone } = others;
	const { key, kind } = 'fetch' in spec ? spec.endpoint : spec.query.endpoint;
	const isForOrder = key === 'order';
	const optionFields = { displayName: OPTIONS_LABEL, fields: options };
	// The node's own fields are always checked
	const hasChecks =
		isForOrder || [...fields, ...(filters?.fields ?? []), ...options].some(isServiceField);
	return {
		option,
		orders,
		...(irreversible === true ? { irreversible } : {}),
		...(kind === 'read' ? {} : { changes: true }),
		properties: [
			...(notice === undefined ? [] : [notice]),
			...(isForOrder ? [orderProperty] : []),
			...fields.map(toProperty),
			...(isList ? listLengthProperties : []),
			...(filters === undefined ? [] : [toCollection(filters)]),
			optionsCollection(options, { hasChecks }),
		],
		async execute(item) {
			const valueOf = (name: string): unknown => item.parameter(name);
			const { options: entered, check } = item.callOptions();
			const reader = new FieldReader({ check }).read(fields, valueOf);
			if (filters !== undefined) reader.readCollection(filters, valueOf(filters.name));
			reader.readCollection(optionFields, entered);
			const length = isList ? readListLength(valueOf) : Infinity;
			const { parameters } = reader;
			const text = (name: string) => reader.text(name);
			// Before any call: the first one may not concern the order, so a wrong order would be noticed
			// too late
			const order = isForOrder ? await orderOf(item) : {};
			const { isForAgent, orderKey, signal, log } = item;
			const answer = await ('fetch' in spec
				? spec.fetch(item.run, parameters, { text, check, isForAgent, orderKey, signal, log })
				: item.run(spec.query, parameters));
			const { records, hint } = toResult(answer, {
				text,
				order,
			});
			return {
				records: records.slice(0, length),
				hint: records.length === 0 ? (hint ?? hintForNone) : hint,
			};
		},
	};
}

import type { IExecuteFunctions } from 'n8n-workflow';

import { isCode } from '../../shared/guards';
import { orderField, readChosenOrder } from '../../shared/orders/orderField';
import { readCallOptions, type CallOptions } from '../parameters/callOptions';

function mayDiffer(value: unknown): boolean {
	if (typeof value === 'string') return value.startsWith('=');
	return typeof value === 'object' && value !== null && Object.values(value).some(mayDiffer);
}

/** Resolves a field for an item. */
export type ResolveField = (name: string, itemIndex: number) => unknown;

/**
 * Resolves the fields of a run. n8n takes long for that, so a field that holds no expression, which cannot differ
 * between items, is resolved once.
 */
export function fieldResolver(context: IExecuteFunctions): ResolveField {
	const constants = new Map<string, unknown>();
	// As they were entered, with the presets of those that were not
	const { parameters } = context.getNode();
	return (name, itemIndex) => {
		if (constants.has(name)) return constants.get(name);
		const value: unknown = context.getNodeParameter(name, itemIndex, '');
		if (!mayDiffer(parameters[name])) constants.set(name, value);
		return value;
	};
}

/** The parameters of the node as they are for one input item. */
export class ItemParameters {
	private options?: CallOptions;

	constructor(
		protected readonly context: IExecuteFunctions,
		protected readonly itemIndex: number,
		private readonly resolve: ResolveField,
	) {}

	/** The resolved value of a field; empty if there is no such field. */
	parameter(name: string): unknown {
		return this.resolve(name, this.itemIndex);
	}

	/** Throws InvalidFieldError. */
	callOptions(): CallOptions {
		this.options ??= readCallOptions(this.parameter('options'));
		return this.options;
	}

	/** The number in 'Order'; undefined for the order of the credential. Throws InvalidFieldError. */
	orderNumber(): string | undefined {
		const { check } = this.callOptions();
		return readChosenOrder(this.parameter(orderField.name), { check });
	}

	/** The `orderid` of the input item, as another node of this package puts it out. */
	get inputOrder(): string | undefined {
		const { orderid } = this.context.getInputData()[this.itemIndex].json;
		return isCode(orderid) ? String(orderid) : undefined;
	}
}

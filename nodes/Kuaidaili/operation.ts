import type {
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import { keyPairFingerprint } from '../shared/credential/kuaidailiCredential';
import { accessOrder, refuseWrongOrderChoice } from '../shared/transport/orderAccess';
import { orderField, readChosenOrder, type UsableOrders } from '../shared/orders/orderField';
import type { CallError } from '../shared/errors/callErrors';
import { withOrderEnd } from '../shared/queries/orderDetails';
import { isCode } from '../shared/guards';
import type { RunQuery } from '../shared/queries/query';
import { nodeApiClient, type ApiClient, type NodeApiClient } from '../shared/transport/apiClient';
import { runQuery } from '../shared/transport/callService';
import { debugLog, type ExecutionScope } from '../shared/concurrency/wait';
import { comesFromTestEvent } from '../shared/testEvent';
import { isTool } from './nodeRun';
import { readCallOptions, type CallOptions } from './parameters/callOptions';

function mayDiffer(value: unknown): boolean {
	if (typeof value === 'string') return value.startsWith('=');
	return typeof value === 'object' && value !== null && Object.values(value).some(mayDiffer);
}

type ResolveField = (name: string, itemIndex: number) => unknown;

/**
 * Resolves the fields of a run. n8n takes long for that, so a field that holds no expression, which cannot differ
 * between items, is resolved once.
 */
function fieldResolver(context: IExecuteFunctions): ResolveField {
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

export function itemsOf(context: IExecuteFunctions): Item[] {
	const resolve = fieldResolver(context);
	const runKey = {};
	return context.getInputData().map((_item, index) => new Item(context, index, resolve, runKey));
}

export class Item implements ExecutionScope {
	private options?: CallOptions;

	private caller?: Promise<NodeApiClient>;

	private order?: Promise<ApiClient>;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly itemIndex: number,
		private readonly resolve: ResolveField,
		/** All items of a run have the same one: the key of what they share, in a `WeakMap`. */
		readonly runKey: object,
	) {}

	/**
	 * Makes one call with the key pair that the endpoint needs: that of the credential, or of the order in
	 * 'Order'. The item's fields should be read before: what is wrong with them is then reported before
	 * anything is sent.
	 */
	readonly run: RunQuery = async (query, parameters) => {
		const isForOrder = query.endpoint.key === 'order';
		const caller = isForOrder ? await this.orderCaller() : await this.credentialCaller();
		return await runQuery(caller, query, parameters).catch(async (error: unknown) => {
			const { credential } = await this.credentialCaller();
			throw await withOrderEnd(error, this.run, keyPairFingerprint(credential), this.signal);
		});
	};

	get signal(): AbortSignal | undefined {
		const signal = this.context.getExecutionCancelSignal?.();
		// One of its own for each who waits: with very many listeners, Node.js warns of a leak
		return signal === undefined ? undefined : AbortSignal.any([signal]);
	}

	get log(): ExecutionScope['log'] {
		return debugLog(this.context);
	}

	/** Whether an AI agent called the node as its tool, so that a model reads the output. */
	get isForAgent(): boolean {
		return isTool(this.context);
	}

	/** Whether a test of Kuaidaili Trigger brought it, which must not change anything of an order. */
	get isTest(): boolean {
		const { json } = this.context.getInputData()[this.itemIndex];
		return comesFromTestEvent(this.context, json, this.isForAgent);
	}

	/** Tells the key pairs of orders apart without containing them. Throws what getting one throws. */
	readonly orderKey = async (): Promise<string> =>
		keyPairFingerprint((await this.orderCaller()).credential);

	get inputOrder(): string | undefined {
		const { orderid } = this.context.getInputData()[this.itemIndex].json;
		return isCode(orderid) ? String(orderid) : undefined;
	}

	/** The resolved value of a field; empty if there is no such field. */
	parameter(name: string): unknown {
		return this.resolve(name, this.itemIndex);
	}

	get isManual(): boolean {
		return this.context.getMode() === 'manual';
	}

	/** Data that n8n saves with the workflow after each production run, and not after one in the editor. */
	workflowMemory(): IDataObject {
		return this.context.getWorkflowStaticData('global');
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

	/** The number in 'Order', if it can be reached with the key pair of the credential. Throws InvalidFieldError. */
	async reachableOrder(): Promise<string | undefined> {
		const orderid = this.orderNumber();
		const { credential } = await this.credentialCaller();
		refuseWrongOrderChoice(credential, orderid);
		return orderid;
	}

	private async orderCaller(): Promise<ApiClient> {
		const access = async () => {
			const orderid = this.orderNumber();
			return await accessOrder(await this.credentialCaller(), orderid);
		};
		this.order ??= access();
		return await this.order;
	}

	/** With the key pair of the credential. */
	async credentialCaller(): Promise<NodeApiClient> {
		this.caller ??= nodeApiClient(this.context, this.callOptions().timeoutMs, this.itemIndex);
		return await this.caller;
	}
}

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
	/** Which orders 'Order' offers; all active ones if not given. */
	readonly orders?: UsableOrders;
	/** Only for operations that spend money: the field of the output that says whether it was done. */
	readonly done?: 'created' | 'renewed';
	/** Set for operations that cannot be undone; no resource opens with one. */
	readonly irreversible?: true;
}

export type ItemOutcome =
	| { readonly result: OperationResult }
	/** `known` is put out beside the error, where n8n lets it be, and `details` in a field of that name. */
	| { readonly error: unknown; readonly known?: IDataObject; readonly details?: IDataObject };

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

/** All but those that spend money. */
export interface RunOperation extends OperationBase {
	executeAll(context: IExecuteFunctions, items: readonly Item[]): Promise<RunOutcome>;
}

import type { IDataObject, IExecuteFunctions, INodeParameters } from 'n8n-workflow';

import { keyPairFingerprint } from '../../shared/credential/kuaidailiCredential';
import {
	accessOrder,
	refuseWrongOrderChoice,
	type OrderAccess,
} from '../../shared/orders/orderAccess';
import { orderField, readChosenOrder } from '../../shared/orders/orderField';
import { noteEnd } from '../../shared/queries/orderFacts';
import type { Endpoint } from '../../shared/service/endpoint';
import type { RunExtraction, RunQuery } from '../../shared/service/query';
import { executionCaller, type Caller, type NodeCaller } from '../../shared/transport/caller';
import { runExtraction, runQuery } from '../../shared/transport/callService';
import { debugLog } from '../../shared/concurrency/wait';
import { comesFromTestEvent } from '../../shared/testEvent';
import { isTool } from '../nodeRun';
import { readCallOptions, type CallOptions } from '../parameters/callOptions';
import type { Item } from '../operation';

function mayDiffer(value: unknown): boolean {
	if (typeof value === 'string') return value.startsWith('=');
	return typeof value === 'object' && value !== null && Object.values(value).some(mayDiffer);
}

/**
 * Reads the fields of a run. n8n takes long to resolve one, so a field that holds no expression, which cannot differ
 * between items, is resolved once.
 */
class RunFields {
	private readonly constants = new Map<string, unknown>();

	/** As they were entered, with the presets of those that were not. */
	private readonly entered: INodeParameters;

	constructor(private readonly context: IExecuteFunctions) {
		this.entered = context.getNode().parameters;
	}

	resolve(name: string, itemIndex: number): unknown {
		if (this.constants.has(name)) return this.constants.get(name);
		const value: unknown = this.context.getNodeParameter(name, itemIndex, '');
		if (!mayDiffer(this.entered[name])) this.constants.set(name, value);
		return value;
	}
}

export function itemsOf(context: IExecuteFunctions): ItemContext[] {
	const fields = new RunFields(context);
	return context.getInputData().map((_item, index) => new ItemContext(context, index, fields));
}

class ItemContext implements Item {
	private options?: CallOptions;

	private caller?: Promise<NodeCaller>;

	private order?: Promise<OrderAccess>;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly itemIndex: number,
		private readonly fields: RunFields,
	) {}

	readonly run: RunQuery = async (query, parameters) =>
		await this.explained(runQuery(await this.callerFor(query.endpoint), query, parameters));

	readonly extract: RunExtraction = async (query, parameters) =>
		await this.explained(runExtraction(await this.callerFor(query.endpoint), query, parameters));

	get signal(): AbortSignal | undefined {
		const signal = this.context.getExecutionCancelSignal?.();
		// One of its own for each who waits: with very many listeners, Node.js warns of a leak
		return signal === undefined ? undefined : AbortSignal.any([signal]);
	}

	get log(): Item['log'] {
		return debugLog(this.context);
	}

	get isForAgent(): boolean {
		return isTool(this.context);
	}

	get isTest(): boolean {
		const { json } = this.context.getInputData()[this.itemIndex];
		return comesFromTestEvent(this.context, json);
	}

	readonly orderKey = async (): Promise<string> => {
		this.order ??= this.accessOrder();
		return keyPairFingerprint((await this.order).caller.credential);
	};

	parameter(name: string): unknown {
		return this.fields.resolve(name, this.itemIndex);
	}

	get isManual(): boolean {
		return this.context.getMode() === 'manual';
	}

	workflowMemory(): IDataObject {
		return this.context.getWorkflowStaticData('global');
	}

	callOptions(): CallOptions {
		this.options ??= readCallOptions(this.parameter('options'));
		return this.options;
	}

	orderNumber(): string | undefined {
		const { check } = this.callOptions();
		return readChosenOrder(this.parameter(orderField.name), { check });
	}

	async reachableOrder(): Promise<string | undefined> {
		const orderid = this.orderNumber();
		const { credential } = await this.credentialCaller();
		refuseWrongOrderChoice(credential, orderid);
		return orderid;
	}

	private async explained<T>(call: Promise<T>): Promise<T> {
		return await call.catch(async (error: unknown): Promise<never> => {
			const { credential } = await this.credentialCaller();
			await noteEnd(error, this.run, keyPairFingerprint(credential));
			throw error;
		});
	}

	private async callerFor({ key }: Endpoint): Promise<Caller> {
		if (key !== 'order') return await this.credentialCaller();
		this.order ??= this.accessOrder();
		return (await this.order).caller;
	}

	private async accessOrder(): Promise<OrderAccess> {
		const orderid = this.orderNumber();
		return await accessOrder(await this.credentialCaller(), orderid);
	}

	private async credentialCaller(): Promise<NodeCaller> {
		this.caller ??= executionCaller(this.context, this.itemIndex, this.callOptions().timeoutMs);
		return await this.caller;
	}
}

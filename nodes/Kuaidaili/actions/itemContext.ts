import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

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

export function itemsOf(context: IExecuteFunctions): ItemContext[] {
	const resolve = fieldResolver(context);
	return context.getInputData().map((_item, index) => new ItemContext(context, index, resolve));
}

/** What there is of an item whatever the operation. */
export class ItemContext implements Item {
	private options?: CallOptions;

	private caller?: Promise<NodeCaller>;

	private order?: Promise<OrderAccess>;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly itemIndex: number,
		private readonly resolve: ResolveField,
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

	readonly orderKey = async (): Promise<string> =>
		keyPairFingerprint((await this.orderAccess()).caller.credential);

	parameter(name: string): unknown {
		return this.resolve(name, this.itemIndex);
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
		return key === 'order' ? (await this.orderAccess()).caller : await this.credentialCaller();
	}

	private async orderAccess(): Promise<OrderAccess> {
		const access = async () => {
			const orderid = this.orderNumber();
			return await accessOrder(await this.credentialCaller(), orderid);
		};
		this.order ??= access();
		return await this.order;
	}

	/** With the key pair of the credential. */
	async credentialCaller(): Promise<NodeCaller> {
		this.caller ??= executionCaller(this.context, this.itemIndex, this.callOptions().timeoutMs);
		return await this.caller;
	}
}

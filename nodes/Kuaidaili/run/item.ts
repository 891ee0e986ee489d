import type { IDataObject, IExecuteFunctions, INodeParameters } from 'n8n-workflow';

import { type RunQuery, runQuery } from '../../shared/api/call';
import { keyPairFingerprint } from '../../shared/api/sign';
import { isCode } from '../../shared/guards';
import { withOrderEnd } from '../../shared/orders/queries';
import {
	readChosenOrder,
	refuseWrongOrderChoice,
	accessOrder,
} from '../../shared/orders/orderField';
import type { Endpoint } from '../../shared/service/endpoint';
import { isTestEvent } from './testEvent';
import { nodeApiClient, type NodeApiClient, type ApiClient } from '../../shared/api/client';
import { rateLimiter, rateLimitKey } from '../../shared/api/rateLimiter';
import { readCallOptions, type CallOptions } from '../parameters/callOptions';
import { isTool } from './nodeRun';

function mayDiffer(value: unknown): boolean {
	if (typeof value === 'string') return value.startsWith('=');
	return typeof value === 'object' && value !== null && Object.values(value).some(mayDiffer);
}

/** Whether a field other than one may differ between the items of a run. */
export function otherFieldsMayDiffer(context: IExecuteFunctions, field: string): boolean {
	const fields = Object.entries(context.getNode().parameters);
	return fields.some(([name, value]) => name !== field && mayDiffer(value));
}

/** An input item in a run of the node: its fields, its calls, and how it came. */
export class Item {
	private options?: CallOptions;

	private client?: Promise<NodeApiClient>;

	private order?: Promise<ApiClient>;

	/**
	 * @param context of the run, which all its items share, as they do the following
	 * @param entered the fields as they were entered, with the presets of those that were not
	 * @param constants values of fields that are the same for all items
	 */
	constructor(
		readonly context: IExecuteFunctions,
		readonly index: number,
		private readonly entered: INodeParameters,
		private readonly constants: Map<string, unknown>,
	) {}

	/**
	 * The resolved value of a field; empty if there is no such field. n8n takes long for that, so a field that holds no
	 * expression, which cannot differ between items, is resolved once.
	 */
	readonly parameter = (name: string): unknown => {
		const { context, index, entered, constants } = this;
		if (constants.has(name)) return constants.get(name);
		const value: unknown = context.getNodeParameter(name, index, '');
		if (!mayDiffer(entered[name])) constants.set(name, value);
		return value;
	};

	/** Throws InvalidFieldError. */
	callOptions(): CallOptions {
		this.options ??= readCallOptions(this.parameter('options'));
		return this.options;
	}

	/** The number in 'Order', if it can be reached with the key pair of the credential. Throws InvalidFieldError. */
	async reachableOrder(): Promise<string | undefined> {
		const orderid = readChosenOrder(this.parameter);
		const { credential } = await this.credentialClient();
		refuseWrongOrderChoice(credential, orderid);
		return orderid;
	}

	/**
	 * Makes one call with the key pair that the endpoint needs: that of the credential, or of the order in
	 * 'Order'. The item's fields should be read before: what is wrong with them is then reported before
	 * anything is sent.
	 */
	readonly ask: RunQuery = async (query, parameters) => {
		const isForOrder = query.endpoint.key === 'order';
		const client = isForOrder ? await this.orderClient() : await this.credentialClient();
		return await runQuery(client, query, parameters).catch(async (error: unknown) => {
			const { credential } = await this.credentialClient();
			throw await withOrderEnd(error, this.ask, keyPairFingerprint(credential), this.signal);
		});
	};

	/** Tells the key pairs of orders apart without containing them. Throws what getting one throws. */
	readonly orderKey = async (): Promise<string> =>
		keyPairFingerprint((await this.orderClient()).credential);

	/** A client with the key pair of the credential. */
	async credentialClient(): Promise<NodeApiClient> {
		this.client ??= nodeApiClient(this.context, this.callOptions().timeoutMs, this.index);
		return await this.client;
	}

	private async orderClient(): Promise<ApiClient> {
		const client = await this.credentialClient();
		this.order ??= accessOrder(client, readChosenOrder(this.parameter));
		return await this.order;
	}

	/**
	 * Resolves when a call of an endpoint of the order could leave at once; it takes no slot.
	 *
	 * @throws CancelledError, and what getting the key pair throws
	 */
	async untilCallable(endpoint: Endpoint, signal?: AbortSignal): Promise<void> {
		const { credential } = await this.orderClient();
		await rateLimiter.untilFree(rateLimitKey(credential, endpoint), signal);
	}

	get signal(): AbortSignal | undefined {
		const signal = this.context.getExecutionCancelSignal?.();
		// One of its own for each who waits: with very many listeners, Node.js warns of a leak
		return signal === undefined ? undefined : AbortSignal.any([signal]);
	}

	private get json(): IDataObject {
		return this.context.getInputData()[this.index].json;
	}

	/** Whether an AI agent called the node as its tool, so that a model reads the output. */
	get isForAgent(): boolean {
		return isTool(this.context);
	}

	/** Whether a test of Kuaidaili Trigger brought it, which must not change anything of an order. */
	get isTest(): boolean {
		return isTestEvent(this.json);
	}

	/** The `orderid` of the input item, as another node of this package puts it out. */
	get inputOrder(): string | undefined {
		const { orderid } = this.json;
		return isCode(orderid) ? String(orderid) : undefined;
	}
}

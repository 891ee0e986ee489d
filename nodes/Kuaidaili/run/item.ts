import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { comesFromTestEvent } from '../../shared/testEvent';
import { isTool } from './nodeRun';
import { ItemClient } from './itemClient';
import { fieldResolver, type ResolveField } from './itemParameters';

/** An input item in a run of the node: its parameters, its calls, and how it came. */
export class Item extends ItemClient {
	constructor(
		context: IExecuteFunctions,
		itemIndex: number,
		resolve: ResolveField,
		/** All items of a run have the same one: the key of what they share, in a `WeakMap`. */
		readonly runKey: object,
	) {
		super(context, itemIndex, resolve);
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

	get isManual(): boolean {
		return this.context.getMode() === 'manual';
	}

	/** Data that n8n saves with the workflow after each production run, and not after one in the editor. */
	workflowMemory(): IDataObject {
		return this.context.getWorkflowStaticData('global');
	}
}

export function itemsOf(context: IExecuteFunctions): Item[] {
	const resolve = fieldResolver(context);
	const runKey = {};
	return context.getInputData().map((_item, index) => new Item(context, index, resolve, runKey));
}

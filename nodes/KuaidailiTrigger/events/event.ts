import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import type { CallError } from '../../shared/api/errors';
import type { UnknownRecord } from '../../shared/guards';
import type { UsableOrders } from '../../shared/orders/orderField';
import type { NodeApiClient } from '../../shared/api/client';

/** A trigger's memory of its earlier polls; both are undefined at first. */
export interface PollMemory {
	/** The state that n8n keeps: of the last poll that emitted something, or of a later one. */
	readonly saved: UnknownRecord | undefined;
	/** The state that the last poll in this process left, whether n8n has kept it, or has even thrown the poll away. */
	readonly own: UnknownRecord | undefined;
}

export interface EventSnapshot {
	/**
	 * Tells what has not been emitted yet, and the state to remember. Synchronous on purpose: two polls that
	 * overlap must not emit the same.
	 */
	poll(memory: PollMemory): {
		readonly records: readonly IDataObject[];
		/** Plain data; n8n saves it with the workflow. */
		readonly state: IDataObject;
		/** Sentences for the log of n8n, each every three hours. */
		readonly warnings?: readonly string[];
		/** Fails a poll that has nothing to tell, every three hours. */
		readonly failure?: CallError;
	};
	/**
	 * The records that a test of the trigger shows: real data where there is any, emitted before or not.
	 *
	 * @throws DescribedError when there is nothing to show
	 */
	sample(): readonly IDataObject[];
}

export interface TriggerEvent {
	readonly option: INodePropertyOptions & { readonly value: string };
	/** Fields without display options; those are added for the event. */
	readonly properties: readonly INodeProperties[];
	/** The orders that 'Order' offers, where the event has it. */
	readonly orders?: UsableOrders;
	/** @param client its signal aborts when the time of the poll is over */
	fetchSnapshot(
		client: NodeApiClient,
		valueOf: (name: string) => unknown,
		memory: PollMemory,
	): Promise<EventSnapshot>;
}

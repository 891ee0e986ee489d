import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import type { UnknownRecord } from '../../shared/guards';
import type { NodeCaller } from '../../shared/transport/nodeCaller';

/** What a look at the service showed. */
export interface Sight {
	/**
	 * What has not been told yet, and what has to be remembered from now on. It does not wait for
	 * anything: two looks that overlap must not tell the same.
	 *
	 * @param memory as an earlier `news` left it; undefined at first
	 */
	news(memory: UnknownRecord | undefined): News;
	/** What the user sees when trying the trigger out: real data, told or not. */
	sample(): readonly IDataObject[];
}

export interface News {
	readonly records: readonly IDataObject[];
	/** Plain data; n8n saves it with the workflow. */
	readonly memory: IDataObject;
}

/** Something that starts a workflow. */
export interface TriggerEvent {
	readonly option: INodePropertyOptions & { readonly value: string };
	/** Without display options; those are added for the event. */
	readonly properties: readonly INodeProperties[];
	/** What to say when there is nothing to try the trigger out with; without a full stop. */
	readonly nothing: string;
	/**
	 * @throws FieldRefusedError and what `callService` throws
	 */
	look(
		caller: NodeCaller,
		valueOf: (name: string) => unknown,
		memory: UnknownRecord | undefined,
	): Promise<Sight>;
}

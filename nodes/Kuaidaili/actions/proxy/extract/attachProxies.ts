import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { formatNumber } from '../../../../shared/wording';
import type { OperationResult } from '../../../operation';
import type { ExtractRequest } from './extractRequest';
import { sessionOf } from './login';
import type { Obtained } from './obtainProxies';
import { hintsOf } from './output';
import type { Extraction } from './product';

/** Items with the same settings, which share one extraction. */
export interface ItemGroup {
	/** Indexes of the items. */
	readonly members: readonly number[];
	readonly extraction: Extraction;
	readonly obtained: Promise<Obtained>;
}

/** The extraction that brings as many proxies as that many items need. */
export function extractionFor(
	{ extraction, itemsPerProxy }: ExtractRequest,
	items: number,
): Extraction {
	const needed = Math.ceil(items / itemsPerProxy);
	return extraction.isWholeList === true ? extraction : { ...extraction, total: needed };
}

/**
 * An input item as it came, with its proxy.
 *
 * @param sessionStart where the run begins to count its sessions
 * @throws what the extraction of its group throws
 */
export async function attachProxy(
	{ json, binary }: INodeExecutionData,
	itemIndex: number,
	{ proxyField, itemsPerProxy }: ExtractRequest,
	group: ItemGroup,
	sessionStart: number,
): Promise<OperationResult | undefined> {
	const { extracted, finish } = await group.obtained;
	const { proxies } = extracted;
	if (proxies.length === 0) return undefined;
	const position = group.members.indexOf(itemIndex);
	const turn = Math.floor(position / itemsPerProxy);
	const { wishesWith, isShared } = group.extraction;
	// By the index of the item: turns of another group have the same numbers
	const session = sessionOf(sessionStart, group.members[turn * itemsPerProxy]);
	const proxy = finish(proxies[turn % proxies.length], wishesWith?.(session));
	const { proxyUrl, ...proxyDetails } = proxy;
	const record: IDataObject = { ...json, [proxyField]: proxyUrl, proxyDetails };

	const needed = Math.ceil(group.members.length / itemsPerProxy);
	const isShort = isShared !== true && proxies.length < needed;
	const takeTurns = `${formatNumber(group.members.length)} items take turns with ${formatNumber(proxies.length)} proxies.`;
	const hints = [hintsOf(extracted, group.extraction), isShort ? takeTurns : undefined];
	const hint = hints.filter(Boolean).join(' ') || undefined;
	const { endedBy } = extracted;
	const isFirst = position === 0;
	return {
		records: [record],
		binary,
		hint: isFirst ? hint : undefined,
		failure: isFirst && typeof endedBy === 'object' ? endedBy : undefined,
	};
}

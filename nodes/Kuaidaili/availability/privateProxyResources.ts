import type { FlatParameters } from '../../shared/credential/signature';
import { ownValue, type UnknownRecord } from '../../shared/guards';
import { DPS_RESOURCES } from '../../shared/service/endpoints/availability';
import { callService, type Caller } from '../../shared/transport/callService';
import { isCode, parseRecords } from '../../shared/transport/parseRecords';

/** A region and a carrier for the private proxies of an order. */
export type PrivateProxyResource = UnknownRecord & {
	readonly area_code: string | number;
	readonly area_name: string;
	readonly available: boolean;
};

function isPrivateProxyResource(record: UnknownRecord): record is PrivateProxyResource {
	return (
		isCode(ownValue(record, 'area_code')) &&
		typeof ownValue(record, 'area_name') === 'string' &&
		typeof ownValue(record, 'available') === 'boolean'
	);
}

/**
 * Asks which regions and carriers the order of the key pair can use.
 *
 * @param parameters where wanted `area` and `carrier`
 * @throws what `callService` throws
 */
export async function fetchPrivateProxyResources(
	caller: Caller,
	parameters: FlatParameters,
): Promise<PrivateProxyResource[]> {
	const answer = await callService(caller, { endpoint: DPS_RESOURCES, parameters });
	return parseRecords(answer, isPrivateProxyResource, caller.secrets());
}

import { ownValue, type UnknownRecord } from '../../shared/guards';
import { DPS_RESOURCES } from '../../shared/service/endpoints/availability';
import type { Query } from '../../shared/service/query';
import { isCode, parseRecords } from '../../shared/response/parseRecords';

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

/** Regions and carriers that the order of the key pair can use. Takes `area` and `carrier`, where wanted. */
export const privateProxyResources: Query<PrivateProxyResource[]> = {
	endpoint: DPS_RESOURCES,
	parse: (answer, secrets) => parseRecords(answer, isPrivateProxyResource, secrets),
};

import type { Conditions } from '../../../../shared/fields/conditions';
import type { ServiceField } from '../../../../shared/fields/field';
import { region } from '../../../../shared/fields/areaNameKinds';
import {
	resourceLocator,
	TYPED_MODE,
	choice,
	typedAmount,
	type ValueKind,
} from '../../../../shared/fields/valueKinds';
import {
	KPS_BANDWIDTHS,
	KPS_DYNAMIC,
	KPS_DYNAMIC_BANDWIDTHS,
	KPS_EXCLUSIVE,
	KPS_EXCLUSIVE_IPS,
	KPS_MODELS,
	KPS_SERIES,
	KPS_SHARED,
	KPS_SHARED_IPS,
} from '../../../../shared/service/orderTerms';
import { variant, whitelistSize } from './privateProxyFields';

function bandwidth(when: Conditions, values: readonly number[]): ServiceField {
	return variant(when, {
		serviceName: 'kps.max_bandwidth',
		displayName: 'Max Bandwidth',
		description: 'The bandwidth of each IP. Dynamic IPs have 1 Mb/s only.',
		kind: choice(values.map((value) => ({ value, name: `${value} Mb/s` }))),
	});
}

export const SHARED = { product: ['KPS'], kpsSerie: [KPS_SHARED] };
export const EXCLUSIVE = { product: ['KPS'], kpsSerie: [KPS_EXCLUSIVE] };
const STATIC_MODELS = KPS_MODELS.map(({ value }) => value).filter((value) => value !== KPS_DYNAMIC);

const CITY_LOCATOR = {
	method: 'searchCitiesForOrder',
	listPlaceholder: 'Any city',
	typedLabel: 'Name',
	typedPlaceholder: 'e.g. Hangzhou, 杭州, or 3301',
};
const cityFromList = resourceLocator(region, CITY_LOCATOR);

function city(when: Conditions, kind: ValueKind): ServiceField {
	const description = 'Where the IPs are; empty for any city';
	return variant(when, { serviceName: 'kps.city', displayName: 'City', description, kind }, false);
}

export const DEDICATED_PROXY_FIELDS: readonly ServiceField[] = [
	variant(
		{ product: ['KPS'] },
		{
			serviceName: 'kps.serie',
			displayName: 'Series',
			description: 'Whether other customers use the same IPs',
			kind: choice(KPS_SERIES),
		},
	),
	variant(SHARED, {
		serviceName: 'kps.model',
		displayName: 'Model',
		description: 'Whether the IPs change',
		kind: choice(KPS_MODELS),
	}),
	city(EXCLUSIVE, cityFromList),
	city({ ...SHARED, kpsModel: STATIC_MODELS }, cityFromList),
	// The service has no list for these. The editor can leave a city that was picked for another model only
	// while there is a list, which says so
	city({ ...SHARED, kpsModel: [KPS_DYNAMIC] }, resourceLocator(region, CITY_LOCATOR, TYPED_MODE)),
	bandwidth({ ...SHARED, kpsModel: [KPS_DYNAMIC] }, KPS_DYNAMIC_BANDWIDTHS),
	bandwidth({ ...SHARED, kpsModel: STATIC_MODELS }, KPS_BANDWIDTHS),
	bandwidth(EXCLUSIVE, KPS_BANDWIDTHS),
	variant(SHARED, {
		serviceName: 'kps.ip_count',
		displayName: 'Number of IPs',
		description: 'How many IPs to order. The maximum is what the city has left.',
		kind: typedAmount(KPS_SHARED_IPS),
	}),
	variant(EXCLUSIVE, {
		serviceName: 'kps.ip_count',
		displayName: 'Number of IPs',
		description: 'How many IPs to order',
		kind: typedAmount(KPS_EXCLUSIVE_IPS),
	}),
	whitelistSize('KPS'),
];

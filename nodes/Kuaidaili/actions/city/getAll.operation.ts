import { serviceField, type ServiceField } from '../../../shared/fields/field';
import { region, resourceLocator, choice } from '../../../shared/fields/kinds';
import { dedicatedCities } from '../../../shared/orders/places';
import { KPS_BANDWIDTHS, KPS_SERIES, KPS_SHARED } from '../../../shared/service/orderTerms';
import { englishRegionName } from '../../../shared/service/regionNames';
import { withEnglishName } from '../../../shared/guards';
import { callOperation, querying } from '../../run/operation';

/** The parameters of querykpscity; it names the same things differently than createorder does. */
export const CITY_FIELDS: readonly ServiceField[] = [
	serviceField({
		serviceName: 'serie',
		displayName: 'Series',
		description: 'Whether other customers use the same IPs, as in the order',
		kind: choice(KPS_SERIES),
		required: true,
	}),
	serviceField({
		serviceName: 'kps.max_bandwidth',
		displayName: 'Max Bandwidth',
		description: 'The bandwidth of each IP. How many IPs are left depends on it.',
		kind: choice(KPS_BANDWIDTHS.map((value) => ({ name: `${value} Mb/s`, value }))),
		when: { serie: [KPS_SHARED] },
		required: true,
	}),
	serviceField({
		serviceName: 'city',
		displayName: 'City',
		description: 'Only this city, or the cities of this province. Leave empty for all.',
		kind: resourceLocator(region, {
			method: 'searchCities',
			listPlaceholder: 'All cities',
			typedLabel: 'Name',
			typedPlaceholder: 'e.g. Hangzhou or 3301',
		}),
	}),
];

export const cityGetAll = callOperation({
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many cities',
		description: 'List the cities where dedicated proxies are available, and how many are left',
	},
	work: querying(dedicatedCities),
	fields: CITY_FIELDS,
	listOf: 'cities',
	toResult: (cities) => ({
		records: cities.map((city) =>
			withEnglishName(city, 'city', englishRegionName(String(city.code))),
		),
	}),
	hintForNone: 'No city has these dedicated IPs right now. Try another bandwidth, city, or series.',
});

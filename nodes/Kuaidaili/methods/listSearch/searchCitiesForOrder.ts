import { NoListError } from '../../../shared/editor/listSearch';
import { readFields } from '../../../shared/fields/readFields';
import { KPS_STATIC } from '../../../shared/service/orderTerms';
import { ORDER_FIELDS } from '../../actions/order/create/fields';
import {
	fetchDedicatedCities,
	questionFor,
	type DedicatedCity,
} from '../../availability/dedicatedCities';
import { cityChoice, NO_CITY } from './cityChoice';
import { regionListSearch } from './regionListSearch';

/** The bandwidth is part of the question for shared static IPs only. */
const DECIDING_FIELDS = ORDER_FIELDS.filter(
	({ serviceName, when }) =>
		['kps.serie', 'kps.model'].includes(serviceName) ||
		(serviceName === 'kps.max_bandwidth' && when?.kpsModel?.includes(KPS_STATIC) === true),
);

/** Fills 'City' in Order: Create. */
export const searchCitiesForOrder = regionListSearch<DedicatedCity>({
	parameters(valueOf) {
		const order = readFields(DECIDING_FIELDS, valueOf, { given: new Map([['product', 'KPS']]) });
		const question = questionFor(order);
		if (question !== undefined) return question;
		throw new NoListError(
			"Kuaidaili has no list of cities for shared dynamic IPs. Leave the field empty for any city, or choose 'By Code' and type the code",
		);
	},
	fetch: fetchDedicatedCities,
	nothing: NO_CITY,
	toRegions: (cities) => cities.map(cityChoice),
});

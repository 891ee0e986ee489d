import { toRecord } from '../../../shared/toRecord';
import { dedicatedCities } from '../../availability/dedicatedCities';
import { callOperation } from '../callOperation';
import { CITY_FIELDS } from './fields';

export const getAllOperation = callOperation({
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many cities that have dedicated proxies',
		description: 'List the cities in which dedicated proxies can be had, and how many are left',
	},
	query: dedicatedCities,
	fields: CITY_FIELDS,
	isList: true,
	toResult: (cities) => ({ records: cities.map(toRecord) }),
	hintForNone:
		'No city has such dedicated IPs at the moment. Try another bandwidth, city or series.',
});

import { englishRegionName } from '../../../shared/service/regionNames';
import { toRecord } from '../../../shared/toRecord';
import { dedicatedCities } from '../../availability/dedicatedCities';
import { withEnglishName } from '../../availability/withEnglishName';
import { callOperation } from '../callOperation';
import { CITY_FIELDS } from './fields';

export const getAllOperation = callOperation({
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many cities',
		description: 'List the cities where dedicated proxies are available, and how many are left',
	},
	query: dedicatedCities,
	fields: CITY_FIELDS,
	isList: true,
	toResult: (cities) => ({
		records: cities.map((city) =>
			withEnglishName(toRecord(city), 'city', englishRegionName(String(city.code))),
		),
	}),
	hintForNone: 'No city has these dedicated IPs right now. Try another bandwidth, city, or series.',
});

import { readFields } from '../../../shared/fields/readFields';
import { PROVINCES } from '../../../shared/service/regionNames';
import { CITY_FIELDS } from '../../actions/city/fields';
import { fetchDedicatedCities, type DedicatedCity } from '../../availability/dedicatedCities';
import { cityChoice, NO_CITY } from './cityChoice';
import { regionListSearch, type RegionChoice } from './regionListSearch';

const QUESTION_FIELDS = CITY_FIELDS.filter(({ serviceName }) => serviceName !== 'city');

/** The provinces of these cities: the filter takes both. */
function provincesOf(cities: readonly RegionChoice[]): RegionChoice[] {
	const own = new Set(cities.map(({ code }) => code));
	const codes = new Set(cities.map(({ code }) => code.slice(0, 2)));
	return [...codes]
		.filter((code) => !own.has(code) && Object.hasOwn(PROVINCES, code))
		.map((code) => ({ code, chinese: PROVINCES[code].chinese, note: ', the whole province' }));
}

/** Fills 'City' in City: Get Many. */
export const searchCities = regionListSearch<DedicatedCity>({
	parameters: (valueOf) => readFields(QUESTION_FIELDS, valueOf),
	fetch: fetchDedicatedCities,
	nothing: NO_CITY,
	toRegions(records) {
		const cities = records.map(cityChoice);
		return [...cities, ...provincesOf(cities)];
	},
});

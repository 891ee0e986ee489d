import { NoListError } from '../../../shared/editor/listSearch';
import { readFields } from '../../../shared/fields/readFields';
import { KPS_STATIC } from '../../../shared/service/orderTerms';
import { PROVINCES } from '../../../shared/service/regionNames';
import { runQuery } from '../../../shared/transport/callService';
import { formatNumber } from '../../../shared/wording';
import { CITY_FIELDS } from '../../actions/city/fields';
import { ORDER_FIELDS } from '../../actions/order/create/fields';
import {
	dedicatedCities,
	ipsLeftIn,
	questionFor,
	type DedicatedCity,
} from '../../availability/dedicatedCities';
import { regionListSearch, type RegionChoice } from './regionListSearch';

const NO_CITY = 'No city has these dedicated IPs right now';

function cityChoice(city: DedicatedCity): RegionChoice {
	const left = ipsLeftIn(city);
	const note = left === undefined ? undefined : `, ${formatNumber(left)} left`;
	return { code: String(city.code), chinese: city.name, note };
}

const QUESTION_FIELDS = CITY_FIELDS.filter(({ serviceName }) => serviceName !== 'city');

/** The provinces of these cities, because the filter accepts both. */
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
	fetch: async (caller, parameters) => await runQuery(caller, dedicatedCities, parameters),
	nothing: NO_CITY,
	toRegions(records) {
		const cities = records.map(cityChoice);
		return [...cities, ...provincesOf(cities)];
	},
});

/** The lookup takes the bandwidth for shared static IPs only. */
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
			"Kuaidaili has no list of cities for shared dynamic IPs. Leave the field empty for any city, or choose 'By Code' and enter the code",
		);
	},
	fetch: async (caller, parameters) => await runQuery(caller, dedicatedCities, parameters),
	nothing: NO_CITY,
	toRegions: (cities) => cities.map(cityChoice),
});

import {
	asking,
	listSearchMethod,
	NoListError,
	type Choice,
	orderListSearch,
} from '../shared/searchedList';
import { FieldReader, readField } from '../shared/fields/reader';
import { orderField, readChosenOrder, accessOrder } from '../shared/orders/orderField';
import {
	dedicatedCities,
	ipsLeftIn,
	overseasDynamicAreas,
	overseasDynamicCountries,
	questionFor,
	tunnelProProvinces,
	type DedicatedCity,
	type NamedArea,
	privateProxyResources,
	type PrivateProxyResource,
} from '../shared/orders/places';
import { KPS_STATIC } from '../shared/service/orderTerms';
import { countryName, PROVINCES, englishRegionName } from '../shared/service/regionNames';
import { runQuery } from '../shared/api/call';
import { alphabetically, formatNumber } from '../shared/wording';
import { CITY_FIELDS } from './actions/city/getAll.operation';
import { ORDER_FIELDS } from './actions/order/create/fields';
import { countryField } from './proxies/products/overseas';
import { findOperation } from './actions/resources';

export interface Region {
	readonly code: string;
	/** Chinese, as the service names it. */
	readonly name: string;
	/** A note behind the name, such as ", 12 left". */
	readonly note?: string;
}

function label({ code, name }: Region, english: string | undefined): string {
	return [english, name, `(${code})`].filter(Boolean).join(' ');
}

/** Such as "Hangzhou 杭州市 (3301)". */
export function regionLabel(region: Region): string {
	return label(region, englishRegionName(region.code));
}

/** In the order of their names. A province finds its cities. */
function regionChoices(regions: readonly Region[]): Choice[] {
	return regions
		.map((region): Choice => {
			const province = PROVINCES[region.code.slice(0, 2)];
			return {
				name: `${regionLabel(region)}${region.note ?? ''}`,
				value: region.code,
				keywords: [province?.english, province?.chinese],
			};
		})
		.sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

const NO_CITY = 'No city has these dedicated IPs right now';

function toRegion(city: DedicatedCity): Region {
	const left = ipsLeftIn(city);
	const note = left === undefined ? undefined : `, ${formatNumber(left)} left`;
	return { code: String(city.code), name: city.name, note };
}

const QUESTION_FIELDS = CITY_FIELDS.filter(({ serviceName }) => serviceName !== 'city');

/** The provinces of these cities, because the filter accepts both. */
function provincesOf(cities: readonly Region[]): Region[] {
	const own = new Set(cities.map(({ code }) => code));
	const codes = new Set(cities.map(({ code }) => code.slice(0, 2)));
	return [...codes]
		.filter((code) => !own.has(code) && Object.hasOwn(PROVINCES, code))
		.map((code) => ({ code, name: PROVINCES[code].chinese, note: ', the whole province' }));
}

/** Fills 'City' in City: Get Many. */
const searchCities = listSearchMethod<DedicatedCity[]>({
	parameters: (valueOf) => new FieldReader().read(QUESTION_FIELDS, valueOf).parameters,
	fetch: asking(dedicatedCities),
	nothing: NO_CITY,
	toChoices(records) {
		const cities = records.map(toRegion);
		return regionChoices([...cities, ...provincesOf(cities)]);
	},
});

/** The lookup takes the bandwidth for shared static IPs only. */
const DECIDING_FIELDS = ORDER_FIELDS.filter(
	({ serviceName, when }) =>
		['kps.serie', 'kps.model'].includes(serviceName) ||
		(serviceName === 'kps.max_bandwidth' && when?.kpsModel?.includes(KPS_STATIC) === true),
);

/** Fills 'City' in Order: Create. */
const searchCitiesForOrder = listSearchMethod<DedicatedCity[]>({
	parameters(valueOf) {
		const reader = new FieldReader(new Map([['product', 'KPS']]));
		const question = questionFor(reader.read(DECIDING_FIELDS, valueOf).parameters);
		if (question !== undefined) return question;
		throw new NoListError(
			"Kuaidaili has no list of cities for shared dynamic IPs. Leave the field empty for any city, or choose 'Name' and enter one",
		);
	},
	fetch: asking(dedicatedCities),
	nothing: NO_CITY,
	toChoices: (cities) => regionChoices(cities.map(toRegion)),
});

const searchOverseasCountries = listSearchMethod<NamedArea[]>({
	fetch: asking(overseasDynamicCountries),
	nothing: 'No country has overseas dynamic proxies right now',
	toChoices: (countries) =>
		countries
			.map((one) => ({ name: label(one, countryName(one.code)), value: one.code }))
			.sort((a, b) => alphabetically(a.name, b.name)),
});

/** Fills the area of overseas dynamic proxies, which belongs to a country. */
const searchOverseasAreas = listSearchMethod<string[]>({
	parameters(valueOf) {
		const region = readField(countryField, valueOf(`options.${countryField.name}`));
		if (region !== undefined) return { region };
		throw new NoListError(
			`Choose a country in '${countryField.displayName}' first, or leave this field empty for any area`,
		);
	},
	fetch: asking(overseasDynamicAreas),
	nothing: 'Kuaidaili lists no areas for this country',
	toChoices: (names) => [...names].sort(alphabetically).map((name) => ({ name, value: name })),
});

/** The areas of resources, which have a record for each carrier. */
function areasOf(resources: readonly PrivateProxyResource[]): Region[] {
	const areas = new Map<string, Region>();
	const available = new Set(
		resources.filter((one) => one.available).map(({ area_code }) => String(area_code)),
	);
	for (const { area_code, area_name: name } of resources) {
		const code = String(area_code);
		const note = available.has(code) ? undefined : ', not available now';
		areas.set(code, { code, name, note });
	}
	return [...areas.values()];
}

/** Fills 'Area' in Private Proxy Resource: Get Many. */
const searchPrivateProxyAreas = listSearchMethod({
	parameters(valueOf) {
		const orderid = readChosenOrder(valueOf);
		return orderid === undefined ? {} : { [orderField.serviceName]: orderid };
	},
	async fetch(client, { orderid }) {
		return await runQuery(await accessOrder(client, orderid), privateProxyResources);
	},
	nothing: 'The order has no areas right now',
	toChoices: (resources) => regionChoices(areasOf(resources)),
});

const searchTunnelProvinces = listSearchMethod({
	fetch: asking(tunnelProProvinces),
	nothing: 'Tunnel Pro has no provinces right now',
	toChoices: regionChoices,
});

/** Fills 'Order' with what the chosen operation can use. */
const searchOrders = orderListSearch(
	(valueOf) => findOperation(String(valueOf('resource')), String(valueOf('operation')))?.orders,
);

/** The methods by the names that the fields use. */
export const listSearch = {
	searchCities,
	searchCitiesForOrder,
	searchOrders,
	searchOverseasAreas,
	searchOverseasCountries,
	searchPrivateProxyAreas,
	searchTunnelProvinces,
};

import type { Caller } from '../accounts/store.mts';
import { OwnCodes, success } from '../answers/answer.mts';
import {
	CHINESE_AREAS,
	type NamedCode,
	plainName,
	TUNNEL_PROVINCES,
	tunnelCities,
} from '../catalogue/chineseAreas.mts';
import { areasOfCountry, COUNTRIES } from '../catalogue/countries.mts';
import type { HostName } from '../http/call.mts';
import { AVAILABILITY_CODES, OwnParameters } from '../orders/ownParameters.mts';
import { DEDICATED_BANDWIDTHS, REGION_CODE } from '../orders/ranges.mts';
import {
	type Carrier,
	carriersIn,
	citiesWith,
	type PrivateStock,
	sharedCount,
} from '../orders/stock.mts';
import type { Settings } from '../settings.mts';
import {
	anyKeyEndpoint,
	type Endpoint,
	orderEndpoint,
	type Service,
	requested,
} from './endpoint.mts';

const LOOK_UP_CODES = new OwnCodes({
	[-1]: '缺少参数',
});

interface LookUp {
	path: string;
	host: HostName;
	callsPerSecond: number;
	/** The one parameter it wants, if any. */
	parameter?: string;
	/** The whole of what is known about the value, which is empty when there is no parameter. */
	find: (value: string, settings: Settings) => unknown;
}

/** An endpoint that only reads from a table: the same for everybody, and what is unknown is no failure. */
function lookUpEndpoint({ path, host, callsPerSecond, parameter, find }: LookUp): Endpoint {
	return anyKeyEndpoint({
		path,
		hosts: [host],
		callsPerSecond,
		codes: LOOK_UP_CODES,
		answer: (use) => {
			// No code is documented for a parameter that is not known; it gets the only one there is.
			const value = requested(use, LOOK_UP_CODES, { missing: -1, wrong: -1 }, (own) =>
				// Whether an empty value counts as missing is not documented.
				parameter === undefined ? '' : own.matching(parameter, /./su),
			);
			return success(find(value, use.service.settings));
		},
	});
}

/** With and without its last word; 吉林 alone is the province, which comes before the city in the list. */
function areaNamed(name: string) {
	return (
		CHINESE_AREAS.find((area) => area.name === name) ??
		CHINESE_AREAS.find((area) => plainName(area.name) === name)
	);
}

export const getAreaCode = lookUpEndpoint({
	path: '/api/getareacode',
	host: 'base',
	callsPerSecond: 10,
	parameter: 'area',
	// By the documentation; an official SDK has area_name and area_code.
	find: (value) => {
		const { name, code } = areaNamed(value) ?? { name: '', code: '' };
		return { are_name: name, are_code: code };
	},
});

export const getFpsCountryCode = lookUpEndpoint({
	path: '/api/getfpscountrycode',
	host: 'base',
	callsPerSecond: 1,
	find: () => Object.fromEntries(COUNTRIES.map(({ code, name }) => [code, name])),
});

export const getFpsAreaCode = lookUpEndpoint({
	path: '/api/getfpsareacode',
	host: 'base',
	callsPerSecond: 1,
	parameter: 'region',
	// An empty list for a country that has none, or that does not exist: nothing is documented about it.
	find: (value) => areasOfCountry(value),
});

export const getTpsProvCode = lookUpEndpoint({
	path: '/api/gettpsprovcode',
	host: 'tps',
	callsPerSecond: 1,
	find: () => Object.fromEntries(TUNNEL_PROVINCES.map(({ code, name }) => [name, code])),
});

export const getTpsCityCode = lookUpEndpoint({
	path: '/api/gettpscitycode',
	host: 'tps',
	callsPerSecond: 1,
	parameter: 'prov',
	find: (value) => {
		// The parameter is described as "13,14", so several are taken; an unknown one adds nothing.
		const cities = value.split(',').flatMap(tunnelCities);
		// An object for whoever asks for what there is, a list for whoever does not.
		return cities.length === 0
			? []
			: Object.fromEntries(cities.map(({ code, name }) => [name, code]));
	},
});

// No parameter is required, so nothing can be missing. A parameter that is not known has no code; it
// gets the one that is otherwise unused.
const RESOURCE_CODES = new OwnCodes({
	[-1]: '参数错误',
	[-3]: '订单类型错误',
	[-4]: 'area参数错误',
	[-5]: 'carrier参数错误',
});

function wrongResource(name: string) {
	return name === 'carrier' ? RESOURCE_CODES.refusal(-5) : RESOURCE_CODES.refusal(-1, name);
}

/** Those that are named, in that order. All are the provinces and the cities of each. */
function readResourceAreas(own: OwnParameters): readonly NamedCode[] {
	const text = own.optionalText('area') ?? '';
	if (text === '') return CHINESE_AREAS;
	return [...new Set(text.split(','))].map((code) => {
		const area = CHINESE_AREAS.find((each) => each.code === code);
		if (!area) throw RESOURCE_CODES.refusal(-4, code);
		return area;
	});
}

/** One record for each carrier that is wanted and has something there, or one that says there is none. */
function recordsOf({ code, name }: NamedCode, wanted: 0 | Carrier['code'], stock: PrivateStock) {
	const area = { area_name: plainName(name), area_code: Number(code) };
	const carriers = carriersIn(stock, code).filter((each) => wanted === 0 || each.code === wanted);
	if (carriers.length === 0) {
		return [{ ...area, carrier_name: '', carrier_code: -1, available: false }];
	}
	return carriers.map((carrier) => ({
		...area,
		carrier_name: carrier.name,
		carrier_code: carrier.code,
		available: true,
	}));
}

export const dpsResources = orderEndpoint({
	path: '/api/dpsresources',
	hosts: ['dps'],
	callsPerSecond: 1,
	codes: RESOURCE_CODES,
	answer: ({ call, order, service }) => {
		if (order.product !== 'DPS') throw RESOURCE_CODES.refusal(-3);
		const own = new OwnParameters(call.parameters, {
			missing: wrongResource,
			wrong: wrongResource,
		});
		const areas = readResourceAreas(own);
		const carrier = own.choice<0 | Carrier['code']>('carrier', [0, 1, 2, 3], 0);
		if (service.settings.inapplicableParameters === 'refuse') own.nothingElse();
		return success(
			areas.flatMap((area) => recordsOf(area, carrier, service.privateStock)),
			'success',
		);
	},
});

// "Wrong order type" can only be about the order whose key is used. The query is documented as not
// for shared dynamic orders, so theirs are wrong beside those of other products.
function checkDedicated(caller: Caller): void {
	if (caller.kind === 'account') return;
	const { order } = caller;
	if (order.product !== 'KPS' || order.model === 'DYN') throw AVAILABILITY_CODES.refusal(-3);
}

function readQuery(own: OwnParameters) {
	const isShared = own.choice('serie', [1, 2]) === 1;
	const maxBandwidth = isShared ? own.choice('kps.max_bandwidth', DEDICATED_BANDWIDTHS) : undefined;
	if (isShared) own.choice('model', ['STA']);
	return { region: own.matching('city', REGION_CODE, ''), maxBandwidth };
}

function available({ region, maxBandwidth }: ReturnType<typeof readQuery>, { stock }: Service) {
	if (maxBandwidth === undefined) {
		const cities = citiesWith(stock, region, { series: 'exclusive' });
		return cities.map(({ code, name }) => ({ code, name }));
	}
	const cities = citiesWith(stock, region, { series: 'shared', maxBandwidth });
	return cities.map((city) => ({
		code: city.code,
		name: city.name,
		count: sharedCount(city, maxBandwidth),
	}));
}

export const queryKpsCity = anyKeyEndpoint({
	path: '/api/querykpscity',
	hosts: ['base'],
	callsPerSecond: 1,
	codes: AVAILABILITY_CODES,
	answer: (use) => {
		const { caller, service } = use;
		checkDedicated(caller);
		const query = requested(use, AVAILABILITY_CODES, { missing: -1, wrong: -2 }, readQuery);
		const cities = available(query, service);
		return success(cities, cities.length === 0 ? 'no available kps found' : '');
	},
});

// As with querykpscity: it can only be about the order whose key is used.
function checkOverseas(caller: Caller): void {
	if (caller.kind === 'order' && caller.order.product !== 'SFPS') {
		throw AVAILABILITY_CODES.refusal(-3);
	}
}

export const querySfpsArea = anyKeyEndpoint({
	path: '/api/querysfpsarea',
	hosts: ['base'],
	callsPerSecond: 1,
	codes: AVAILABILITY_CODES,
	answer: (use) => {
		checkOverseas(use.caller);
		const series = requested(use, AVAILABILITY_CODES, { missing: -1, wrong: -2 }, (own) =>
			own.choice('serie', [1, 2]) === 1 ? 'retail' : 'package',
		);
		// Without any it is an empty list; nothing is documented about the message then.
		return success(use.service.overseasStock[series]);
	},
});

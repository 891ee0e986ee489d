import { areaNames, choice, toggle } from '../../../shared/fields/kinds';
import { CARRIERS } from '../../../shared/service/products';
import { GET_DPS } from '../../../shared/service/endpoints/extraction';
import {
	countedProxies,
	extrasOf,
	filterPair,
	formatFields,
	maxExtractionsField,
	minimumSecondsLeftField,
	numField,
	parameter,
	reuseField,
	type ProxyProduct,
} from './product';
import { DOMESTIC_STATUSES } from '../proxyStatuses';

const num = numField(
	'How many proxies to extract, from 1 to 10,000, in calls of at most 100. Each counts against the order.',
	[10_000, 1],
);

const REPEATS =
	"Kuaidaili may give an address again as long as it lives. To get others, turn on 'Skip Already Extracted' in 'Filters'.";

const PER_IP = 'Pay-per-IP orders only.';

/** Proxies that live for some minutes or hours. What is handed out counts against the order. */
export const privateProxy: ProxyProduct = {
	code: 'DPS',
	statuses: DOMESTIC_STATUSES,
	fields: [num],
	filters: [
		...filterPair(
			'area',
			'Areas',
			`proxies from these provinces or cities: names in English or Chinese, or codes, separated by commas. ${PER_IP}`,
			areaNames('provinces or cities in China', { withCodes: true }),
			{ placeholders: ['e.g. Chengdu,Jinan', 'e.g. Shanghai'], required: true },
		),
		parameter(
			'carrier',
			'Carrier',
			`Only proxies in the network of this carrier. ${PER_IP}`,
			choice([{ name: 'Any', value: 0 }, ...CARRIERS], { neutral: '0' }),
		),
		parameter(
			'dedup',
			'Skip Already Extracted',
			'Whether to leave out addresses that this order has extracted today',
			toggle({ preset: true, sendsOff: false }),
		),
	],
	extras: extrasOf(['region', 'cityCode', 'carrier']),
	options: [reuseField, minimumSecondsLeftField, ...formatFields(), maxExtractionsField],
	toExtraction(reader) {
		const counted = countedProxies(GET_DPS, reader, num);
		const { area, area_ex: areaEx, carrier = '0' } = counted.parameters;
		return {
			...counted,
			needsPayPerIp: area !== undefined || areaEx !== undefined || carrier !== '0',
			// How long each lives is asked for in any case
			parameters: { ...counted.parameters, f_et: '1' },
			repeatsBecause: counted.parameters.dedup === undefined ? REPEATS : undefined,
			whereCounted: "'Order: Get IP Balance' shows how many are left.",
		};
	},
};

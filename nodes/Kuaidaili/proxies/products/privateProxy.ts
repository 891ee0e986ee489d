import { areaNames } from '../../../shared/fields/areaNameKinds';
import { choice, flag, wholeNumber } from '../../../shared/fields/valueKinds';
import { CARRIERS } from '../../../shared/service/products';
import { GET_DPS } from '../../../shared/service/endpoints/extraction';
import {
	extrasOf,
	formatField,
	maxExtractionsField,
	minimumSecondsLeftField,
	parameter,
	readTotal,
	reuseField,
	reuseOf,
	sepField,
	type ExtractProduct,
} from './product';

/** Not documented; the vendor advises to ask for few at a time. */
const MOST_PER_CALL = 100;

const numField = parameter(
	'num',
	'Number of Proxies',
	'How many proxies to extract, from 1 to 10,000, in calls of at most 100. Each counts against the order.',
	wholeNumber(1, 10_000, 1),
	{ required: true },
);

const REPEATS =
	"Kuaidaili may give an address again as long as it lives. To get others, turn on 'Skip Already Extracted' in 'Filters'.";

const PER_IP = 'Pay-per-IP orders only.';

const areas = areaNames({ of: 'provinces or cities in China', withCodes: true });

/** Proxies that live for some minutes or hours. What is handed out counts against the order. */
export const privateProxy: ExtractProduct = {
	value: 'DPS',
	fields: [numField, reuseField, minimumSecondsLeftField],
	filters: [
		parameter(
			'area',
			'Areas',
			`Only proxies from these provinces or cities: names in English or Chinese, or codes, separated by commas. ${PER_IP}`,
			areas,
			{ placeholder: 'e.g. Chengdu,济南', required: true },
		),
		parameter(
			'area_ex',
			'Areas to Exclude',
			`No proxies from these provinces or cities: names in English or Chinese, or codes, separated by commas. ${PER_IP}`,
			areas,
			{ placeholder: 'e.g. Shanghai', required: true },
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
			flag,
		),
	],
	extras: extrasOf(['region', 'cityCode', 'secondsLeft', 'carrier']).map((extra) =>
		extra.output === 'secondsLeft' ? { ...extra, isAlwaysSent: true } : extra,
	),
	options: [formatField(), sepField, maxExtractionsField],
	toExtraction(reader) {
		const { num, ...parameters } = reader.parameters;
		return {
			endpoint: GET_DPS,
			parameters: { format: 'json', ...parameters, f_et: '1' },
			total: readTotal(numField, num),
			cap: MOST_PER_CALL,
			intervalMs: GET_DPS.intervalMs,
			usesQuota: true,
			login: 'order',
			reuse: reuseOf(reader),
			repeatsBecause: parameters.dedup === undefined ? REPEATS : undefined,
			whereCounted: "'Order: Get IP Balance' shows how many are left.",
		};
	},
};

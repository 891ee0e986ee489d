import type { Field } from '../../../shared/fields/field';
import { choice, textKind, number } from '../../../shared/fields/kinds';
import { ownValue } from '../../../shared/guards';
import { GET_KPS, GET_KPS_BY_ID } from '../../../shared/service/endpoints/extraction';
import type { ExtractionAnswer } from '../../../shared/service/wireTypes';
import { InvalidResponseError } from '../../../shared/api/errors';
import {
	extrasOf,
	formatFields,
	NUM,
	NUM_IS_ASKED,
	parameter,
	ptField,
	type Extraction,
	type ProxyProduct,
} from './product';
import { readProxyEntry, type ExtractedProxy } from '../entries';
import { DOMESTIC_STATUSES } from '../proxyStatuses';

const kpsByField: Field = {
	name: 'kpsBy',
	displayName: 'Choose By',
	description: "Which of the order's proxies to get",
	required: true,
	kind: choice(
		[
			{ name: 'ID', value: 'id', description: 'One proxy, by its ID in the member center' },
			{ name: 'List', value: 'list', description: 'All proxies of the order, or some of them' },
		],
		{ preset: 'list' },
	),
};

const LIST = { [kpsByField.name]: ['list'] };

const idField = parameter(
	'f_id',
	'ID',
	"The ID of the proxy, which the member center shows on the order's page",
	textKind('an ID, such as lrps-49994', (text) => /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/.test(text)),
	{ placeholder: 'e.g. lrps-49994', required: true, when: { [kpsByField.name]: ['id'] } },
);

const dedicatedNumField = parameter(
	NUM,
	'Number of Proxies',
	'How many proxies to get. Enter 0 for all.',
	number({ min: 0, max: 1000, preset: 0 }),
	{ when: { ...NUM_IS_ASKED, ...LIST } },
);

/** The number that means all to the service. */
const ALL = 1000;

const dedicatedSortField = parameter(
	'sort',
	'Sort',
	'The order of the proxies',
	choice(
		[
			{ name: 'Fixed', value: 1 },
			{ name: 'Random', value: 0 },
		],
		{ neutral: '0', preset: 0 },
	),
	{ when: LIST },
);

/** The endpoint is described as answering in the text format, too. */
function readMachine({ data, plainText }: ExtractionAnswer): ExtractedProxy[] {
	const [ip, port] = ['ip', 'port'].map((name) => String(ownValue(data, name)));
	const host = ip.includes(':') && !ip.startsWith('[') ? `[${ip}]` : ip;
	const proxy = readProxyEntry(plainText ?? `${host}:${port}`, []);
	if (proxy === undefined) throw new InvalidResponseError('holds no proxy', '');
	const publicIp = ownValue(data, 'public_ip');
	return [typeof publicIp === 'string' && publicIp !== '' ? { ...proxy, publicIp } : proxy];
}

/** Proxies that an order has for itself. */
export const dedicatedProxy: ProxyProduct = {
	code: 'KPS',
	statuses: DOMESTIC_STATUSES,
	fields: [kpsByField, idField, dedicatedNumField],
	extras: extrasOf(['region', 'cityCode', 'secondsLeft', 'carrier'], LIST),
	options: [ptField, ...formatFields(), dedicatedSortField].map((field) => ({
		...field,
		when: { ...field.when, ...LIST },
	})),
	toExtraction(reader): Extraction {
		const { num = '0', ...parameters } = reader.parameters;
		const common = { isWholeList: true, login: 'order' } as const;
		if (reader.textOf(kpsByField.name) === 'id') {
			return {
				...common,
				endpoint: GET_KPS_BY_ID,
				parameters: { f_id: parameters.f_id },
				total: 1,
				parse: readMachine,
			};
		}
		const isAll = Number(num) === 0;
		return {
			...common,
			endpoint: GET_KPS,
			parameters: { format: 'json', ...parameters, num: isAll ? String(ALL) : num },
			total: isAll ? Infinity : Number(num),
		};
	},
};

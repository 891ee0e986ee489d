import type { Field } from '../../../shared/fields/field';
import { choice, placeOf, number } from '../../../shared/fields/kinds';
import { GET_FPS, GET_FPS_IP, GET_SFPS } from '../../../shared/service/endpoints/extraction';
import { countries, oneCountry, overseasArea } from '../../parameters/overseasFields';
import {
	countedProxies,
	EVERY_REQUEST,
	formatFields,
	maxExtractionsField,
	minimumSecondsLeftField,
	numField,
	parameter,
	ptField,
	reuseField,
	SESSION_MINUTES,
	sessionMinutesField,
	tunnelAddress,
	type ProxyProduct,
} from './product';
import { withSuffixes } from '../logins';
import { COMMON_STATUSES, proxyStatus, type ProxyStatuses } from '../proxyStatuses';
import { TUNNEL_STATUSES } from './tunnels';

/** Statuses of overseas static proxies. Source: the service's table of proxy statuses. */
const OVERSEAS_STATUSES: ProxyStatuses = {
	...COMMON_STATUSES,
	456: proxyStatus(
		'service',
		'it serves clients outside mainland China only',
		['CN Client Forbidden'],
		"Run n8n there, or choose 'Overseas Dynamic Proxy (FPS)' in 'Product'.",
	),
	461: proxyStatus('proxy', 'its IP does not belong to the order', ['Unauthorized IP Usage']),
};

export const connectionField: Field = {
	name: 'connection',
	displayName: 'Connection',
	description: 'How the proxies of the order are used',
	required: true,
	kind: choice(
		[
			{
				name: 'Extraction',
				value: 'extraction',
				description:
					'A list of proxies that work for some minutes each. They count against the order.',
			},
			{ name: 'Tunnel', value: 'tunnel', description: 'One address behind which the IP changes' },
		],
		{ preset: 'tunnel' },
	),
};

const TUNNEL = { [connectionField.name]: ['tunnel'] };
const EXTRACTION = { [connectionField.name]: ['extraction'] };

const overseasNum = numField(
	'How many proxies to extract, from 1 to 10,000, in calls of at most 100',
	[10_000, 1],
	EXTRACTION,
);

const periodField = parameter(
	'period',
	'Lifetime (Minutes)',
	'How long each proxy works, from 1 to 30 minutes',
	number({ min: 1, max: 30, preset: 10 }),
	{ required: true, when: EXTRACTION },
);

export const countryField = parameter(
	'region',
	'Country',
	"Where the IPs are. Leave empty for the order's setting.",
	placeOf(oneCountry("The order's setting")),
	{ when: TUNNEL },
);

const countriesField = parameter(
	'region',
	'Countries',
	"Where the IPs are. To name several countries, choose 'By Code'. Leave empty for any country.",
	placeOf(countries('Any country')),
	{ when: EXTRACTION },
);

const areaField: Field = {
	name: 'area',
	displayName: 'Area',
	description: 'An area of the country, by its English name',
	when: TUNNEL,
	kind: placeOf(overseasArea),
};

const continentField: Field = {
	name: 'continent',
	displayName: 'Continent',
	description: 'The continent of the IPs if no country is chosen',
	when: TUNNEL,
	kind: placeOf(
		choice([
			{ name: 'Any', value: '' },
			{ name: 'Africa', value: 'af' },
			{ name: 'Asia', value: 'as' },
			{ name: 'Europe', value: 'eu' },
			{ name: 'North and South America', value: 'nasa' },
			{ name: 'Oceania', value: 'oa' },
		]),
	),
};

/** Overseas residential IPs that change. */
export const overseasDynamic: ProxyProduct = {
	code: 'FPS',
	// Their table was not seen: they may answer as tunnels or as the static ones do
	statuses: { ...TUNNEL_STATUSES, ...OVERSEAS_STATUSES },
	fields: [connectionField, overseasNum, periodField],
	options: [
		{ ...reuseField, when: EXTRACTION },
		{ ...minimumSecondsLeftField, when: EXTRACTION },
		countryField,
		countriesField,
		areaField,
		continentField,
		{
			...sessionMinutesField([{ name: "The Order's Setting", value: '' }, EVERY_REQUEST]),
			when: TUNNEL,
		},
		{ ...ptField, when: TUNNEL },
		...formatFields(),
		maxExtractionsField,
	],
	toExtraction(reader) {
		if (reader.textOf(connectionField.name) === 'extraction') {
			return {
				...countedProxies(GET_FPS_IP, reader, overseasNum),
				lifeSeconds: Number(reader.parameters.period) * 60 || undefined,
				whereCounted: "'Order: Get Traffic' shows how much is left.",
			};
		}
		const country = reader.textOf(countryField.name);
		return {
			...tunnelAddress(GET_FPS, reader),
			toLogin: (plain) =>
				withSuffixes(plain, [
					['region', country],
					['area', reader.textOf(areaField.name)],
					['cont', country === undefined ? reader.textOf(continentField.name) : undefined],
					['period', reader.textOf(SESSION_MINUTES)],
				]),
		};
	},
};

/** Overseas residential IPs that stay; those of a retail order have a login each. */
export const overseasStatic: ProxyProduct = {
	code: 'SFPS',
	statuses: OVERSEAS_STATUSES,
	fields: [],
	options: formatFields(),
	toExtraction: (reader) => ({
		endpoint: GET_SFPS,
		parameters: { format: 'json', ...reader.parameters },
		total: Infinity,
		isWholeList: true,
		login: 'entries',
	}),
};

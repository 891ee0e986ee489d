import { readRequiredField, type Field } from '../../../../../shared/fields/field';
import { choice, list, plainText, wholeNumber } from '../../../../../shared/fields/valueKinds';
import { GET_FPS, GET_FPS_IP } from '../../../../../shared/service/endpoints/extraction';
import { formatField, mostPerRunField, parameter, sepField } from '../commonFields';
import type { ExtractProduct } from '../product';
import { ptField, schemeOf, sessionMinutesField, suffixesOf } from '../tunnelFields';

const connectionField: Field = {
	name: 'connection',
	displayName: 'Connection',
	description: 'How the proxies of the order are used',
	required: true,
	decides: true,
	kind: choice(
		[
			{
				name: 'Extraction',
				value: 'extraction',
				description: 'A list of proxies, each for some minutes. It uses up what the order has.',
			},
			{ name: 'Tunnel', value: 'tunnel', description: 'One address behind which the IP changes' },
		],
		{ preset: 'tunnel' },
	),
};

const TUNNEL = { [connectionField.name]: ['tunnel'] };
const EXTRACTION = { [connectionField.name]: ['extraction'] };

const numField = parameter(
	'num',
	'Number of Proxies',
	'How many proxies to extract, from 1 to 10,000, in calls of at most 100',
	wholeNumber(1, 10_000, 1),
	{ required: true, when: EXTRACTION },
);

const periodField = parameter(
	'period',
	'Minutes of Life',
	'For how many minutes each proxy can be used, from 1 to 30',
	wholeNumber(1, 30, 10),
	{ required: true, when: EXTRACTION },
);

const countryField = parameter(
	'region',
	'Country',
	"The code of a country, such as US. Leave empty for the order's setting.",
	plainText('a country code of two capital letters, such as US', (text) => /^[A-Z]{2}$/.test(text)),
	{ placeholder: 'e.g. US', when: TUNNEL },
);

const countriesField = parameter(
	'region',
	'Countries',
	'Codes of countries, separated by commas. Leave empty for any country.',
	list('country codes of two capital letters, separated by commas, such as US,JP', (text) =>
		/^[A-Z]{2}$/.test(text),
	),
	{ placeholder: 'e.g. US,JP', when: EXTRACTION },
);

const areaField: Field = {
	name: 'area',
	displayName: 'Area',
	description: 'The English name of an area of the country, such as New York',
	placeholder: 'e.g. New York',
	when: TUNNEL,
	kind: plainText('an English name, such as New York', (text) =>
		/^[A-Za-z][A-Za-z .']{0,49}$/.test(text),
	),
};

const continentField: Field = {
	name: 'continent',
	displayName: 'Continent',
	description: 'On which continent the IPs are, where no country is chosen',
	when: TUNNEL,
	kind: choice([
		{ name: 'Any', value: '' },
		{ name: 'Africa', value: 'af' },
		{ name: 'Asia', value: 'as' },
		{ name: 'Europe', value: 'eu' },
		{ name: 'North and South America', value: 'nasa' },
		{ name: 'Oceania', value: 'oa' },
	]),
};

/** Overseas residential IPs that change. */
export const overseasDynamic: ExtractProduct = {
	value: 'FPS',
	displayName: 'Overseas Dynamic (FPS)',
	fields: [
		connectionField,
		numField,
		periodField,
		countryField,
		countriesField,
		areaField,
		continentField,
		{ ...sessionMinutesField("The Order's Setting", [0]), when: TUNNEL },
		{ ...ptField, when: TUNNEL },
	],
	filters: [],
	extras: [],
	options: [formatField(), sepField, mostPerRunField],
	toExtraction(reader) {
		const { num, ...others } = reader.parameters;
		const parameters = { format: 'json', ...others };
		if (reader.text(connectionField.name) === 'extraction') {
			if (!(Number(num) >= 1)) readRequiredField(numField, num);
			return {
				endpoint: GET_FPS_IP,
				parameters,
				total: Number(num),
				cap: 100,
				intervalMs: GET_FPS_IP.intervalMs,
				isUsedUp: true,
				login: 'order',
				whereCounted: "'Order: Get Traffic' tells how much is left.",
			};
		}
		return {
			endpoint: GET_FPS,
			parameters,
			total: 1,
			cap: 1,
			intervalMs: GET_FPS.intervalMs,
			isUsedUp: false,
			isWholeList: true,
			isShared: true,
			login: 'order',
			scheme: schemeOf(reader),
			wishes: {
				suffixes: suffixesOf([
					['region', reader.text(countryField.name)],
					['area', reader.text(areaField.name)],
					['cont', reader.text(continentField.name)],
					['period', reader.text('sessionMinutes')],
				]),
			},
		};
	},
};

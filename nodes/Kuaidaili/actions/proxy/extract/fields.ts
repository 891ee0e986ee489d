import { serviceField, type Field, type ServiceField } from '../../../../shared/fields/field';
import type { FieldCollection } from '../../../../shared/fields/fieldCollection';
import { choice, flag, list, wholeNumber } from '../../../../shared/fields/valueKinds';
import { CARRIERS } from '../../../../shared/service/carriers';
import { formatNumber } from '../../../../shared/wording';
import { MOST_PROXIES, PLAN_NAMES, PLANS } from './plans';

/** Completes each field with its name in n8n. */
function serviceFields(fields: ReadonlyArray<Omit<ServiceField, 'name'>>): ServiceField[] {
	return fields.map(serviceField);
}

/** A field of the node: the service knows the plan from the order, the editor does not. */
export const planField: Field = {
	name: 'plan',
	required: true,
	displayName: 'Plan',
	description:
		"The plan of the open proxy order. You find it on the order's page in the member center.",
	kind: choice(
		PLAN_NAMES.map((value) => ({
			name: PLANS[value].displayName,
			value,
			description: `Up to ${formatNumber(PLANS[value].cap)} proxies per call`,
		})),
	),
};

const PAID = { [planField.name]: ['vip', 'svip'] };
const SVIP = { [planField.name]: ['svip'] };

function isPort(text: string): boolean {
	return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
}

function isIpPrefix(text: string): boolean {
	return (
		/^\d{1,3}(\.\d{1,3}){0,3}\.?$/.test(text) &&
		text.split('.').every((part) => Number(part) <= 255)
	);
}

const areaNames = list(
	'Chinese names of countries, provinces, or cities, separated by commas, such as 北京,上海',
	(name) => name.length <= 50 && !/\p{Cc}/u.test(name),
);
const ports = list('ports from 1 to 65535, separated by commas, such as 8080,3128', isPort);
const ipPrefixes = list(
	'first parts of IPv4 addresses, separated by commas, such as 120.52.,113.',
	isIpPrefix,
);

export const numField: ServiceField = serviceField({
	serviceName: 'num',
	displayName: 'Number of Proxies',
	description:
		'How many proxies to extract, from 1 to 100,000. Numbers above the per-call limit (Regular 500, VIP 1,000, SVIP 2,000) are fetched in several calls.',
	kind: wholeNumber(1, MOST_PROXIES, 10),
});

const COMBINABLE = 'Can be combined with the other two anonymity filters.';

/** In the order of their names, as the editor lists them. */
export const FILTERS: FieldCollection = {
	name: 'filters',
	displayName: 'Filters',
	placeholder: 'Add filter',
	fields: serviceFields([
		{
			serviceName: 'an_an',
			displayName: 'Anonymity: Anonymous',
			description: `Whether to extract anonymous proxies. ${COMBINABLE}`,
			kind: flag,
		},
		{
			serviceName: 'an_ha',
			displayName: 'Anonymity: High',
			description: `Whether to extract high-anonymity proxies. ${COMBINABLE}`,
			kind: flag,
		},
		{
			serviceName: 'an_tr',
			displayName: 'Anonymity: Transparent',
			description: `Whether to extract transparent proxies. ${COMBINABLE}`,
			kind: flag,
		},
		{
			serviceName: 'area',
			displayName: 'Areas',
			description:
				'Only proxies in these countries, provinces, or cities: Chinese names, separated by commas',
			placeholder: 'e.g. 北京,上海',
			kind: areaNames,
		},
		{
			serviceName: 'area_ex',
			displayName: 'Areas to Exclude',
			description:
				'No proxies in these countries, provinces, or cities: Chinese names, separated by commas',
			placeholder: 'e.g. 台湾',
			kind: areaNames,
		},
		{
			serviceName: 'carrier',
			displayName: 'Carrier',
			description: "Only proxies in this carrier's network",
			kind: choice(
				[
					{ name: 'All', value: 0 },
					...CARRIERS,
					{ name: 'Cloud Provider', value: 6 },
					{ name: 'Education Network', value: 5 },
					{ name: 'Railway Network', value: 4 },
				],
				{ neutral: '0' },
			),
		},
		{
			serviceName: 'ipstart',
			displayName: 'IP Prefixes',
			description:
				'Only proxies whose IP address starts with one of these prefixes, separated by commas',
			placeholder: 'e.g. 120.52.,113.',
			kind: ipPrefixes,
		},
		{
			serviceName: 'ipstart_ex',
			displayName: 'IP Prefixes to Exclude',
			description:
				'No proxies whose IP address starts with one of these prefixes, separated by commas',
			placeholder: 'e.g. 120.52.',
			kind: ipPrefixes,
		},
		{
			serviceName: 'method',
			displayName: 'Method',
			description: 'Only proxies that support this HTTP method',
			kind: choice([
				{ name: 'GET', value: 1 },
				{ name: 'POST (and GET)', value: 2 },
			]),
		},
		{
			serviceName: 'port',
			displayName: 'Ports',
			description: 'Only proxies on these ports, separated by commas',
			placeholder: 'e.g. 8080,3128',
			kind: ports,
		},
		{
			serviceName: 'port_ex',
			displayName: 'Ports to Exclude',
			description: 'No proxies on these ports, separated by commas',
			placeholder: 'e.g. 80',
			kind: ports,
		},
		{
			serviceName: 'protocol',
			displayName: 'Protocol',
			description: 'Only proxies that support this protocol',
			kind: choice([
				{ name: 'HTTP', value: 1 },
				{ name: 'HTTPS (and HTTP)', value: 2 },
			]),
		},
		{
			serviceName: 'dedup',
			displayName: 'Skip Already Extracted',
			description:
				'Whether to leave out proxies that this order has already extracted today. Kuaidaili then allows one call per 5 seconds.',
			kind: flag,
		},
		{
			serviceName: 'quality',
			displayName: 'Stability',
			description: 'Only proxies with at least this stability',
			kind: choice(
				[
					{ name: 'Any', value: 0 },
					{ name: 'Fairly Stable', value: 1 },
					{ name: 'Stable (SVIP Only)', value: 2, when: SVIP },
				],
				{ neutral: '0' },
			),
			when: PAID,
		},
	]),
};

/** In the order in which the service appends their values to an entry. */
export const EXTRA_FIELDS: FieldCollection = {
	name: 'extraFields',
	displayName: 'Extra Fields',
	placeholder: 'Add field',
	when: PAID,
	fields: serviceFields([
		{
			serviceName: 'f_loc',
			displayName: 'Region',
			description: "Whether to add the proxy's region as 'region'",
			kind: flag,
			when: PAID,
		},
		{
			serviceName: 'f_an',
			displayName: 'Anonymity',
			description: "Whether to add the proxy's anonymity as 'anonymity'",
			kind: flag,
			when: PAID,
		},
		{
			serviceName: 'f_pr',
			displayName: 'Protocol',
			description: "Whether to add the protocols that the proxy supports as 'protocol'",
			kind: flag,
			when: PAID,
		},
		{
			serviceName: 'f_sp',
			displayName: 'Response Time',
			description:
				"Whether to add the proxy's response time as 'responseTime', exactly as Kuaidaili sends it",
			kind: flag,
			when: PAID,
		},
	]),
};

export const sortField: ServiceField = serviceField({
	serviceName: 'sort',
	displayName: 'Sort',
	description: 'Which proxies come first',
	kind: choice(
		[
			{ name: 'Default', value: 0 },
			{ name: 'Fastest First', value: 1 },
			{ name: 'Most Recently Checked First', value: 2 },
		],
		{ neutral: '0' },
	),
	when: PAID,
});

export const formatField: ServiceField = serviceField({
	serviceName: 'format',
	displayName: 'Format',
	description:
		"The format in which Kuaidaili sends the proxies. It doesn't change the output of this node.",
	kind: choice(
		[
			{ name: 'JSON', value: 'json' },
			{ name: 'Text', value: 'text' },
			{ name: 'XML', value: 'xml' },
		],
		{ neutral: 'text' },
	),
	when: PAID,
});

export const sepField: ServiceField = serviceField({
	serviceName: 'sep',
	displayName: 'Separator',
	description:
		"What separates the proxies in the Text format. It doesn't change the output of this node.",
	kind: choice([
		{ name: 'Line End (CR LF)', value: 1 },
		{ name: 'Line End (LF)', value: 2 },
		{ name: 'Space', value: 3 },
		{ name: 'Vertical Bar', value: 4 },
	]),
});

import type { INodeParameters, INodeProperties } from 'n8n-workflow';

import {
	type Conditions,
	toCollection,
	toMembers,
	toProperty,
	type Field,
	type FieldCollection,
	type ValueKind,
	shortLine,
} from '../../../shared/fields/field';
import { choice, toggle, list, simpleText, textKind, number } from '../../../shared/fields/kinds';
import { asError } from '../../../shared/api/errors';
import { isList } from '../../../shared/guards';
import { OPTIONS_LABEL, orderedOptions } from '../../parameters/callOptions';
import { PROXY_PRODUCTS, productField } from '../../proxies/products';
import { connectionField, overseasDynamic } from '../../proxies/products/overseas';
import { tunnel, tunnelPro } from '../../proxies/products/tunnels';
import { compileSelector } from '../content/html';
import { isJsonPath } from '../content/jsonPath';

/** The statuses with which sites and proxies answer whom they block, or while they are in trouble. */
export const DEFAULT_STATUSES = '403,405,412,418,429,461,471,500,502,503,504,521,567';

/** A kind that may be empty. No value at all comes only from an expression that found nothing, and is refused. */
function mayBeEmpty(kind: ValueKind, ifMissing: string): ValueKind {
	return {
		...kind,
		ifMissing,
		toText: (value) =>
			kind.toText(value) ?? (value === undefined || value === null ? undefined : ''),
		accepts: (text) => text === '' || kind.accepts(text),
	};
}

/** A field, or an option, that has a value where it is there; a switch that is off has none. */
export function field(
	name: string,
	displayName: string,
	kind: ValueKind,
	description: string,
	more: Partial<Field> = {},
): Field {
	const required = kind.property.type !== 'boolean';
	return { name, displayName, description, kind, required, ...more };
}

export const METHODS = ['GET', 'POST'] as const;

/** The choices of 'Response Format', in the order of the menu. */
export const FORMATS = {
	autodetect: {
		name: 'Autodetect',
		description: 'JSON, text, or a file, depending on what the page says it is',
	},
	fields: {
		name: 'Fields',
		description: 'Columns for a table: what CSS selectors pick from each page',
	},
	file: { name: 'File', description: 'Binary data, as for images and downloads' },
	json: { name: 'JSON' },
	markdown: {
		name: 'Markdown',
		description: 'What a person or an AI model reads: text, tables, links, and pictures',
	},
	structuredData: {
		name: 'Structured Data',
		description:
			'Rows that the page has for search engines: its product, article, recipe, event, or job, or the list of them',
	},
	text: { name: 'Text', description: 'The HTML as it is, for the HTML node' },
};

/** Formats whose items have columns in place of an output field. */
const OF_COLUMNS: ReadonlySet<string> = new Set(['fields', 'structuredData']);

export function isFormat(value: string | undefined): value is keyof typeof FORMATS {
	return value !== undefined && Object.hasOwn(FORMATS, value);
}

/**
 * Names that no column may have: n8n takes an item with the first for a failure of the node, and the others are this
 * node's.
 */
export const RESERVED_NAMES = ['error', 'pageDetails', 'pageLinks', 'pageStatus', '__proto__'];

/** The name of a field of the output. */
export const outputName = textKind(
	"the name of a field without periods, but not 'error', 'pageDetails', 'pageStatus', or 'pageLinks'",
	(name) => !RESERVED_NAMES.includes(name) && !name.includes('.'),
);

/** The fault of a selector; undefined for one that can be used. */
function flawOf(selector: string): string | undefined {
	if (selector.startsWith('/')) return 'This looks like XPath';
	if (/::(?:text|attr)/.test(selector)) return "'Take' says what to take, not ::";
	try {
		compileSelector(selector);
		return undefined;
	} catch (error) {
		return asError(error).message.replace(/found $/, 'found nothing');
	}
}

export function cssSelector(example: string): ValueKind {
	return {
		...textKind(`a CSS selector, such as ${example}`, (selector) => !flawOf(selector)),
		advice: (selector) => `What is wrong: ${flawOf(selector) ?? ''}.`,
	};
}

/** One text per line, or a list from an expression. */
export const lines: ValueKind = {
	...textKind('texts, one per line', () => true),
	property: { type: 'string', default: '', typeOptions: { rows: 2 } },
	toText(value) {
		const texts = (isList(value) ? value : [value]).map(simpleText);
		return simpleText(texts.join('\n'));
	},
};

/** The selectors of a text with one per line. */
export function selectorsIn(text: string): string[] {
	const selectors = text.split(/[\r\n]+/).map((line) => line.trim());
	return selectors.filter((selector) => selector !== '');
}

function selectorOrPath(example: string): ValueKind {
	const kind = cssSelector(example);
	return { ...kind, accepts: (entered) => isJsonPath(entered) || kind.accepts(entered) };
}

/** CSS selectors, one per line, or a list from an expression. */
function cssSelectors(example: string): ValueKind {
	const flawIn = (entered: string) =>
		selectorsIn(entered)
			.map((selector) => ({ selector, flaw: flawOf(selector) }))
			.find(({ flaw }) => flaw !== undefined);
	return {
		...lines,
		allowed: `CSS selectors, one per line, such as ${example}`,
		accepts: (entered) => flawIn(entered) === undefined,
		advice: (entered) => {
			const { selector = '', flaw = '' } = flawIn(entered) ?? {};
			return `What is wrong with ${shortLine(selector)}: ${flaw}.`;
		},
	};
}

export const TAKES = ['text', 'number', 'attribute', 'html'] as const;

/** A row as it is before anything was entered. */
export function emptyRow({ fields }: FieldCollection): INodeParameters {
	return Object.fromEntries(fields.map(({ name, kind }) => [name, kind.property.default]));
}

/**
 * @param row the label of a row
 * @param title what the editor calls a row that has it, as an expression
 */
function toRowsProperty(
	{ fields, ...texts }: FieldCollection,
	row: string,
	title: string,
): INodeProperties {
	return {
		...texts,
		type: 'fixedCollection',
		typeOptions: {
			multipleValues: true,
			fixedCollection: { itemTitle: `={{ ${title} }}` },
		},
		default: {},
		options: [{ displayName: row, name: 'values', values: toMembers(fields) }],
	};
}

/** Headers that the connection to the proxy needs, or that follow from the address and the body. */
const OWN_HEADER =
	/^(?:connection|content-length|host|keep-alive|proxy-authorization|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i;

const headerName: ValueKind = {
	...textKind(
		'names such as Referer or X-Requested-With',
		(name) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/.test(name) && !OWN_HEADER.test(name),
	),
	advice: (name) =>
		OWN_HEADER.test(name) ? 'The node sets this header by itself. Remove it.' : undefined,
};

/** A value of a header; Node.js sends no characters but those of Latin-1. */
const headerValue: ValueKind = {
	...textKind('text without line breaks, in Western letters', (value) =>
		/^[\t\x20-\x7e\x80-\xff]{0,8000}$/.test(value),
	),
	advice: () => 'Encode other letters, as %C3%A9 for é.',
};

/** A row for each header. */
export const headerRows: FieldCollection = {
	name: 'headers',
	displayName: 'Headers',
	placeholder: 'Add header',
	description:
		'What to send besides the headers of a browser, or in place of one of them, such as Referer or Accept-Language',
	fields: [
		field('name', 'Name', headerName, 'The name of the header', {
			placeholder: 'e.g. Referer',
			// Where somebody entered the whole header
			isSecret: true,
		}),
		field(
			'value',
			'Value',
			mayBeEmpty(headerValue, 'Give it a value, or remove it.'),
			'The value of the header',
			{ placeholder: 'e.g. https://example.com/', isSecret: true },
		),
	],
};

/** A row for each column. */
export const columnRows: FieldCollection = {
	name: 'fields',
	displayName: 'Fields',
	placeholder: 'Add field',
	description: 'What to pick from each page. What a page lacks is null.',
	fields: [
		field(
			'name',
			'Name',
			mayBeEmpty(outputName, 'Give it a name, or leave it empty to name it after its selector.'),
			'The field of the output. Leave empty to name it after the selector: price for .product > .price.',
			{ placeholder: 'e.g. price' },
		),
		field(
			'selector',
			'Selector',
			mayBeEmpty(
				selectorOrPath('h1 or .product > .price'),
				"Enter a CSS selector. It may be empty only with a 'Row Selector'.",
			),
			"What to pick, as a CSS selector. With a 'Row Selector', it is looked for in each row, and an empty one is the row itself.",
			{ placeholder: 'e.g. .product > .price' },
		),
		field(
			'take',
			'Take',
			choice([
				{ name: 'Text', value: 'text' },
				{
					name: 'Number',
					value: 'number',
					description: 'The first number in the text, as the page writes it: 1.299,00 € is 1299',
				},
				{ name: 'Attribute', value: 'attribute' },
				{ name: 'HTML', value: 'html' },
			]),
			'Which part of the element becomes the value',
		),
		field(
			'attribute',
			'Attribute',
			textKind(
				'the name of an attribute, such as href or data-id',
				(name) => !/[\s="'<>]/.test(name),
			),
			'The name of the attribute. Addresses in href and src come out in full.',
			{ placeholder: 'e.g. href', when: { take: ['attribute'] } },
		),
		field(
			'all',
			'All Matches',
			toggle(),
			"Whether to take all matches, as a list in one item, rather than the first one. For an item of each, use 'Row Selector'.",
		),
	],
};

export const outputFieldField = field(
	'outputField',
	'Output Field',
	{ ...outputName, property: { type: 'string', default: 'data' } },
	'The field of each item in which the page is put, or the name of its binary data',
	{
		when: { responseFormat: Object.keys(FORMATS).filter((format) => !OF_COLUMNS.has(format)) },
	},
);

const LISTS = Object.values(PROXY_PRODUCTS).filter(
	(one) => ![overseasDynamic, tunnel, tunnelPro].includes(one),
);

/** The conditions under which proxies come as a list; a tunnel changes its IP by itself. */
const TAKES_LISTS: readonly Conditions[] = [
	{ [productField.name]: LISTS.map(({ code }) => code) },
	{ [productField.name]: ['FPS'], [connectionField.name]: ['extraction'] },
];

const POST = { method: ['POST'] };

/** Members of the row that says what is sent. The body is no field: it may be an object. */
const requestMembers: ReadonlyArray<Field | INodeProperties> = [
	field(
		'method',
		'Method',
		choice(METHODS.map((name) => ({ name, value: name }))),
		'How to request the page',
	),
	field(
		'bodyType',
		'Body Type',
		choice([
			{ name: 'Form', value: 'form', description: 'Fields, as a form in a browser sends them' },
			{ name: 'JSON', value: 'json' },
		]),
		'What kind of data to send',
		{ when: POST },
	),
	{
		displayName: 'Body',
		name: 'body',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		placeholder: 'e.g. keyword=phone&page=2 or {"keyword": "phone"}',
		description: 'What to send. JSON and forms can be an object from an expression, too.',
		displayOptions: { show: POST },
	},
];

/** Values of the row as the editor adds it, by the names of its members. */
export const REQUEST_PRESETS = { method: 'GET', bodyType: 'form', body: '' };

export const requestRow = {
	displayName: 'Method and Body',
	name: 'request',
	type: 'fixedCollection',
	default: { values: REQUEST_PRESETS },
	options: [
		{
			displayName: 'Method and Body',
			name: 'values',
			values: [...toMembers(requestMembers.filter(isField)), ...requestMembers.filter(isProperty)],
		},
	],
} as const satisfies INodeProperties;

/** Fields after 'URL', in the order of the editor. What is no field is read by itself: it may be an object. */
const inEditor: ReadonlyArray<Field | INodeProperties> = [
	requestRow,
	toRowsProperty(headerRows, 'Header', '$collection.item.value.name'),
	...TAKES_LISTS.map((when) =>
		field(
			'pagesPerProxy',
			'Pages per Proxy',
			number({ min: 0, max: 100_000, preset: 1 }),
			'How many pages of a run share a proxy, one after the other. With 1, each page uses up an IP of the order. 0 uses a proxy as long as it works: 500 pages with perhaps 5 IPs.',
			{ when },
		),
	),
	field(
		'sessionKey',
		'Session Key',
		mayBeEmpty(
			textKind('any text', () => true),
			'Without a value, the page would belong to no session. Give it one, or an empty text for a page on its own.',
		),
		'Pages with the same key and order share a proxy and cookies in the whole execution, also of several nodes: log in with one, open with the next. They are opened one after the other. Leave empty to open each page on its own.',
		{ placeholder: 'e.g. {{ $json.account }}' },
	),
	field(
		'responseFormat',
		'Response Format',
		choice(Object.entries(FORMATS).map(([value, words]) => ({ value, ...words }))),
		'What the page becomes in the output',
	),
	field(
		'rowSelector',
		'Row Selector',
		selectorOrPath('.product'),
		'The CSS selector of what becomes an item each, such as .product or tr; of JSON, the path of a list, such as data.items. Leave empty for one item per page.',
		{ required: false, placeholder: 'e.g. .product', when: { responseFormat: ['fields'] } },
	),
	field(
		'rowSelector',
		'Row Selector',
		selectorOrPath('Offer'),
		'The type of what becomes an item each, such as Offer. Leave empty for what the page is about.',
		{ required: false, placeholder: 'e.g. Offer', when: { responseFormat: ['structuredData'] } },
	),
	{
		...toRowsProperty(
			columnRows,
			'Field',
			'$collection.item.value.name || $collection.item.value.selector',
		),
		// So that nobody has to add the first ones; those that stay empty don't count
		default: { values: [emptyRow(columnRows), emptyRow(columnRows)] },
		displayOptions: { show: { responseFormat: ['fields'] } },
	},
	outputFieldField,
	field(
		'maxAttempts',
		'Max Attempts',
		number({ min: 1, max: 10, preset: 3 }),
		'How often a page is tried, each time through another proxy, when a proxy fails or the site blocks it',
	),
];

/** The fields that are read of an item, but for its address, headers, body, and columns. */
export const PAGE_FIELDS: readonly Field[] = [
	productField,
	{ ...connectionField, when: { [productField.name]: ['FPS'] } },
	...[...inEditor, ...requestMembers].filter(isField),
];

/** Fields on the first screen. All others stand in 'Options'. */
const ON_FIRST_SCREEN: ReadonlySet<string> = new Set(['responseFormat', 'fields', 'rowSelector']);

export const pageProperties: readonly INodeProperties[] = inEditor
	.filter(({ name }) => ON_FIRST_SCREEN.has(name))
	.map((one) => (isField(one) ? toProperty(one) : one));

const inOptions = inEditor.filter(({ name }) => !ON_FIRST_SCREEN.has(name));

const statuses: ValueKind = {
	...list('HTTP statuses from 100 to 599, separated by commas, such as 403,429', (status) =>
		/^[1-5]\d\d$/.test(status),
	),
	property: { type: 'string', default: DEFAULT_STATUSES },
};

const NO_CONDITION =
	"Without a value, it would check nothing. Give it one, or remove it from 'Retry If'.";

export const retryIfCollection: FieldCollection = {
	name: 'retryIf',
	displayName: 'Retry If',
	placeholder: 'Add condition',
	fields: [
		field(
			'statuses',
			'Status Codes',
			statuses,
			'HTTP statuses after which another proxy is tried, separated by commas',
		),
		field(
			'contains',
			'Contains',
			lines,
			'Texts that only a page that blocks you has, such as the title of a captcha: one per line, ignoring case',
			{ placeholder: 'e.g. Verify you are human' },
		),
		field(
			'lacks',
			"Doesn't Contain",
			lines,
			'Texts that every page you want has. A page without one of them counts as blocked. One per line, ignoring case.',
			{ placeholder: 'e.g. Add to cart' },
		),
		field(
			'redirectedTo',
			'Redirected To',
			textKind('part of an address', () => true),
			'Part of the address to which the site redirects those it blocks',
			{ placeholder: 'e.g. /login' },
		),
		// One that was left empty checks nothing, as in the editor
	].map((one) => ({ ...one, kind: mayBeEmpty(one.kind, NO_CONDITION) })),
};

/** How often per second; less than once a second is possible, too. */
const frequency: ValueKind = {
	property: {
		type: 'number',
		default: 5,
		typeOptions: { minValue: 0.01, maxValue: 1000, numberPrecision: 2 },
	},
	allowed: 'a number from 0.01 to 1,000',
	toText: simpleText,
	accepts: (text) =>
		/^\d{1,4}(?:\.\d{1,6})?$/.test(text) && Number(text) >= 0.01 && Number(text) <= 1000,
};

/** The options of opening pages, without those of taking proxies. */
export const PAGE_OPTIONS: readonly Field[] = [
	field(
		'attemptTimeout',
		'Attempt Timeout (Seconds)',
		number({ min: 0.5, max: 600, decimals: 1, preset: 15 }),
		'How many seconds one attempt may take, including the connection to the proxy, redirects, and the whole page',
	),
	field(
		'allowUnauthorizedCerts',
		'Ignore SSL Issues (Insecure)',
		toggle({ preset: true }),
		'Whether to open pages whose SSL certificate cannot be checked. Any proxy can then read and change what is sent.',
	),
	field(
		'includeLinks',
		'Include Links',
		toggle({ preset: true }),
		"Whether to list the links of each page in 'pageLinks', one address per line; without 'Simplify', also with their texts in 'pageDetails.links'",
	),
	field(
		'leaveOut',
		'Leave Out',
		cssSelectors('.advertisement'),
		"CSS selectors of what to leave out, one per line. Only for the formats 'Markdown' and 'Text'.",
		{ required: false, placeholder: 'e.g. .comments' },
	),
	field(
		'mainContent',
		'Main Content Only',
		toggle({ preset: true }),
		"Whether to leave out what surrounds an article, such as menus and footers. Only for the formats 'Markdown' and 'Text'. Without this option, it is on for AI agents and off for others.",
	),
	field(
		'maxPageSize',
		'Max Page Size (MB)',
		number({ min: 1, max: 500, preset: 10 }),
		'How many megabytes to load of a page at most. A larger page fails.',
	),
	field(
		'pagesAtATime',
		'Pages at a Time',
		number({ min: 1, max: 100, preset: 5 }),
		'How many pages are opened at the same time',
	),
	field(
		'requestsPerSecond',
		'Requests per Second',
		frequency,
		"How many requests to send per second at most, including redirects. Without this option, a tunnel's own limit applies, and other products have none.",
	),
	field(
		'simplify',
		'Simplify',
		toggle({ preset: true }),
		"Whether to return a simplified version of the response, without the object 'pageDetails'",
	),
	field(
		'skipOpened',
		'Skip Opened Pages',
		toggle({ preset: true }),
		'Whether to leave out pages that this node has put out in earlier executions of the saved workflow, also where a later node failed. Pages that failed, were blocked, or had no row are opened again.',
	),
];

/** The options of Page: Open alone. */
export const NEXT_PAGE_OPTIONS: readonly Field[] = [
	field(
		'maxNextPages',
		'Max Next Pages',
		number({ min: 1, max: 100_000, preset: 10 }),
		"How many pages 'Next Page', or a range without an end such as [1-] in 'URL', opens at most after each address",
	),
	field(
		'nextPage',
		'Next Page',
		selectorOrPath('a[rel=next]'),
		'The CSS selector of the link to the next page of a list, or of what holds it; of JSON, the path of its address, such as paging.next',
		{ placeholder: 'e.g. a[rel=next]' },
	),
];

function isField(one: Field | INodeProperties): one is Field {
	return 'kind' in one;
}

function isProperty(one: Field | INodeProperties): one is INodeProperties {
	return !isField(one);
}

/** Fields of a page that stand in 'Options' of the editor. */
const pageOptionProperties: readonly INodeProperties[] = [
	...toMembers(inOptions.filter(isField)),
	...inOptions.filter(isProperty),
	toCollection(retryIfCollection),
];

/** Presets of the fields that stand in 'Options', by their names. */
export const PAGE_PRESETS: ReadonlyMap<string, unknown> = new Map(
	pageOptionProperties.map((property) => [property.name, property.default]),
);

/** The sections of 'Options', each about one thing and beginning with what most want. */
const OPTION_SECTIONS = [
	// How far a crawl goes, and where a list goes on
	['maxPages', 'maxDepth', 'respectRobots', 'nextPage', 'maxNextPages'],
	// What comes out
	['mainContent', 'leaveOut', 'includeLinks', 'simplify', 'skipOpened', 'outputField'],
	// Blocks and attempts
	['retryIf', 'maxAttempts', 'attemptTimeout'],
	// What is sent
	['request', 'headers', 'sessionKey'],
	// Pace
	['pagesAtATime', 'requestsPerSecond'],
	// Proxies
	[
		'filters',
		'region',
		'area',
		'continent',
		'sessionMinutes',
		'suffix',
		'pagesPerProxy',
		'reuse',
		'maxExtractionsPerRun',
	],
	// What hardly anybody needs
	['maxPageSize', 'allowUnauthorizedCerts'],
];

const OPTION_ORDER = OPTION_SECTIONS.flat();

/**
 * The collection 'Options' of an operation on pages.
 *
 * @param own further options of the operation
 * @param provider fields of the proxies
 */
export function pageOptionsCollection(
	own: readonly Field[],
	provider: readonly INodeProperties[],
	isOffered: (name: string) => boolean = () => true,
): INodeProperties {
	const fields = [...own, ...PAGE_OPTIONS].filter(({ name }) => isOffered(name));
	const others = [...provider, ...pageOptionProperties].filter(({ name }) => isOffered(name));
	const texts = { name: 'options', displayName: OPTIONS_LABEL, placeholder: 'Add option' };
	return orderedOptions(toCollection({ ...texts, fields }), others, OPTION_ORDER);
}

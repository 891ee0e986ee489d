import type { INodeProperties } from 'n8n-workflow';

import { toProperty, type Field, type FieldCollection } from '../../../../shared/fields/field';
import {
	choice,
	flag,
	list,
	oneOrZero,
	simpleText,
	text,
	wholeNumber,
	type ValueKind,
} from '../../../../shared/fields/valueKinds';
import { isList } from '../../../../shared/guards';
import { LARGEST_PAGE_MB, LONGEST_ATTEMPT_MS, MOST_ATTEMPTS } from '../../../pages/pageRequest';
import { productField } from '../../../proxies/products';
import { connectionField } from '../../../proxies/products/overseas';
import { outputName, pickedFieldsProperty } from './pickedFields';

/** What sites and proxies answer to whom they block, or while they are in trouble. */
export const DEFAULT_STATUSES = '403,429,500,502,503,504';

/** Of http or https, without a login. */
function isPageUrl(text: string): boolean {
	if (!/^https?:\/\/[^/?#]/i.test(text) || !URL.canParse(text)) return false;
	const { hostname, username, password } = new URL(text);
	return hostname !== '' && username === '' && password === '';
}

const pageUrl: ValueKind = {
	...text('the full address of a page, such as https://example.com/list?page=2', isPageUrl),
	property: { type: 'string', typeOptions: { rows: 2 }, default: '={{ $json.url }}' },
	ifMissing:
		"Enter one, or several with one per line; or drag the column of the input that has them into 'URL'.",
	advice: (url) =>
		/^[\w-]+(\.[\w-]+)+(?:[:/?#]|$)/.test(url)
			? "Put 'https://' in front of it."
			: /^https?:\/\/[^/?#]*@/i.test(url)
				? "A login doesn't belong in the address. Put it into 'Headers'."
				: undefined,
};

/** A field, or an option that has a value when it is added. */
export function field(
	name: string,
	displayName: string,
	kind: ValueKind,
	description: string,
	more: Partial<Field> = { required: true },
): Field {
	return { name, displayName, description, kind, ...more };
}

export const urlField = field(
	'url',
	'URL',
	pageUrl,
	'The address of the page to open, or several: a list, or one per line. Each becomes an item.',
	{ required: true, placeholder: 'e.g. https://example.com/list?page=2' },
);

const METHODS = ['GET', 'HEAD', 'POST'].map((name) => ({ name, value: name }));

const methodField = field('method', 'Method', choice(METHODS), 'How to request the page', {
	required: true,
	decides: true,
});

const POST = { [methodField.name]: ['POST'] };

const BODY_TYPES = [
	{ name: 'Form', value: 'form', description: 'Fields, as a form in a browser sends them' },
	{ name: 'JSON', value: 'json' },
	{ name: 'Raw', value: 'raw', description: "Text as it is. Set its 'Content-Type' in 'Headers'." },
];

const bodyTypeField = field(
	'bodyType',
	'Body Type',
	choice(BODY_TYPES, { preset: 'json' }),
	'What kind of data to send',
	{ required: true, decides: true, when: POST },
);

/** Read by itself: it may be an object. */
const bodyProperty: INodeProperties = {
	displayName: 'Body',
	name: 'body',
	type: 'string',
	typeOptions: { rows: 4 },
	default: '',
	placeholder: 'e.g. {"keyword": "phone"} or keyword=phone&page=2',
	description: 'What to send. JSON and forms can be an object from an expression, too.',
	displayOptions: { show: POST },
};

function textProperty(
	displayName: string,
	name: string,
	placeholder: string,
	description: string,
): INodeProperties {
	return { displayName, name, type: 'string', default: '', placeholder, description };
}

const headersProperty: INodeProperties = {
	displayName: 'Headers',
	name: 'headers',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add header',
	default: {},
	description:
		'What to send besides the headers of a browser, or in place of one of them, such as Referer or Accept-Language',
	options: [
		{
			displayName: 'Header',
			name: 'values',
			values: [
				textProperty('Name', 'name', 'e.g. Referer', 'The name of the header'),
				textProperty('Value', 'value', 'e.g. https://example.com/', 'The value of the header'),
			],
		},
	],
};

const pagesPerProxyField = field(
	'pagesPerProxy',
	'Pages per Proxy',
	wholeNumber(0, 100_000, 1),
	'How many pages of a run share a proxy, one after the other. With 1, each page uses up an IP of the order. 0 uses a proxy as long as it works: 500 pages with perhaps 5 IPs.',
);

/** Where proxies come as a list; a tunnel changes its IP by itself. */
const pagesPerProxyFields: readonly Field[] = [
	{ ...pagesPerProxyField, when: { [productField.name]: ['DPS', 'KPS', 'OPS', 'SFPS'] } },
	{
		...pagesPerProxyField,
		when: { [productField.name]: ['FPS'], [connectionField.name]: ['extraction'] },
	},
];

export const sessionKeyField = field(
	'sessionKey',
	'Session Key',
	text('any text', () => true),
	'Pages with the same key share a proxy and cookies, and are opened one after the other. Leave empty to open each page on its own.',
	{ placeholder: 'e.g. {{ $json.account }}' },
);

const FORMATS = [
	{
		name: 'Autodetect',
		value: 'autodetect',
		description: 'JSON, text, or a file, depending on what the page says it is',
	},
	{
		name: 'Fields',
		value: 'fields',
		description: 'Columns for a table: what CSS selectors pick from each page',
	},
	{ name: 'File', value: 'file', description: 'Binary data, as for images and downloads' },
	{ name: 'JSON', value: 'json' },
	{
		name: 'Markdown',
		value: 'markdown',
		description: 'What a person or an AI model reads: text, tables, links, and pictures',
	},
	{ name: 'Text', value: 'text', description: 'The HTML as it is, for the HTML node' },
];

const responseFormatField = field(
	'responseFormat',
	'Response Format',
	choice(FORMATS),
	'What the page becomes in the output',
	{ required: true, decides: true },
);

const FAILED_PAGES = [
	{
		name: 'Output',
		value: 'output',
		description: "Comes out among the others, empty, with the reason in 'pageDetails.error'",
	},
	{
		name: 'Error',
		value: 'error',
		description: "Fails its item, as the node's setting 'On Error' says",
	},
];

const failedPagesField = field(
	'failedPages',
	'Failed Pages',
	choice(FAILED_PAGES),
	'What becomes of a page that cannot be opened. If none at all is opened, the node fails either way.',
);

export const outputFieldField = field(
	'outputField',
	'Output Field',
	{ ...outputName, property: { type: 'string', default: 'data' } },
	'The field of each item in which the page is put, or the name of its binary data',
	{
		required: true,
		when: {
			[responseFormatField.name]: FORMATS.map(({ value }) => value).filter(
				(format) => format !== 'fields',
			),
		},
	},
);

const maxAttemptsField = field(
	'maxAttempts',
	'Max Attempts',
	wholeNumber(1, MOST_ATTEMPTS, 3),
	'How often a page is tried, each time through another proxy, when a proxy fails or the site blocks it',
);

const beforeOutput = [...pagesPerProxyFields, sessionKeyField, responseFormatField];
const output = [failedPagesField, outputFieldField, maxAttemptsField];

/** What is read of an item, but for its address, headers, and body. */
export const PAGE_FIELDS: readonly Field[] = [
	productField,
	{ ...connectionField, when: { [productField.name]: ['FPS'] } },
	methodField,
	bodyTypeField,
	...beforeOutput,
	...output,
];

/** In the order of the editor. */
export const pageProperties: readonly INodeProperties[] = [
	...[urlField, methodField, bodyTypeField].map(toProperty),
	bodyProperty,
	headersProperty,
	...beforeOutput.map(toProperty),
	pickedFieldsProperty,
	...output.map(toProperty),
];

/** One text per line, or a list from an expression. */
export const lines: ValueKind = {
	property: { type: 'string', default: '', typeOptions: { rows: 2 } },
	allowed: 'texts, one per line',
	toText: (value) => simpleText(isList(value) ? value.join('\n') : value),
	accepts: () => true,
};

const statuses: ValueKind = {
	...list('HTTP statuses from 100 to 599, separated by commas, such as 403,429', (status) =>
		/^[1-5]\d\d$/.test(status),
	),
	property: { type: 'string', default: DEFAULT_STATUSES },
};

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
			{},
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
			'shorterThan',
			'Shorter Than (Bytes)',
			wholeNumber(0, 1_000_000_000, 500),
			'How many bytes a page has at least. A shorter one counts as blocked.',
			{},
		),
		field(
			'redirectedTo',
			'Redirected To',
			text('part of an address', () => true),
			'Part of the address to which the site redirects those it blocks',
			{ placeholder: 'e.g. /login' },
		),
	],
};

/** Slower than once a second is possible, too. */
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
		'Attempt Timeout (Milliseconds)',
		wholeNumber(500, LONGEST_ATTEMPT_MS, 15_000),
		'How many milliseconds one attempt may take, including the connection to the proxy, redirects, and the whole page',
	),
	field(
		'followRedirects',
		'Follow Redirects',
		{ ...oneOrZero, property: { type: 'boolean', default: true } },
		'Whether to follow redirects, through the same proxy and with the cookies they set',
		{},
	),
	field(
		'giveUpSiteAfter',
		'Give Up Site After (Proxies)',
		wholeNumber(0, 100_000, 10),
		'After how many different proxies in a row that opened no page of a site its other pages fail at once, and after how many that could not even be connected to the run ends. 0 never gives up.',
	),
	field(
		'allowUnauthorizedCerts',
		'Ignore SSL Issues (Insecure)',
		flag,
		'Whether to open pages whose SSL certificate cannot be checked. Any proxy can then read and change what is sent.',
		{},
	),
	field(
		'includeLinks',
		'Include Links',
		flag,
		"Whether to list the links of each page in 'pageDetails.links', with their addresses and texts",
		{},
	),
	field(
		'maxPageSize',
		'Max Page Size (MB)',
		wholeNumber(1, LARGEST_PAGE_MB, 10),
		'How many megabytes to load of a page at most. A larger page fails.',
	),
	field(
		'pagesAtATime',
		'Pages at a Time',
		wholeNumber(1, 100, 5),
		'How many pages are opened at the same time',
	),
	field(
		'requestsPerSecond',
		'Requests per Second',
		frequency,
		"How many requests to send per second at most, including redirects. Without this option, a tunnel's own limit applies, and other products have none.",
	),
	field(
		'skipOpened',
		'Skip Opened Pages',
		flag,
		'Whether to leave out pages that this node has opened in earlier executions of the saved workflow. Pages that failed are tried again.',
		{},
	),
	field(
		'userAgent',
		'User Agent',
		text('a text without line breaks, in English letters', (text) =>
			/^[\x20-\x7e]{1,1000}$/.test(text),
		),
		'The browser to appear as. Leave empty for a current browser with all of its headers, the same one as long as a proxy lives.',
		{ placeholder: 'e.g. Mozilla/5.0 (Windows NT 10.0; Win64; x64)' },
	),
];

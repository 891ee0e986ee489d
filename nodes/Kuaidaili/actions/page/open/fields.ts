import type { INodeProperties } from 'n8n-workflow';

import type { Field, FieldCollection } from '../../../../shared/fields/field';
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
import { connectionField } from '../../../proxies/products/overseasDynamic';
import { DEFAULT_STATUSES, isPageUrl } from './pageValues';

const pageUrl: ValueKind = {
	...text('the full address of a page, such as https://example.com/list?page=2', isPageUrl),
	property: { type: 'string', default: '={{ $json.url }}' },
	ifMissing:
		"Enter one, or put one into the field 'url' of each input item, where {{ $json.url }} finds it.",
	advice: (url) =>
		/^[\w-]+(\.[\w-]+)+(?:[:/?#]|$)/.test(url)
			? "Put 'https://' in front of it."
			: /^https?:\/\/[^/?#]*@/i.test(url)
				? "A login doesn't belong in the address. Put it into 'Headers'."
				: undefined,
};

export const urlField: Field = {
	name: 'url',
	displayName: 'URL',
	description: 'The address of the page to open. Each input item is one page.',
	placeholder: 'e.g. https://example.com/list?page=2',
	required: true,
	kind: pageUrl,
};

export const methodField: Field = {
	name: 'method',
	displayName: 'Method',
	description: 'How to request the page',
	required: true,
	decides: true,
	kind: choice([
		{ name: 'GET', value: 'GET' },
		{ name: 'HEAD', value: 'HEAD' },
		{ name: 'POST', value: 'POST' },
	]),
};

const POST = { [methodField.name]: ['POST'] };

export const bodyTypeField: Field = {
	name: 'bodyType',
	displayName: 'Body Type',
	description: 'What kind of data to send',
	required: true,
	decides: true,
	when: POST,
	kind: choice(
		[
			{ name: 'Form', value: 'form', description: 'Fields, as a form in a browser sends them' },
			{ name: 'JSON', value: 'json' },
			{
				name: 'Raw',
				value: 'raw',
				description: "Text as it is. Set its 'Content-Type' in 'Headers'.",
			},
		],
		{ preset: 'json' },
	),
};

/** Read by itself: it may be an object. */
export const bodyProperty = {
	displayName: 'Body',
	name: 'body',
	type: 'string',
	typeOptions: { rows: 4 },
	default: '',
	placeholder: 'e.g. {"keyword": "phone"} or keyword=phone&page=2',
	description: 'What to send. JSON and forms can be an object from an expression, too.',
	displayOptions: { show: { [methodField.name]: ['POST'] } },
} as const satisfies INodeProperties;

export const headersProperty = {
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
				{
					displayName: 'Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: 'e.g. Referer',
					description: 'The name of the header',
				},
				{
					displayName: 'Value',
					name: 'value',
					type: 'string',
					default: '',
					placeholder: 'e.g. https://example.com/',
					description: 'The value of the header',
				},
			],
		},
	],
} satisfies INodeProperties;

const pagesPerProxyField: Field = {
	name: 'pagesPerProxy',
	displayName: 'Pages per Proxy',
	description:
		'How many pages of a run share a proxy, one after the other. 0 uses a proxy as long as it works.',
	required: true,
	kind: wholeNumber(0, 100_000, 1),
};

/** Where proxies come as a list; a tunnel changes its IP by itself. */
export const pagesPerProxyFields: readonly Field[] = [
	{ ...pagesPerProxyField, when: { [productField.name]: ['DPS', 'KPS', 'OPS', 'SFPS'] } },
	{
		...pagesPerProxyField,
		when: { [productField.name]: ['FPS'], [connectionField.name]: ['extraction'] },
	},
];

export const sessionKeyField: Field = {
	name: 'sessionKey',
	displayName: 'Session Key',
	description:
		'Pages with the same key share a proxy and cookies, and are opened one after the other. Leave empty to open each page on its own.',
	placeholder: 'e.g. {{ $json.account }}',
	kind: text('any text', () => true),
};

export const responseFormatField: Field = {
	name: 'responseFormat',
	displayName: 'Response Format',
	description: 'What the page becomes in the output',
	required: true,
	kind: choice([
		{
			name: 'Autodetect',
			value: 'autodetect',
			description: 'JSON, text, or a file, depending on what the page says it is',
		},
		{ name: 'File', value: 'file', description: 'Binary data, as for images and downloads' },
		{ name: 'JSON', value: 'json' },
		{
			name: 'Readable Text',
			value: 'readableText',
			description: 'What a person or an AI model reads: without markup, scripts, menus, and forms',
		},
		{ name: 'Text', value: 'text', description: 'The HTML as it is, for the HTML node' },
	]),
};

const RESERVED = ['error', 'pageDetails', '__proto__'];

export const outputFieldField: Field = {
	name: 'outputField',
	displayName: 'Output Field',
	description: 'The field of each item in which the page is put, or the name of its binary data',
	required: true,
	kind: {
		...text(
			"the name of a field without periods, but not 'error' or 'pageDetails'",
			(name) => !RESERVED.includes(name) && !name.includes('.'),
		),
		property: { type: 'string', default: 'data' },
	},
};

export const maxAttemptsField: Field = {
	name: 'maxAttempts',
	displayName: 'Max Attempts',
	description:
		'How often a page is tried, each time through another proxy, when a proxy fails or the site blocks it',
	required: true,
	kind: wholeNumber(1, MOST_ATTEMPTS, 3),
};

/** One text per line, or a list from an expression. */
const lines: ValueKind = {
	property: { type: 'string', default: '', typeOptions: { rows: 2 } },
	allowed: 'texts, one per line',
	toText: (value) => simpleText(isList(value) ? value.join('\n') : value),
	accepts: () => true,
};

export const statusesField: Field = {
	name: 'statuses',
	displayName: 'Statuses',
	description: 'HTTP statuses after which another proxy is tried, separated by commas',
	kind: {
		...list('HTTP statuses from 100 to 599, separated by commas, such as 403,429', (status) =>
			/^[1-5]\d\d$/.test(status),
		),
		property: { type: 'string', default: DEFAULT_STATUSES },
	},
};

export const containsField: Field = {
	name: 'contains',
	displayName: 'Contains',
	description:
		'Texts that only a page that blocks you has, such as the title of a captcha: one per line, ignoring case',
	placeholder: 'e.g. Verify you are human',
	kind: lines,
};

export const lacksField: Field = {
	name: 'lacks',
	displayName: 'Lacks',
	description:
		'Texts that every page you want has. A page without one of them counts as blocked. One per line, ignoring case.',
	placeholder: 'e.g. Add to cart',
	kind: lines,
};

export const shorterThanField: Field = {
	name: 'shorterThan',
	displayName: 'Shorter Than',
	description: 'How many bytes a page has at least. A shorter one counts as blocked.',
	kind: wholeNumber(0, 1_000_000_000, 500),
};

export const redirectedToField: Field = {
	name: 'redirectedTo',
	displayName: 'Redirected To',
	description: 'Part of the address to which the site redirects those it blocks',
	placeholder: 'e.g. /login',
	kind: text('part of an address', () => true),
};

export const retryIfCollection: FieldCollection = {
	name: 'retryIf',
	displayName: 'Retry If',
	placeholder: 'Add condition',
	fields: [statusesField, containsField, lacksField, shorterThanField, redirectedToField],
};

export const pagesAtATimeField: Field = {
	name: 'pagesAtATime',
	displayName: 'Pages at a Time',
	description: 'How many pages are opened at the same time',
	required: true,
	kind: wholeNumber(1, 100, 5),
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

export const requestsPerSecondField: Field = {
	name: 'requestsPerSecond',
	displayName: 'Requests per Second',
	description:
		"How many requests to send per second at most, including redirects. Without this option, a tunnel's own limit applies, and other products have none.",
	required: true,
	kind: frequency,
};

export const attemptTimeoutField: Field = {
	name: 'attemptTimeout',
	displayName: 'Attempt Timeout',
	description:
		'How many milliseconds one attempt may take, including the connection to the proxy, redirects, and the whole page',
	required: true,
	kind: wholeNumber(500, LONGEST_ATTEMPT_MS, 15_000),
};

export const maxPageSizeField: Field = {
	name: 'maxPageSize',
	displayName: 'Max Page Size',
	description: 'How many megabytes to load of a page at most. A larger page fails.',
	required: true,
	kind: wholeNumber(1, LARGEST_PAGE_MB, 10),
};

export const followRedirectsField: Field = {
	name: 'followRedirects',
	displayName: 'Follow Redirects',
	description: 'Whether to follow redirects, through the same proxy and with the cookies they set',
	kind: { ...oneOrZero, property: { type: 'boolean', default: true } },
};

export const giveUpSiteAfterField: Field = {
	name: 'giveUpSiteAfter',
	displayName: 'Give Up Site After (Proxies)',
	description:
		'After how many different proxies in a row that opened no page of a site its other pages fail at once, and after how many that could not even be connected to the run ends. 0 never gives up.',
	required: true,
	kind: wholeNumber(0, 100_000, 10),
};

export const ignoreCertificatesField: Field = {
	name: 'allowUnauthorizedCerts',
	displayName: 'Ignore SSL Issues (Insecure)',
	description:
		'Whether to open pages whose SSL certificate cannot be checked. Any proxy can then read and change what is sent.',
	kind: flag,
};

export const userAgentField: Field = {
	name: 'userAgent',
	displayName: 'User Agent',
	description:
		'The browser to appear as. Leave empty for a current browser with all of its headers, the same one as long as a proxy lives.',
	placeholder: 'e.g. Mozilla/5.0 (Windows NT 10.0; Win64; x64)',
	kind: text('a text without line breaks, in English letters', (text) =>
		/^[\x20-\x7e]{1,1000}$/.test(text),
	),
};

export const neverErrorField: Field = {
	name: 'neverError',
	displayName: 'Never Error',
	description:
		"Whether pages that can't be opened come out as items, too, with the reason in 'pageDetails.error'",
	kind: flag,
};

/** The options of opening pages, without those of taking proxies. */
export const PAGE_OPTIONS: readonly Field[] = [
	attemptTimeoutField,
	followRedirectsField,
	giveUpSiteAfterField,
	ignoreCertificatesField,
	maxPageSizeField,
	neverErrorField,
	pagesAtATimeField,
	requestsPerSecondField,
	userAgentField,
];

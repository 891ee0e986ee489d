import { asError, DescribedError } from '../../../shared/errors/callErrors';
import { FieldReader, readRequiredField, type Field } from '../../../shared/fields/field';
import {
	InvalidFieldError,
	secretFieldError,
	shortLine,
} from '../../../shared/fields/invalidFieldError';
import { text, type ValueKind } from '../../../shared/fields/valueKinds';
import {
	isEmpty,
	isList,
	isRecord,
	isWellFormed,
	ownValue,
	type UnknownRecord,
} from '../../../shared/guards';
import type { Item } from '../../operation';
import { OPTIONS_LABEL } from '../../parameters/callOptions';
import {
	columnRows,
	DEFAULT_STATUSES,
	emptyRow,
	FORMATS,
	headerRows,
	METHODS,
	outputName,
	PAGE_FIELDS,
	PAGE_OPTIONS,
	retryIfCollection,
	TAKES,
	type RowList,
} from './pageFields';

export const BYTES_PER_MEGABYTE = 1_000_000;

export type Headers = Readonly<Record<string, string>>;

/** The value of a header, whatever the case of its name. */
export function headerOf(headers: Headers, name: string): string | undefined {
	return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}

export function without(headers: Headers, names: readonly string[]): Headers {
	return Object.fromEntries(
		Object.entries(headers).filter(([name]) => !names.includes(name.toLowerCase())),
	);
}

/**
 * What is often entered in place of an address, and `what` that is, as the continuation of "'URL' is ". None of them is
 * one. What may hold a login is secret: no error repeats it.
 */
const MISTAKES = [
	{
		pattern:
			/^(?:socks\w*:\/\/|https?:\/\/[^\s/]*@[^\s/]+:\d+\/?$|(?:[^\s/]*@)?(?:\d{1,3}\.){3}\d{1,3}:\d+(?::\S*)?$)/i,
		what: 'the address of a proxy',
		isSecret: true,
		advice: 'Enter the address of the page. The node takes proxies for it by itself.',
	},
	{
		pattern: /^(?:\.{0,2}\/(?!\/)|[?#]|[\w%-]+(?:\/|\.(?:html?|php|aspx?|jsp)(?:[?#]|$)))/i,
		what: 'an address without a site',
		advice: "Put the site in front of it, as in {{ 'https://example.com' + $json.url }}.",
	},
	{
		pattern: /^(?:[^:/{]*\s[^:/{]*|[^.:/{\s]+)$/,
		what: 'text, not an address',
		advice:
			"To search a site, enter the address of the site's results, such as https://example.com/search?q=red+shoes.",
	},
	{ pattern: /^[\w-]+(\.[\w-]+)+(?:[:/?#]|$)/, advice: "Put 'https://' in front of it." },
	{
		pattern: /^https?:\/\/[^/?#]*@/i,
		advice: "A login doesn't belong in the address. Put it into 'Headers'.",
	},
];

function mistakeIn(entered: string) {
	return MISTAKES.find(({ pattern }) => pattern.test(entered));
}

/** Of http or https, without a login. */
function isPageUrl(entered: string): boolean {
	if (!/^https?:\/\/[^/?#]/i.test(entered) || !URL.canParse(entered)) return false;
	const { hostname, username, password } = new URL(entered);
	return hostname !== '' && username === '' && password === '';
}

const pageUrl: ValueKind = {
	...text('the full address of a page, such as https://example.com/list?page=2', isPageUrl),
	property: { type: 'string', typeOptions: { rows: 2 }, default: '={{ $json.url }}' },
	ifMissing:
		"Enter one, or several with one per line; or drag the column of the input that has them into 'URL'.",
	advice: (entered) => mistakeIn(entered)?.advice,
};

export const urlField: Field = {
	name: 'url',
	displayName: 'URL',
	description:
		'The address of the page to open, or several: a list, or one per line. Each becomes an item.',
	placeholder: 'e.g. https://example.com/list?page=2',
	kind: pageUrl,
	required: true,
};

/** @returns what was entered, empty where it is no text; its `url`, or an empty one and why it cannot be used */
function readAddress(value: unknown) {
	const address = typeof value === 'string' ? value.trim() : '';
	try {
		return { address, url: new URL(readRequiredField(urlField, value)).href };
	} catch (error) {
		const urlError = asError(error);
		const { what, isSecret } = mistakeIn(address) ?? {};
		if (what !== undefined) {
			const shown = isSecret === true ? '' : `: ${shortLine(address)}`;
			urlError.message = `'${urlField.displayName}' is ${what}${shown}`;
		}
		return { address, url: '', urlError };
	}
}

/** The addresses in 'URL', at least one: of a list, or of a text with one per line. */
function readAddresses(value: unknown) {
	const typed = typeof value === 'string' ? value : '';
	const several = isList(value) ? value : typed.split(/[\r\n]+/).filter((line) => line.trim());
	// Only their addresses tell the pages of an item apart then
	const isOneOfSeveral = several.length > (isList(value) ? 0 : 1);
	const addresses = isOneOfSeveral ? several : [value];
	return addresses.map((one) => ({ ...readAddress(one), isOneOfSeveral }));
}

/** The lines that have something in them, in lower case. */
export function linesOf(text: string | undefined): string[] {
	const lines = (text ?? '').split(/\r?\n/).map((line) => line.trim().toLowerCase());
	return lines.filter((line) => line !== '');
}

/** A body may hold a password, which no error repeats. */
function refusedBody(allowed: string): InvalidFieldError {
	return secretFieldError('Body', allowed);
}

/** Values of a form; a list is sent as several fields of its name. */
function formEntries(body: Readonly<Record<string, unknown>>): Array<[string, string]> {
	return Object.entries(body).flatMap(([name, value]) =>
		(isList(value) ? value : [value]).map((one): [string, string] => {
			const entered: unknown = one ?? '';
			if (!isRecord(entered) && !isList(entered)) return [name, String(entered)];
			throw refusedBody(
				`Allowed: fields with texts or numbers. '${shortLine(name)}' holds something else; a form has no objects.`,
			);
		}),
	);
}

function parsedJson(body: string): unknown {
	try {
		return JSON.parse(body);
	} catch {
		throw refusedBody(
			"Allowed: JSON, such as {\"page\": 2}. For a form, set 'Body Type' to 'Form'.",
		);
	}
}

/** Always encoded, as a browser sends it. */
function formText(body: unknown): string {
	const text = typeof body === 'string' ? body.trim() : '';
	const fields = text.startsWith('{') ? parsedJson(text) : body;
	if (isRecord(fields)) return String(new URLSearchParams(formEntries(fields)));
	const rows = text.split(/\s*\n\s*/);
	if (rows.every((row) => /^[^=[{"][^=]*=/.test(row))) {
		const form = rows.join('&');
		// Encoded already, as by a page in GBK, whose bytes are no UTF-8
		const isEncoded = /^(?:[\w.*~=&+-]|%[\da-f]{2})*$/i.test(form);
		return isEncoded ? form : String(new URLSearchParams(form));
	}
	throw refusedBody(
		'Allowed: an object, its JSON as text, or text such as a=b&c=d, or a=b on each line.',
	);
}

/** What a POST sends, with its content type; empty for nothing. */
function readBody(
	method: string,
	bodyType: string | undefined,
	body: unknown,
): [] | [body: string, type: string] {
	if (method !== 'POST') {
		if (isEmpty(body)) return [];
		throw refusedBody(
			`It works with 'Method' POST only, and 'Method' is ${method}. Remove it, make it an expression that is empty for ${method}, or change 'Method'.`,
		);
	}
	if (body === undefined || body === null) {
		throw new InvalidFieldError(
			'Body',
			body,
			'Without a value, nothing would be sent. Give it one, or an empty text to send nothing.',
		);
	}
	if (isEmpty(body) && (bodyType !== 'raw' || body === '')) return [];
	if (typeof body === 'string' && !isWellFormed(body)) {
		throw refusedBody('Allowed: text without broken characters.');
	}
	if (bodyType === 'form') {
		return [formText(body), 'application/x-www-form-urlencoded'];
	}
	if (bodyType === 'json') {
		if (typeof body === 'string') parsedJson(body);
		return [typeof body === 'string' ? body : JSON.stringify(body), 'application/json'];
	}
	if (typeof body === 'string') return [body, 'text/plain; charset=utf-8'];
	throw refusedBody("Allowed: text. For an object, set 'Body Type' to 'JSON'.");
}

/** What was entered row by row; those that were left as the editor adds them are none. */
function readRows(list: RowList, value: unknown): Array<FieldReader['text']> {
	const { displayName, fields } = list;
	const rows = isEmpty(value) ? [] : (ownValue(value, 'values') ?? []);
	if (!isList(rows) || !rows.every(isRecord) || (!isEmpty(value) && !isRecord(value))) {
		const allowed = `Allowed: a list of objects with ${fields.map(({ name }) => name).join(', ')}.`;
		throw fields.some(({ isSecret }) => isSecret)
			? secretFieldError(displayName, allowed)
			: new InvalidFieldError(displayName, value, allowed);
	}
	const untouched = emptyRow(list);
	const isTouched = (row: UnknownRecord) =>
		Object.entries(row).some(([name, entered]) => entered !== untouched[name]);
	return rows
		.filter(isTouched)
		.map((row) => new FieldReader().readCollection(list, { ...untouched, ...row }).text);
}

/** The headers that were typed, and the presets of others, each name once, whatever its case. */
function readHeaders(value: unknown, presets: Headers): Headers {
	// Whoever reads the error has not only headers that have names and values
	const { displayName } = headerRows;
	const fields = headerRows.fields.map((one) => ({ ...one, displayName }));
	const headers = readRows({ ...headerRows, fields }, value).map((text): [string, string] => [
		text('name') ?? '',
		text('value') ?? '',
	]);
	const all = [...Object.entries(presets), ...headers];
	const byName = new Map(all.map((header) => [header[0].toLowerCase(), header]));
	return Object.fromEntries(byName.values());
}

/**
 * The name of a column that was left without one: the last word of its selector, price of `.product > .price:first-child`.
 *
 * @throws InvalidFieldError for a selector that gives no name that can be used
 */
function nameOfColumn(selector: string): string {
	const conditions = /\[[^\]]*\]|::?[\w-]+(?:\([^)]*\))?/g;
	const word = selector
		.replace(conditions, ' ')
		.match(/[\p{L}\p{N}_-]+/gu)
		?.at(-1);
	if (word !== undefined && outputName.accepts(word)) return word;
	throw new InvalidFieldError('Name', '', `Type one, as the selector ${selector} gives none.`);
}

/** Columns that are picked from each page: at least one, each name once. */
function readColumns(value: unknown) {
	const columns = readRows(columnRows, value).map((text) => ({
		name: text('name') || nameOfColumn(text('selector') ?? ''),
		selector: text('selector') ?? '',
		take: TAKES.find((take) => take === text('take')) ?? 'text',
		/** Only for that. */
		attribute: text('attribute') ?? '',
		/** Whether all matches are wanted, as a list, rather than the first one. */
		all: text('all') === '1',
	}));
	const { displayName } = columnRows;
	if (columns.length === 0) {
		const advice = 'Add what to pick from each page, as a CSS selector.';
		throw new InvalidFieldError(displayName, '', advice);
	}
	const names = columns.map(({ name }) => name);
	const twice = names.find((name, index) => names.indexOf(name) !== index);
	if (twice === undefined) return columns;
	const advice = `Two of the '${displayName}' have this name. Change one of them.`;
	throw new InvalidFieldError('Name', twice, advice);
}

export type PageField = ReturnType<typeof readColumns>[number];

/**
 * Reads and checks what was entered for the pages of an item; nothing has been sent when it throws.
 *
 * @param valueOf the value of a field for this item
 * @throws InvalidFieldError, DescribedError
 */
export function readPageRequests(
	item: Pick<Item, 'isForAgent' | 'parameter' | 'callOptions'>,
	valueOf = (name: string) => item.parameter(name),
) {
	const urls = valueOf(urlField.name);
	if (item.isForAgent && (urls === undefined || urls === null)) {
		throw new DescribedError({
			message: "The model can't fill in 'URL' of this tool yet",
			description:
				"A tool has no input items, so the expression in 'URL' finds nothing. Open the tool, and click the ✨ button at the right end of 'URL' (Let the model define this parameter). Nothing was requested.",
		});
	}
	const { options } = item.callOptions();
	const { text } = new FieldReader()
		.read(PAGE_FIELDS, valueOf)
		.readCollection(retryIfCollection, valueOf(retryIfCollection.name))
		.readCollection({ displayName: OPTIONS_LABEL, fields: PAGE_OPTIONS }, options);
	const isOn = (name: string) => text(name) === '1';
	const optional = (name: string) => (text(name) === undefined ? undefined : Number(text(name)));
	const number = (name: string, preset = NaN) => optional(name) ?? preset;
	const method = METHODS.find((one) => one === text('method')) ?? 'GET';
	const [body, contentType] = readBody(method, text('bodyType'), valueOf('body'));
	const userAgent = text('userAgent');
	const format = FORMATS.find((one) => one === text('responseFormat')) ?? 'autodetect';
	const statuses = (text('statuses') ?? DEFAULT_STATUSES).split(',').filter(Boolean);
	const request = {
		/** Its code. */
		product: text('product') ?? '',
		method,
		/** As they were typed, and what kind of body there is. */
		headers: readHeaders(valueOf(headerRows.name), {
			...(userAgent !== undefined && { 'User-Agent': userAgent }),
			...(contentType !== undefined && { 'Content-Type': contentType }),
		}),
		/** Of POST. */
		body,
		followRedirects: text('followRedirects') !== '0',
		maxBytes: number('maxPageSize', 10) * BYTES_PER_MEGABYTE,
		/** For one attempt: the way to the proxy, redirects and the body included. */
		attemptTimeoutMs: number('attemptTimeout', 15_000),
		maxAttempts: number('maxAttempts'),
		/** How many pages may be open at the same time while this one is. */
		pagesAtATime: number('pagesAtATime', 5),
		/** How many pages share a proxy, 0 for as many as it works for; undefined for tunnels. */
		pagesPerProxy: optional('pagesPerProxy'),
		/** Items with the same one share a proxy and cookies. */
		sessionKey: text('sessionKey') || undefined,
		/** Of the run; undefined for as many as the order allows. */
		requestsPerSecond: optional('requestsPerSecond'),
		/** So many proxies in a row are tried in vain on a site, or to connect to at all; 0 for any number. */
		giveUpSiteAfter: number('giveUpSiteAfter', 10),
		/** Whether the certificates of pages are not checked. */
		ignoresCertificates: isOn('allowUnauthorizedCerts'),
		/** What makes an answer count as refused, so that another proxy is tried. */
		retryIf: {
			statuses: new Set(statuses.map(Number)),
			/** These two in lower case. */
			contains: linesOf(text('contains')),
			lacks: linesOf(text('lacks')),
			/** Bytes; 0 for none. */
			shorterThan: number('shorterThan', 0),
			/** Part of a URL. */
			redirectedTo: text('redirectedTo') || undefined,
		},
		format,
		/** Picked in place of the page; empty for another format. */
		fields: format === 'fields' ? readColumns(valueOf(columnRows.name)) : [],
		includesLinks: isOn('includeLinks'),
		outputField: text('outputField') ?? 'data',
		/** Whether a page that was not opened is an error of its item, instead of coming out among the others. */
		failsItem: text('failedPages') === 'error',
		/** Whether pages that this node opened in earlier executions are left out. A POST, such as a login, is sent each time. */
		skipOpened: isOn('skipOpened') && method !== 'POST',
	};
	return readAddresses(urls).map((address) => ({ ...request, ...address }));
}

/** What an item wants of a page, checked, besides the proxies for it. */
export type PageRequest = ReturnType<typeof readPageRequests>[number];

/** What pages are told apart by, where one may be given up and another not. */
export function siteOf({ url }: Pick<PageRequest, 'url'>): string {
	return new URL(url).hostname;
}

/** What is sent of an address: who follows links, or opens pages again, tells them apart by that. */
export function withoutFragment(url: string): string {
	const address = new URL(url);
	address.hash = '';
	return address.href;
}

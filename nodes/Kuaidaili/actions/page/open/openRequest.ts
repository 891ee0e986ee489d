import { DescribedError } from '../../../../shared/errors/callErrors';
import { FieldReader } from '../../../../shared/fields/field';
import {
	InvalidFieldError,
	SecretFieldError,
	shortLine,
} from '../../../../shared/fields/invalidFieldError';
import {
	isEmpty,
	isList,
	isRecord,
	isWellFormed,
	ownValue,
	type UnknownRecord,
} from '../../../../shared/guards';
import type { Item } from '../../../operation';
import { OPTIONS_LABEL } from '../../../parameters/callOptions';
import type { PageField } from '../../../pages/content/fields';
import type { ResponseFormat } from '../../../pages/pageContent';
import { BYTES_PER_MEGABYTE, headerOf, type PageRequest } from '../../../pages/pageRequest';
import type { WayRequest } from '../../../pages/pageRun';
import { readAddresses, urlField, type PageAddress } from './addresses';
import {
	columnsCollection,
	columnsProperty,
	DEFAULT_STATUSES,
	FORMATS,
	headersProperty,
	METHODS,
	PAGE_FIELDS,
	PAGE_OPTIONS,
	retryIfCollection,
	TAKES,
} from './fields';

/** What an item wants of a page, besides the proxy for it. */
export interface OpenRequest extends Omit<WayRequest, 'proxies'>, Omit<PageAddress, 'url'> {
	/** With an empty `url` where there is none that could be used. */
	readonly page: PageRequest;
	/** Items with the same one share a proxy and cookies. */
	readonly sessionKey?: string;
	readonly format: ResponseFormat | 'fields';
	/** Picked in place of the page; empty for another format. */
	readonly fields: readonly PageField[];
	readonly includesLinks: boolean;
	readonly outputField: string;
	/** Whether a page that was not opened is an error of its item, instead of coming out among the others. */
	readonly failsItem: boolean;
	/** Whether pages that this node opened in earlier executions are left out. */
	readonly skipOpened: boolean;
}

/** The lines that have something in them, in lower case. */
export function linesOf(text: string | undefined): string[] {
	const lines = (text ?? '').split(/\r?\n/).map((line) => line.trim().toLowerCase());
	return lines.filter((line) => line !== '');
}

/** A body may hold a password, which no error repeats. */
function refusedBody(allowed: string): InvalidFieldError {
	return new SecretFieldError('Body', allowed);
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

/** @throws InvalidFieldError */
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
	const form = text.startsWith('{') ? parsedJson(text) : body;
	if (isRecord(form)) return String(new URLSearchParams(formEntries(form)));
	const rows = text.split(/\s*\n\s*/);
	if (rows.every((row) => /^[^=[{"][^=]*=/.test(row))) {
		return String(new URLSearchParams(rows.join('&')));
	}
	throw refusedBody(
		'Allowed: an object, its JSON as text, or text such as a=b&c=d, or a=b on each line.',
	);
}

/**
 * What a POST sends; undefined for nothing.
 *
 * @throws InvalidFieldError
 */
function readBody(bodyType: string | undefined, body: unknown): PageRequest['body'] {
	if (body === undefined || body === null) {
		throw new InvalidFieldError(
			'Body',
			body,
			'Without a value, nothing would be sent. Give it one, or an empty text to send nothing.',
		);
	}
	if (isEmpty(body) && (bodyType !== 'raw' || body === '')) return undefined;
	if (typeof body === 'string' && !isWellFormed(body)) {
		throw refusedBody('Allowed: text without broken characters.');
	}
	if (bodyType === 'form') {
		return { text: formText(body), contentType: 'application/x-www-form-urlencoded' };
	}
	if (bodyType === 'json') {
		if (typeof body === 'string') parsedJson(body);
		const text = typeof body === 'string' ? body : JSON.stringify(body);
		return { text, contentType: 'application/json' };
	}
	if (typeof body === 'string') return { text: body, contentType: 'text/plain; charset=utf-8' };
	throw refusedBody("Allowed: text. For an object, set 'Body Type' to 'JSON'.");
}

/** What was added to a list in the editor. */
function rowsOf(value: unknown, label: string, allowed: string): unknown[] {
	const rows = isEmpty(value) ? [] : (ownValue(value, 'values') ?? []);
	if (isList(rows) && (isEmpty(value) || isRecord(value))) return rows;
	throw new InvalidFieldError(label, value, allowed);
}

const HEADERS = headersProperty.displayName;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;
/** Without line breaks and other control characters; Node.js sends no others than Latin-1. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]{0,8000}$/;

/** What the connection to the proxy needs, or what follows from the address and the body. */
const OWN_HEADER =
	/^(?:connection|content-length|host|keep-alive|proxy-authorization|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i;

function readHeader(entry: unknown): Array<[string, string]> {
	const [name, value] = [ownValue(entry, 'name'), ownValue(entry, 'value')];
	if (isEmpty(name) && isEmpty(value)) return [];
	if (typeof name !== 'string' || !NAME.test(name.trim())) {
		throw new InvalidFieldError(
			HEADERS,
			name,
			'Allowed: names such as Referer or X-Requested-With.',
		);
	}
	const key = name.trim();
	if (OWN_HEADER.test(key)) {
		throw new InvalidFieldError(HEADERS, key, 'The node sets this header by itself. Remove it.');
	}
	const text = String(value).trim();
	if (!['string', 'number', 'boolean'].includes(typeof value) || !VALUE.test(text)) {
		throw new InvalidFieldError(
			HEADERS,
			value,
			`Allowed for '${key}': text without line breaks, in Western letters. Encode others, as %E4%B8%AD for 中.`,
		);
	}
	return [[key, text]];
}

/**
 * The headers that were typed, each name once, whatever its case.
 *
 * @throws InvalidFieldError
 */
function readHeaders(value: unknown): Readonly<Record<string, string>> {
	const rows = rowsOf(value, HEADERS, 'Allowed: a list of names and values.');
	const headers = rows.flatMap(readHeader);
	const byName = new Map(headers.map((header) => [header[0].toLowerCase(), header]));
	return Object.fromEntries(byName.values());
}

/** What a column has that was added to the list, and not filled in. */
const UNTOUCHED = Object.fromEntries(
	columnsCollection.fields.map(({ name, kind }) => [name, kind.property.default]),
);

function readColumn(entry: unknown): PageField {
	const column = isRecord(entry) ? { ...UNTOUCHED, ...entry } : entry;
	const { text } = new FieldReader().readCollection(columnsCollection, column);
	return {
		name: text('name') ?? '',
		selector: text('selector') ?? '',
		take: TAKES.find((take) => take === text('take')) ?? 'text',
		attribute: text('attribute') ?? '',
		all: text('all') !== undefined,
	};
}

/**
 * At least one column, each name once.
 *
 * @throws InvalidFieldError
 */
function readColumns(value: unknown): readonly PageField[] {
	const { displayName } = columnsProperty;
	const rows = rowsOf(value, displayName, 'Allowed: a list of names and selectors.');
	if (rows.length === 0) {
		const advice = 'Add what to pick from each page: a name, and a CSS selector.';
		throw new InvalidFieldError(displayName, '', advice);
	}
	const columns = rows.map(readColumn);
	const names = columns.map(({ name }) => name);
	const twice = names.find((name, index) => names.indexOf(name) !== index);
	if (twice === undefined) return columns;
	const advice = `Two of the '${displayName}' have this name. Change one of them.`;
	throw new InvalidFieldError('Name', twice, advice);
}

/**
 * Throws DescribedError where an agent calls the node as its tool, and nobody fills in the address: a tool has no input
 * that `{{ $json.url }}` could find it in.
 */
export function refuseUnfilledUrl(item: Pick<Item, 'isForAgent' | 'parameter'>): void {
	const entered = item.isForAgent ? item.parameter(urlField.name) : '';
	if (entered !== undefined && entered !== null) return;
	throw new DescribedError({
		message: "The model can't fill in 'URL' of this tool yet",
		description:
			"A tool has no input items, so the expression in 'URL' finds nothing. Open the tool, and click the ✨ button at the right end of 'URL' (Let the model define this parameter). Nothing was requested.",
	});
}

/**
 * Reads and checks what was entered for the pages of an item; nothing has been sent when it throws.
 *
 * @param valueOf the value of a field for this item
 * @param options the collection 'Options'
 * @throws InvalidFieldError
 */
export function readOpenRequests(
	valueOf: (name: string) => unknown,
	options: UnknownRecord,
): readonly OpenRequest[] {
	const { text } = new FieldReader()
		.read(PAGE_FIELDS, valueOf)
		.readCollection(retryIfCollection, valueOf(retryIfCollection.name))
		.readCollection({ displayName: OPTIONS_LABEL, fields: PAGE_OPTIONS }, options);
	const isOn = (name: string) => text(name) === '1';
	const optional = (name: string) => (text(name) === undefined ? undefined : Number(text(name)));
	const number = (name: string, preset = NaN) => optional(name) ?? preset;
	const method = METHODS.find((one) => one === text('method')) ?? 'GET';
	const body = valueOf('body');
	if (method !== 'POST' && !isEmpty(body)) {
		throw refusedBody(
			`It works with 'Method' POST only, and 'Method' is ${method}. Remove it, make it an expression that is empty for ${method}, or change 'Method'.`,
		);
	}
	const typed = readHeaders(valueOf(headersProperty.name));
	const userAgent = text('userAgent');
	const isNamed = userAgent === undefined || headerOf(typed, 'user-agent') !== undefined;
	const format = FORMATS.find((one) => one === text('responseFormat')) ?? 'autodetect';
	const sessionKey = text('sessionKey') || undefined;
	const statuses = (text('statuses') ?? DEFAULT_STATUSES).split(',').filter(Boolean);
	const page = {
		method,
		headers: isNamed ? typed : { 'User-Agent': userAgent, ...typed },
		body: method === 'POST' ? readBody(text('bodyType'), body) : undefined,
		followRedirects: text('followRedirects') !== '0',
		maxBytes: number('maxPageSize', 10) * BYTES_PER_MEGABYTE,
		attemptTimeoutMs: number('attemptTimeout', 15_000),
		maxAttempts: number('maxAttempts'),
		pagesAtATime: number('pagesAtATime', 5),
		pagesPerProxy: sessionKey === undefined ? optional('pagesPerProxy') : undefined,
		giveUpSiteAfter: number('giveUpSiteAfter', 10),
		ignoresCertificates: isOn('allowUnauthorizedCerts'),
		retryIf: {
			statuses: new Set(statuses.map(Number)),
			contains: linesOf(text('contains')),
			lacks: linesOf(text('lacks')),
			shorterThan: number('shorterThan', 0),
			redirectedTo: text('redirectedTo') || undefined,
		},
	};
	const request = {
		product: text('product') ?? '',
		pagesPerProxy: number('pagesPerProxy', 1),
		sessionKey,
		format,
		fields: format === 'fields' ? readColumns(valueOf(columnsProperty.name)) : [],
		includesLinks: isOn('includeLinks'),
		outputField: text('outputField') ?? 'data',
		requestsPerSecond: optional('requestsPerSecond'),
		failsItem: text('failedPages') === 'error',
		skipOpened: isOn('skipOpened'),
	};
	return readAddresses(valueOf(urlField.name)).map(({ url, ...address }) => ({
		...request,
		...address,
		page: { ...page, url },
	}));
}

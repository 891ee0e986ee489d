import { DescribedError } from '../../../../shared/errors/callErrors';
import { FieldReader, type Field } from '../../../../shared/fields/field';
import {
	InvalidFieldError,
	SecretFieldError,
	shortLine,
} from '../../../../shared/fields/invalidFieldError';
import {
	isEmpty,
	isList,
	isOneOf,
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
import { readAddresses } from './addresses';
import {
	DEFAULT_STATUSES,
	PAGE_FIELDS,
	PAGE_OPTIONS,
	retryIfCollection,
	sessionKeyField,
	urlField,
} from './fields';
import { pickedFieldsProperty, readPickedFields } from './pickedFields';

/** What an item wants of a page, besides the proxy for it. */
export interface OpenRequest extends Omit<WayRequest, 'proxies'> {
	/** With an empty `url` where there is none that could be used. */
	readonly page: PageRequest;
	/** Of the page, as it was entered. */
	readonly address: string;
	/** Whether the item may have other pages, so that only their addresses tell them apart. */
	readonly isOneOfSeveral: boolean;
	/** Why there is no page to open. */
	readonly urlError?: Error;
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

const METHODS = ['GET', 'HEAD', 'POST'] as const;
const FORMATS = ['autodetect', 'fields', 'file', 'json', 'markdown', 'text'] as const;

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
			if (one === undefined || one === null) return [name, ''];
			if (typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean') {
				return [name, String(one)];
			}
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

const HEADERS = 'Headers';
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;
/** Without line breaks and other control characters; Node.js sends no others than Latin-1. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]{0,8000}$/;

/** What the connection to the proxy needs, or what follows from the address and the body. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
	'connection',
	'content-length',
	'host',
	'keep-alive',
	'proxy-authorization',
	'proxy-connection',
	'te',
	'trailer',
	'transfer-encoding',
	'upgrade',
]);

function readHeader(entry: unknown): [string, string] | undefined {
	const [name, value] = [ownValue(entry, 'name'), ownValue(entry, 'value')];
	if (isEmpty(name) && isEmpty(value)) return undefined;
	if (typeof name !== 'string' || !NAME.test(name.trim())) {
		throw new InvalidFieldError(
			HEADERS,
			name,
			'Allowed: names such as Referer or X-Requested-With.',
		);
	}
	const key = name.trim();
	if (OWN_HEADERS.has(key.toLowerCase())) {
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
	return [key, text];
}

/**
 * The headers that were typed, each name once, whatever its case.
 *
 * @throws InvalidFieldError
 */
function readHeaders(headers: unknown): Readonly<Record<string, string>> {
	if (isEmpty(headers)) return {};
	const entries = ownValue(headers, 'values') ?? [];
	if (!isRecord(headers) || !isList(entries)) {
		throw new InvalidFieldError(HEADERS, headers, 'Allowed: a list of names and values.');
	}
	const byName = new Map<string, [string, string]>();
	for (const entry of entries) {
		const header = readHeader(entry);
		if (header !== undefined) byName.set(header[0].toLowerCase(), header);
	}
	return Object.fromEntries(byName.values());
}

/** A field that is not there has its preset; one that was emptied has nothing. */
function statusesOf(retryIf: unknown, reader: FieldReader): ReadonlySet<number> {
	const isThere = ownValue(retryIf, 'statuses') !== undefined;
	const text = isThere ? reader.text('statuses') : DEFAULT_STATUSES;
	return new Set((text ?? '').split(',').filter(Boolean).map(Number));
}

/** @throws InvalidFieldError for a value that only an expression gives which found nothing */
function refuseUnfound(value: unknown, { displayName }: Field, advice: string): void {
	if (value === undefined || value === null)
		throw new InvalidFieldError(displayName, value, advice);
}

/**
 * A condition that was added and left empty checks nothing, as in the editor. No value at all comes only from an
 * expression, and then every page would pass.
 *
 * @throws InvalidFieldError
 */
function refuseUnfoundConditions(retryIf: unknown): void {
	const advice = `Without a value, it would check nothing. Give it one, or remove it from '${retryIfCollection.displayName}'.`;
	for (const field of retryIfCollection.fields) {
		if (isRecord(retryIf) && Object.hasOwn(retryIf, field.name)) {
			refuseUnfound(ownValue(retryIf, field.name), field, advice);
		}
	}
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
	const retryIf = valueOf(retryIfCollection.name);
	refuseUnfoundConditions(retryIf);
	refuseUnfound(
		valueOf(sessionKeyField.name),
		sessionKeyField,
		'Without a value, the page would belong to no session. Give it one, or an empty text for a page on its own.',
	);
	const reader = new FieldReader()
		.read(PAGE_FIELDS, valueOf)
		.readCollection(retryIfCollection, retryIf)
		.readCollection({ displayName: OPTIONS_LABEL, fields: PAGE_OPTIONS }, options);
	const text = (name: string) => reader.text(name);
	const number = (name: string, preset?: number) => Number(text(name) ?? preset);
	const [method] = METHODS.filter((one) => one === text('method'));
	const body = valueOf('body');
	if (method !== 'POST' && !isEmpty(body)) {
		throw refusedBody(
			`It works with 'Method' POST only, and 'Method' is ${method}. Remove it, make it an expression that is empty for ${method}, or change 'Method'.`,
		);
	}
	const typed = readHeaders(valueOf('headers'));
	const userAgent = text('userAgent');
	const isNamed = userAgent === undefined || headerOf(typed, 'user-agent') !== undefined;
	const failsItem = text('failedPages') === 'error';
	const chosen = text('responseFormat');
	const format = isOneOf(chosen, FORMATS) ? chosen : 'autodetect';
	const perSecond = text('requestsPerSecond');
	const ownPages = text('pagesPerProxy');
	const sessionKey = text(sessionKeyField.name);
	const request = {
		page: {
			method,
			headers: isNamed ? typed : { 'User-Agent': userAgent, ...typed },
			body: method === 'POST' ? readBody(text('bodyType'), body) : undefined,
			followRedirects: text('followRedirects') !== '0',
			maxBytes: number('maxPageSize', 10) * BYTES_PER_MEGABYTE,
			attemptTimeoutMs: number('attemptTimeout', 15_000),
			maxAttempts: number('maxAttempts'),
			pagesAtATime: number('pagesAtATime', 5),
			pagesPerProxy:
				ownPages === undefined || sessionKey !== undefined ? undefined : Number(ownPages),
			giveUpSiteAfter: number('giveUpSiteAfter', 10),
			ignoresCertificates: text('allowUnauthorizedCerts') !== undefined,
			retryIf: {
				statuses: statusesOf(retryIf, reader),
				contains: linesOf(text('contains')),
				lacks: linesOf(text('lacks')),
				shorterThan: number('shorterThan', 0),
				redirectedTo: text('redirectedTo'),
			},
		},
		product: text('product') ?? '',
		pagesPerProxy: number('pagesPerProxy', 1),
		sessionKey,
		format,
		fields: format === 'fields' ? readPickedFields(valueOf(pickedFieldsProperty.name)) : [],
		includesLinks: text('includeLinks') !== undefined,
		outputField: text('outputField') ?? 'data',
		requestsPerSecond: perSecond === undefined ? undefined : Number(perSecond),
		failsItem,
		skipOpened: text('skipOpened') !== undefined,
	};
	const { addresses, areSeveral } = readAddresses(valueOf(urlField.name));
	return addresses.map(({ entered, url, error }) => ({
		...request,
		page: { ...request.page, url },
		address: entered,
		isOneOfSeveral: areSeveral,
		urlError: error,
	}));
}

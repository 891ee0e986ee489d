import { eventLoopYielder } from '../../../shared/api/wait';
import { DescribedError } from '../../../shared/api/errors';
import { FieldReader, readCollection } from '../../../shared/fields/reader';
import {
	type FieldCollection,
	InvalidFieldError,
	secretFieldError,
	shortLine,
} from '../../../shared/fields/field';
import {
	isEmpty,
	isList,
	isRecord,
	isWellFormed,
	ownValue,
	type UnknownRecord,
} from '../../../shared/guards';
import type { Item } from '../../run/item';
import { OPTIONS_LABEL, readerWithOptions } from '../../parameters/callOptions';
import { readAddresses, urlField, type PageAddress } from './pageAddresses';
import {
	columnRows,
	DEFAULT_STATUSES,
	emptyRow,
	type FORMATS,
	headerRows,
	isFormat,
	METHODS,
	NEXT_PAGE_OPTIONS,
	outputName,
	PAGE_FIELDS,
	PAGE_OPTIONS,
	PAGE_PRESETS,
	REQUEST_PRESETS,
	requestRow,
	retryIfCollection,
	selectorsIn,
	TAKES,
} from './pageFields';

export const BYTES_PER_MEGABYTE = 1_000_000;

/** The value of a header, whatever the case of its name. */
export function headerOf(headers: PageRequest['headers'], name: string): string | undefined {
	return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}

export function without(
	headers: PageRequest['headers'],
	names: readonly string[],
): PageRequest['headers'] {
	return Object.fromEntries(
		Object.entries(headers).filter(([name]) => !names.includes(name.toLowerCase())),
	);
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

/** The body of a POST, with its content type; empty for nothing. */
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
	if (isEmpty(body)) return [];
	if (typeof body === 'string' && !isWellFormed(body)) {
		throw refusedBody('Allowed: text without broken characters.');
	}
	if (bodyType === 'form') {
		return [formText(body), 'application/x-www-form-urlencoded'];
	}
	if (typeof body === 'string') parsedJson(body);
	return [typeof body === 'string' ? body : JSON.stringify(body), 'application/json'];
}

/** The label of a field of a column, as an error puts it into quotes. */
function labelIn(label: string, column: string): string {
	return `${label}' of '${shortLine(column)}`;
}

/** The list with labels by which an error names the row: 'Selector' of 'price'. */
function namedAfter(list: FieldCollection, { name }: UnknownRecord): FieldCollection {
	if (list !== columnRows || typeof name !== 'string' || name === '') return list;
	const named = list.fields.map((one) =>
		one.name === 'name' ? one : { ...one, displayName: labelIn(one.displayName, name) },
	);
	return { ...list, fields: named };
}

/** The rows that were entered; those that were left as the editor adds them don't count. */
function readRows(list: FieldCollection, value: unknown): Array<FieldReader['textOf']> {
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
		.map(
			(row) =>
				new FieldReader().readCollection(namedAfter(list, row), { ...untouched, ...row }).textOf,
		);
}

/** The headers that were typed, and the presets of others, each name once, whatever its case. */
function readHeaders(value: unknown, presets: PageRequest['headers']): PageRequest['headers'] {
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
 * The name of a column that was left without one, as a data table takes it: the last word of its selector, `item_price` of
 * `.product > .item-price:first-child`.
 *
 * @throws InvalidFieldError for a selector that gives no name that can be used
 */
function nameOfColumn(selector: string): string {
	const conditions = /\[[^\]]*\]|::?[\w-]+(?:\([^)]*\))?/g;
	const word = selector
		.replace(conditions, ' ')
		.match(/[\p{L}\p{N}_-]+/gu)
		?.at(-1)
		?.replaceAll('-', '_')
		.replace(/^_+(?=.)/, '');
	if (word !== undefined && outputName.accepts(word)) return word;
	throw new InvalidFieldError('Name', '', `Type one, as the selector ${selector} gives none.`);
}

/** A column that is picked from each page, or from each row of it. */
export interface PageField {
	/** The field of the output. */
	readonly name: string;
	/** A CSS selector, or a path in JSON; empty stands for the row itself. */
	readonly selector: string;
	readonly take: (typeof TAKES)[number];
	/** The name of the attribute to take; empty unless `take` is `attribute`. */
	readonly attribute: string;
	/** Whether the value is a list of all matches, rather than the first one. */
	readonly all: boolean;
}

/**
 * The columns, each name once.
 *
 * @param hasRows whether rows are picked: a table may then name its columns itself, and a column may be the row
 * @throws InvalidFieldError where there is none and no row either
 */
function readColumns(value: unknown, hasRows: boolean): PageField[] {
	const columns = readRows(columnRows, value).map((text) => ({
		name: text('name') || nameOfColumn(text('selector') ?? ''),
		selector: text('selector') ?? '',
		take: TAKES.find((take) => take === text('take')) ?? 'text',
		attribute: text('attribute') ?? '',
		all: text('all') === '1',
	}));
	const { displayName } = columnRows;
	if (columns.length === 0 && !hasRows) {
		const advice =
			"Add what to pick from each page, as a CSS selector, or enter 'Row Selector', such as tr for a table.";
		throw new InvalidFieldError(displayName, '', advice);
	}
	const without = hasRows ? undefined : columns.find(({ selector }) => selector === '');
	if (without !== undefined) {
		const advice = "Enter a CSS selector. It may be empty only with a 'Row Selector'.";
		throw new InvalidFieldError(labelIn('Selector', without.name), '', advice);
	}
	const names = columns.map(({ name }) => name);
	const twice = names.find((name, index) => names.indexOf(name) !== index);
	if (twice === undefined) return columns;
	const advice = `Two of the '${displayName}' have this name. Change one of them.`;
	throw new InvalidFieldError('Name', twice, advice);
}

/** A page to open, checked. The proxies for it are asked for separately. */
export interface PageRequest extends PageAddress {
	/** The code of the product, `DPS` by default. */
	readonly product: string;
	/** `GET` by default. */
	readonly method: (typeof METHODS)[number];
	/** The headers that were typed, and the type of the body; empty by default. */
	readonly headers: Readonly<Record<string, string>>;
	/** The body of a POST; undefined, the default, sends none. */
	readonly body?: string;
	/** The most bytes of a page, 10 million by default; a larger one fails. */
	readonly maxBytes: number;
	/** Milliseconds for one attempt, redirects and body included; 15,000 by default. */
	readonly attemptTimeoutMs: number;
	/** 3 by default. */
	readonly maxAttempts: number;
	/** How many pages may be open at the same time while this one is; 5 by default. */
	readonly pagesAtATime: number;
	/** How many pages share a proxy, 1 by default, 0 for as many as it works for; undefined for tunnels. */
	readonly pagesPerProxy?: number;
	/** Pages with the same key share a proxy and cookies; undefined, the default, for a page on its own. */
	readonly sessionKey?: string;
	/** The rate of the whole run; undefined, the default, for as many as the order allows. */
	readonly requestsPerSecond?: number;
	/** Whether certificates of pages are not checked; false by default. */
	readonly ignoresCertificates: boolean;
	/** Conditions under which an answer counts as refused, so that another proxy is tried. */
	readonly retryIf: {
		/** HTTP statuses; those of `DEFAULT_STATUSES` by default. */
		readonly statuses: ReadonlySet<number>;
		/** Texts in lower case of which a wanted page has none; none by default. */
		readonly contains: readonly string[];
		/** Texts in lower case that a wanted page has all of; none by default. */
		readonly lacks: readonly string[];
		/** Part of the URL to which blocked requests are redirected; undefined, the default, for none. */
		readonly redirectedTo?: string;
	};
	/** `autodetect` by default. */
	readonly format: keyof typeof FORMATS;
	/** The columns of the format `fields`; empty for other formats, and for rows of a table that names them itself. */
	readonly fields: readonly PageField[];
	/**
	 * The CSS selector of the rows for the format `fields`, or the path of a list in JSON; undefined, the default, for one
	 * row of each page.
	 */
	readonly rowSelector?: string;
	/** Whether only the main content becomes Markdown or text; by default true for agents, and false for others. */
	readonly mainContentOnly: boolean;
	/** CSS selectors of what is left out of Markdown and text; none by default. */
	readonly leaveOut: readonly string[];
	/** The CSS selector, or the path in JSON, of the address of the next page; undefined, the default, for none. */
	readonly nextPage?: string;
	/** How many next pages of each address are opened at most; 10 by default. */
	readonly maxNextPages: number;
	/** Whether flat texts stand in place of `pageDetails`; true by default, and always for agents. */
	readonly isSimplified: boolean;
	/** False by default. */
	readonly includesLinks: boolean;
	/** The field of the output, or the name of its binary data; `data` by default. */
	readonly outputField: string;
	/** Whether pages that this node opened in earlier executions are left out; false by default, and for a POST. */
	readonly skipOpened: boolean;
}

/** Reads the fields of an item's pages, some of which stand in 'Options' or in a row there. */
export function pageReader(item: Pick<Item, 'parameter' | 'callOptions'>) {
	const valueOf = readerWithOptions(item, PAGE_PRESETS);
	const { displayName, name: row } = requestRow;
	return (name: string): unknown => {
		if (!Object.hasOwn(REQUEST_PRESETS, name)) return valueOf(name);
		const { values } = readCollection(valueOf(row), displayName);
		return { ...REQUEST_PRESETS, ...readCollection(values, displayName) }[name];
	};
}

/**
 * Reads and checks what was entered for the pages of an item; nothing has been sent when it throws.
 *
 * @param settings everything but their addresses
 * @throws InvalidFieldError, DescribedError
 */
export async function readPageRequests(
	item: Pick<Item, 'isForAgent' | 'parameter' | 'callOptions'>,
	settings = readPageSettings(item),
): Promise<PageRequest[]> {
	// Once: an expression takes n8n longer than all else that is read of an item
	const urls = item.parameter(urlField.name);
	if (item.isForAgent && (urls === undefined || urls === null)) refuseToolWithoutUrl();
	const addresses = await readAddresses(urls);
	if (addresses.some(({ openRange }) => openRange !== undefined)) {
		if (settings.nextPage !== undefined) throw new DescribedError(NO_RANGE_OF_LISTS);
		if (settings.skipOpened) throw new DescribedError(NO_SKIPPED_RANGES);
	}
	const pause = eventLoopYielder();
	const requests: PageRequest[] = [];
	for (const address of addresses) {
		requests.push({ ...settings, ...address });
		await pause();
	}
	return requests;
}

const NO_RANGE_OF_LISTS = {
	message: "'Next Page' doesn't go with a range without an end in 'URL'",
	description: 'Either of them opens the pages of a list. Remove one. Nothing was requested.',
};

const NO_SKIPPED_RANGES = {
	message: "'Skip Opened Pages' doesn't go with a range without an end in 'URL'",
	description:
		"Such a range ends where a page has no new rows, so it is read again each time. Remove 'Skip Opened Pages', and put n8n's node Remove Duplicates behind this one. Nothing was requested.",
};

const NO_SKIPPED_LISTS = {
	message: "'Skip Opened Pages' doesn't go with 'Next Page'",
	description:
		"A list is read again each time, because there may be something new in it. Remove 'Skip Opened Pages', and put n8n's node Remove Duplicates behind this one: on a column that tells the rows apart, or on the addresses that another Page: Open opens. Nothing was requested.",
};

function refuseToolWithoutUrl(): never {
	throw new DescribedError({
		message: "The model can't fill in 'URL' of this tool yet",
		description:
			"A tool has no input items, so the expression in 'URL' finds nothing. Open the tool, and click the ✨ button at the right end of 'URL' (Let the model define this parameter). Nothing was requested.",
	});
}

function readRetryIf(text: FieldReader['textOf']): PageRequest['retryIf'] {
	const statuses = (text('statuses') ?? DEFAULT_STATUSES).split(',').filter(Boolean);
	return {
		statuses: new Set(statuses.map(Number)),
		contains: linesOf(text('contains')),
		lacks: linesOf(text('lacks')),
		redirectedTo: text('redirectedTo') || undefined,
	};
}

/** Everything that the pages of an item have in common. Throws InvalidFieldError, DescribedError. */
export function readPageSettings(
	item: Pick<Item, 'isForAgent' | 'parameter' | 'callOptions'>,
	valueOf: (name: string) => unknown = pageReader(item),
): Omit<PageRequest, keyof PageAddress> {
	const { options } = item.callOptions();
	const { textOf } = new FieldReader()
		.read(PAGE_FIELDS, valueOf)
		.readCollection(retryIfCollection, valueOf(retryIfCollection.name))
		.readCollection(
			{ displayName: OPTIONS_LABEL, fields: [...PAGE_OPTIONS, ...NEXT_PAGE_OPTIONS] },
			options,
		);
	const isOn = (name: string) => textOf(name) === '1';
	const optional = (name: string) =>
		textOf(name) === undefined ? undefined : Number(textOf(name));
	const number = (name: string, preset = NaN) => optional(name) ?? preset;
	const method = METHODS.find((one) => one === textOf('method')) ?? 'GET';
	const [body, contentType] = readBody(method, textOf('bodyType'), valueOf('body'));
	const responseFormat = textOf('responseFormat');
	const format = isFormat(responseFormat) ? responseFormat : 'autodetect';
	if (isOn('skipOpened') && textOf('nextPage') !== undefined)
		throw new DescribedError(NO_SKIPPED_LISTS);
	const rowSelector = textOf('rowSelector') || undefined;
	return {
		product: textOf('product') ?? '',
		method,
		headers: readHeaders(
			valueOf(headerRows.name),
			contentType === undefined ? {} : { 'Content-Type': contentType },
		),
		body,
		maxBytes: number('maxPageSize', 10) * BYTES_PER_MEGABYTE,
		attemptTimeoutMs: number('attemptTimeout', 15) * 1000,
		maxAttempts: number('maxAttempts'),
		pagesAtATime: number('pagesAtATime', 5),
		pagesPerProxy: optional('pagesPerProxy'),
		sessionKey: textOf('sessionKey') || undefined,
		requestsPerSecond: optional('requestsPerSecond'),
		ignoresCertificates: isOn('allowUnauthorizedCerts'),
		retryIf: readRetryIf(textOf),
		format,
		fields:
			format === 'fields' ? readColumns(valueOf(columnRows.name), rowSelector !== undefined) : [],
		rowSelector,
		mainContentOnly: textOf('mainContent') === undefined ? item.isForAgent : isOn('mainContent'),
		leaveOut: selectorsIn(textOf('leaveOut') ?? ''),
		nextPage: textOf('nextPage'),
		maxNextPages: number('maxNextPages', 10),
		isSimplified: item.isForAgent || textOf('simplify') !== '0',
		includesLinks: isOn('includeLinks'),
		outputField: textOf('outputField') ?? 'data',
		skipOpened: isOn('skipOpened') && method !== 'POST',
	};
}

/** The site of a page: one may be given up and another not. */
export function siteOf({ url }: Pick<PageRequest, 'url'>): string {
	return new URL(url).hostname;
}

/** The part of an address that is sent: who follows links, or opens pages again, tells them apart by that. */
export function withoutFragment(url: string): string {
	const address = new URL(url);
	address.hash = '';
	return address.href;
}

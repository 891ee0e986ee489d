import {
	InvalidFieldError,
	SecretFieldError,
	shortLine,
} from '../../../../shared/fields/invalidFieldError';
import { isList, isRecord, isWellFormed, ownValue } from '../../../../shared/guards';
import type { PageRequest } from '../../../pages/pageRequest';

/** What sites and proxies answer to whom they block, or while they are in trouble. */
export const DEFAULT_STATUSES = '403,429,500,502,503,504';

/** Of http or https, without a login. */
export function isPageUrl(text: string): boolean {
	if (!/^https?:\/\/[^/?#]/i.test(text) || !URL.canParse(text)) return false;
	const { hostname, username, password } = new URL(text);
	return hostname !== '' && username === '' && password === '';
}

/** The lines that have something in them, in lower case. */
export function linesOf(text: string | undefined): string[] {
	const lines = (text ?? '').split(/\r?\n/).map((line) => line.trim().toLowerCase());
	return lines.filter((line) => line !== '');
}

function isEmpty(value: unknown): boolean {
	return (
		value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
	);
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
		throw invalidJson();
	}
}

function invalidJson(): InvalidFieldError {
	return refusedBody(
		"Allowed: JSON, such as {\"page\": 2}. For a form, set 'Body Type' to 'Form'.",
	);
}

/** Always encoded, as a browser sends it. */
function formText(body: unknown): string {
	const text = typeof body === 'string' ? body.trim() : '';
	const form = text.startsWith('{') ? parsedJson(text) : body;
	if (isRecord(form)) return String(new URLSearchParams(formEntries(form)));
	if (text.includes('=')) return String(new URLSearchParams(text));
	throw refusedBody('Allowed: an object, its JSON as text, or text such as a=b&c=d.');
}

/**
 * What a POST sends; undefined for nothing.
 *
 * @throws InvalidFieldError
 */
export function readBody(bodyType: string | undefined, body: unknown): PageRequest['body'] {
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

/** A body that nobody would get. Throws InvalidFieldError. */
export function refuseBodyWithout(method: string | undefined, body: unknown): void {
	if (isEmpty(body)) return;
	throw refusedBody(
		`It works with 'Method' POST only, and 'Method' is ${method}. Remove it, make it an expression that is empty for ${method}, or change 'Method'.`,
	);
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
export function readHeaders(headers: unknown): Readonly<Record<string, string>> {
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

import { isList, isRecord, ownValue } from '../guards';
import { parseXml } from './xmlDocument';

/**
 * An escape, the begin or end of a string, or a number. Strings are not matched as a whole: the pattern would run out
 * of stack where one is megabytes long.
 */
const QUOTE_OR_NUMBER = /\\.|"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Integers of fewer digits are always exact in JavaScript. */
const FEWEST_DIGITS = 16;

function isDigit(text: string, position: number): boolean {
	const code = text.charCodeAt(position);
	return code >= 48 && code <= 57;
}

/**
 * Whether so many digits stand in a row. A row of them covers one of the positions that are looked at;
 * a regular expression looks at each, and took as long for 2,000 proxies as reading the JSON.
 */
function mayHoldLargeInteger(text: string): boolean {
	for (let at = FEWEST_DIGITS - 1; at < text.length; at += FEWEST_DIGITS) {
		let begin = at;
		while (isDigit(text, begin) && begin > at - FEWEST_DIGITS) begin -= 1;
		let end = at;
		while (isDigit(text, end) && end - begin <= FEWEST_DIGITS) end += 1;
		if (end - begin > FEWEST_DIGITS) return true;
	}
	return false;
}

/**
 * JSON.parse, except that integers beyond JavaScript's exact range become strings with all their digits:
 * order numbers have 15 or 16 digits, and with a changed digit it would be another order.
 */
export function parseExactJson(text: string): unknown {
	if (!mayHoldLargeInteger(text)) return JSON.parse(text);
	// Quoting a number must not turn invalid JSON into valid JSON
	JSON.parse(text);
	let isInString = false;
	const quoted = text.replace(QUOTE_OR_NUMBER, (token) => {
		if (token === '"') isInString = !isInString;
		const isInteger = !isInString && /^-?\d+$/.test(token);
		return isInteger && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token;
	});
	return JSON.parse(quoted);
}

/** A well-formed response. Only `code` 0 is a success. */
export type Answer =
	| {
			readonly kind: 'envelope';
			readonly code: number;
			readonly msg: string;
			readonly data: unknown;
	  }
	/** The text format has no envelope: it is the payload itself, and always a success. */
	| { readonly kind: 'text'; readonly text: string };

/** Thrown for anything but a well-formed response. The caller shows the beginning of the body. */
export class ResponseParseError extends Error {
	constructor(
		/** Continues the sentence "The answer …". */
		readonly reason: string,
		readonly body: string,
		/** Whether it looks like a response of the service that was cut or corrupted on its way. */
		readonly isBroken = false,
	) {
		super(`The answer ${reason}`);
		this.name = 'ResponseParseError';
	}
}

/** What a gateway or login page in between sends. Some of these pages are well-formed XML. */
const WEB_PAGE = /^<(?:!doctype\s+html|html)\b/i;

/** A list of proxies as text may begin with a bracket, too. */
const IPV6_PROXY = /^\[[0-9a-f:.]+\]:\d/i;

const TEXT_REFUSAL = /^ERROR\((-?\d{1,9})\):\s*([\s\S]*)$/;

/** Responses have three levels. One with thousands could be neither shown nor saved by n8n. */
const MOST_LEVELS = 50;

/** Whether lists and objects are nested in more levels than that. */
export function isDeeper(value: unknown, levels: number): boolean {
	if (typeof value !== 'object' || value === null) return false;
	if (levels === 0) return true;
	// Lists are not copied: most responses are a list with thousands of strings
	const inside: unknown[] = isList(value) ? value : Object.values(value);
	return inside.some((one) => isDeeper(one, levels - 1));
}

function envelope(value: unknown, code: unknown, body: string): Answer {
	if (!isRecord(value) || typeof code !== 'number' || !Number.isSafeInteger(code)) {
		throw new ResponseParseError('has no code', body);
	}
	if (isDeeper(value, MOST_LEVELS)) throw new ResponseParseError('is nested too deeply', body);
	const msg = ownValue(value, 'msg');
	return {
		kind: 'envelope',
		code,
		msg: typeof msg === 'string' ? msg : '',
		data: ownValue(value, 'data'),
	};
}

/** @returns undefined when the text is not well-formed; no document has that value */
function parsed(parse: (text: string) => unknown, text: string): unknown {
	try {
		return parse(text);
	} catch {
		return undefined;
	}
}

function readJson(text: string, body: string): Answer {
	const value = parsed(parseExactJson, text);
	if (value === undefined) throw new ResponseParseError('is not valid JSON', body, true);
	return envelope(value, ownValue(value, 'code'), body);
}

function readXml(text: string, body: string): Answer {
	const document = parsed(parseXml, text);
	if (document === undefined) throw new ResponseParseError('is not valid XML', body, true);
	const result = ownValue(document, 'result');
	const code = ownValue(result, 'code');
	const number = typeof code === 'string' && /^-?\d{1,9}$/.test(code) ? Number(code) : undefined;
	return envelope(result, number, body);
}

/** Reads an answer by its content, whatever format was asked for. */
export function parseBody(body: string): Answer {
	const text = body.replace(/^\uFEFF/, '').trim();
	if (text === '') throw new ResponseParseError('is empty', body, true);
	const isJson = text.startsWith('{') || (text.startsWith('[') && !IPV6_PROXY.test(text));
	if (isJson) return readJson(text, body);
	if (WEB_PAGE.test(text)) throw new ResponseParseError('is a web page', body);
	if (text.startsWith('<')) return readXml(text, body);
	const refusal = TEXT_REFUSAL.exec(text);
	if (refusal === null) return { kind: 'text', text };
	const code = Number(refusal[1]);
	// The service never reports a success as ERROR(0)
	if (code === 0) throw new ResponseParseError('contradicts itself', body);
	return { kind: 'envelope', code, msg: refusal[2].trim(), data: '' };
}

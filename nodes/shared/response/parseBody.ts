import { InvalidResponseError } from '../errors/callErrors';
import { isList, isRecord, ownValue } from '../guards';
import { parseXml } from '../bundled/xmlDocument';

/**
 * An escape, the begin or end of a string, or a number. Strings are not matched as a whole: the pattern would run out
 * of stack where one is megabytes long.
 */
const QUOTE_OR_NUMBER = /\\.|"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Integers of fewer digits are always exact in JavaScript. */
const LARGE_INTEGER = /\d{16}/;

/**
 * JSON.parse, except that integers beyond JavaScript's exact range become strings with all their digits:
 * order numbers have 15 or 16 digits, and with a changed digit it would be another order.
 */
export function parseExactJson(text: string): unknown {
	if (!LARGE_INTEGER.test(text)) return JSON.parse(text);
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
export interface Answer {
	readonly code: number;
	readonly msg: string;
	readonly data: unknown;
	/** In the text format, which has no envelope: it is the payload itself, and always a success. */
	readonly text?: string;
}

/** What a gateway or login page in between sends. Some of these pages are well-formed XML. */
const WEB_PAGE = /^<(?:!doctype\s+html|html)\b/i;

/** A list of proxies as text may begin with a bracket, too. */
const IPV6_PROXY = /^\[[0-9a-f:.]+\]:\d/i;

const TEXT_REFUSAL = /^ERROR\((-?\d{1,9})\):\s*([\s\S]*)$/;

/** Responses have three levels. One with thousands could be neither shown nor saved by n8n. */
const MOST_ANSWER_LEVELS = 50;

/** Whether lists and objects are nested in more levels than that. */
export function isDeeper(value: unknown, levels: number): boolean {
	if (typeof value !== 'object' || value === null) return false;
	if (levels === 0) return true;
	// Lists are not copied: most responses are a list with thousands of strings
	const inside: unknown[] = isList(value) ? value : Object.values(value);
	return inside.some((one) => isDeeper(one, levels - 1));
}

/** Undefined when the text is not well-formed; no document has that value. */
function parsed(parse: (text: string) => unknown, text: string): unknown {
	try {
		return parse(text);
	} catch {
		return undefined;
	}
}

/** The envelope in XML, with its code as JSON has it; null where there is none. */
function parseXmlEnvelope(text: string): unknown {
	const result = ownValue(parseXml(text), 'result');
	if (!isRecord(result)) return null;
	const code = ownValue(result, 'code');
	const isNumber = typeof code === 'string' && /^-?\d{1,9}$/.test(code);
	return { ...result, code: isNumber ? Number(code) : undefined };
}

/**
 * Reads an answer by its content, whatever was asked for. Throws InvalidResponseError.
 *
 * @param shown what may be shown of the body
 */
export function parseBody(body: string, shown = (): string => ''): Answer {
	const invalid = (reason: string, isBroken = false) =>
		new InvalidResponseError(reason, shown(), isBroken);
	const text = body.replace(/^\uFEFF/, '').trim();
	if (text === '') throw invalid('is empty', true);
	const isJson = text.startsWith('{') || (text.startsWith('[') && !IPV6_PROXY.test(text));
	if (WEB_PAGE.test(text)) throw invalid('is a web page');
	if (isJson || text.startsWith('<')) {
		const value = parsed(isJson ? parseExactJson : parseXmlEnvelope, text);
		if (value === undefined) throw invalid(`is not valid ${isJson ? 'JSON' : 'XML'}`, true);
		const [code, msg] = [ownValue(value, 'code'), ownValue(value, 'msg')];
		if (typeof code !== 'number' || !Number.isSafeInteger(code)) throw invalid('has no code');
		if (isDeeper(value, MOST_ANSWER_LEVELS)) throw invalid('is nested too deeply');
		return { code, msg: typeof msg === 'string' ? msg : '', data: ownValue(value, 'data') };
	}
	const refusal = TEXT_REFUSAL.exec(text);
	if (refusal === null) return { code: 0, msg: '', data: undefined, text };
	const code = Number(refusal[1]);
	// The service never reports a success as ERROR(0)
	if (code === 0) throw invalid('contradicts itself');
	return { code, msg: refusal[2].trim(), data: '' };
}

import { InvalidResponseError, HttpStatusError, ApiError } from './errors';
import { isRecord, ownValue, propertyOf } from '../guards';
import { parseXml } from '../bundled/xmlDocument';
import type { Endpoint } from '../service/endpoint';
import type { ServiceAnswer } from '../service/wireTypes';
import { cleanServiceText, excerpt, type Secrets } from './cleanText';
import type { EpochMs } from '../service/chinaTime';

/** Integers of fewer digits are always exact in JavaScript. */
const LARGE_INTEGER = /\d{16}/;

/** Quotes, escaped characters, and what may be a number of at least 16 characters; each match is short. */
const JSON_TOKEN = /\\[\s\S]|"|[-+.\deE]{16,1000}/g;

const JSON_INTEGER = /^-?(?:0|[1-9]\d*)$/;

/** Whether a value ends here, rather than the key of an object or a word: what is no JSON must not become some. */
const VALUE_END = /\s{0,1000}(?:[,\]}]|$)/y;

/**
 * JSON.parse, except that integers beyond JavaScript's exact range become strings with all their digits:
 * order numbers have 15 or 16 digits, and with a changed digit it would be another order.
 */
export function parseExactJson(text: string): unknown {
	if (!LARGE_INTEGER.test(text)) return JSON.parse(text);
	let isInString = false;
	const exact = text.replace(JSON_TOKEN, (token, at: number) => {
		if (token === '"') isInString = !isInString;
		const isLarge = JSON_INTEGER.test(token) && !Number.isSafeInteger(Number(token));
		if (isInString || !isLarge) return token;
		VALUE_END.lastIndex = at + token.length;
		return VALUE_END.test(text) ? `"${token}"` : token;
	});
	return JSON.parse(exact);
}

/** A page of a gateway or a login in between. Some of these pages are well-formed XML. */
const WEB_PAGE = /^<(?:!doctype\s+html|html)\b/i;

/** A list of proxies as text may begin with a bracket, too. */
const IPV6_PROXY = /^\[[0-9a-f:.]+\]:\d/i;

/** Characters of an answer in XML at most, which is parsed in one piece: 2,000 proxies, the most in one answer, take 300,000. */
const LONGEST_XML = 320_000;

/** The parser looks for attributes in a tag that long, and the service's have none. */
const LONG_TAG = /<[^<>!]{1000}/;

const TEXT_REFUSAL = /^ERROR\((-?\d{1,9})\):\s*([\s\S]*)$/;

/** Responses have three levels. One with thousands could be neither shown nor saved by n8n. */
const MOST_ANSWER_LEVELS = 50;

/** Whether lists and objects are nested in more levels than that. */
function isDeeper(value: unknown, levels: number): boolean {
	if (typeof value !== 'object' || value === null) return false;
	if (levels === 0) return true;
	for (const one of Object.values(value)) if (isDeeper(one, levels - 1)) return true;
	return false;
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
 * @returns a success only with `code` 0; the text format has no envelope, and is always one
 */
export function parseBody(
	body: string,
	shown = (): string => '',
): Omit<ServiceAnswer, 'answeredAt'> & { readonly code: number } {
	const invalid = (reason: string, isBroken = false) =>
		new InvalidResponseError(reason, shown(), isBroken);
	const text = body.replace(/^\uFEFF/, '').trim();
	if (text === '') throw invalid('is empty', true);
	const isJson = text.startsWith('{') || (text.startsWith('[') && !IPV6_PROXY.test(text));
	if (WEB_PAGE.test(text)) throw invalid('is a web page');
	const isXml = !isJson && text.startsWith('<');
	if (isXml && (text.length > LONGEST_XML || LONG_TAG.test(text))) {
		throw invalid('is longer than any in XML');
	}
	if (isJson || isXml) {
		let value: unknown;
		try {
			value = isJson ? parseExactJson(text) : parseXmlEnvelope(text);
		} catch {
			throw invalid(`is not valid ${isJson ? 'JSON' : 'XML'}`, true);
		}
		const [code, msg] = [ownValue(value, 'code'), ownValue(value, 'msg')];
		if (typeof code !== 'number' || !Number.isSafeInteger(code)) throw invalid('has no code');
		if (isDeeper(value, MOST_ANSWER_LEVELS)) throw invalid('is nested too deeply');
		return { code, msg: typeof msg === 'string' ? msg : '', data: ownValue(value, 'data') };
	}
	const refusal = TEXT_REFUSAL.exec(text);
	if (refusal === null) return { code: 0, msg: '', data: undefined, plainText: text };
	const code = Number(refusal[1]);
	// The service never reports a success as ERROR(0)
	if (code === 0) throw invalid('contradicts itself');
	return { code, msg: refusal[2].trim(), data: '' };
}

/** The service's clock minus this machine's, by the header Date of a reply. */
function clockDifference(reply: unknown, now: EpochMs): number | undefined {
	// Headers may be an object of a class
	const date = propertyOf(propertyOf(reply, 'headers'), 'date');
	const serviceTime = typeof date === 'string' ? Date.parse(date) : NaN;
	return Number.isNaN(serviceTime) ? undefined : serviceTime - now;
}

/** Whether the message of a refusal may be data: it has what an address or a login has. */
function mayHoldLogin({ secretAnswer }: Endpoint, msg: string): boolean {
	return secretAnswer === true && /[:@]/.test(msg);
}

/**
 * @param reply what n8n's helper returns for a whole response
 * @throws HttpStatusError, InvalidResponseError, ApiError
 */
export function parseResponse(
	endpoint: Endpoint,
	reply: unknown,
	secrets: Secrets,
	now: EpochMs,
	orderid?: string,
): ServiceAnswer {
	const status = propertyOf(reply, 'statusCode');
	const body = propertyOf(reply, 'body') ?? '';
	if (typeof status !== 'number' || typeof body !== 'string') {
		throw new InvalidResponseError('is not text', '');
	}
	const shown = () => (endpoint.secretAnswer === true ? '' : excerpt(body, secrets));
	if (status !== 200) throw new HttpStatusError(status, shown());
	const answer = parseBody(body, shown);
	if (answer.code !== 0) {
		const text = mayHoldLogin(endpoint, answer.msg) ? '' : cleanServiceText(answer.msg, secrets);
		throw new ApiError(endpoint, answer.code, text, clockDifference(reply, now), orderid);
	}
	if (answer.plainText !== undefined && endpoint.knowsText !== true) {
		throw new InvalidResponseError('is not a Kuaidaili response', shown());
	}
	return { ...answer, answeredAt: now };
}

import { isList, ownValue } from '../../../../shared/guards';
import { InvalidResponseError } from '../../../../shared/errors/callErrors';
import { excerpt, type Secrets } from '../../../../shared/errors/cleanText';
import type { ExtractionAnswer } from '../../../../shared/service/query';
import {
	beginsWithAddress,
	readProxyEntry,
	type ExtraName,
	type ExtractedProxy,
} from './proxyEntry';

interface Separator {
	readonly split: RegExp;
	/**
	 * What to put back between two parts that belong together; empty if no value can contain the separator.
	 */
	readonly join: string;
}

const LINES: Separator = { split: /[\r\n]+/, join: '' };

/** By the service's values of `sep`. Line ends separate in any case; nothing else contains them. */
const SEPARATORS: ReadonlyMap<string, Separator> = new Map([
	['1', LINES],
	['2', LINES],
	['3', { split: /\s+/, join: ' ' }],
	['4', { split: /[|\r\n]+/, join: '|' }],
]);

/** Splits the text format. A separator inside a value, a space in a region, joins its parts again. */
function splitText(text: string, sep: string): string[] {
	const { split, join } = SEPARATORS.get(sep) ?? LINES;
	const entries: string[] = [];
	for (const part of text.split(split)) {
		if (part.trim() === '') continue;
		const continues = join !== '' && entries.length > 0 && !beginsWithAddress(part);
		if (continues) entries.push(`${entries.pop()}${join}${part}`);
		else entries.push(part);
	}
	return entries;
}

/** `proxy_list` of JSON is a list; of XML an element with `proxy` elements: none, one or a list. */
function listOf(data: unknown): unknown[] | undefined {
	const proxyList = ownValue(data, 'proxy_list');
	if (isList(proxyList)) return proxyList;
	if (proxyList === '') return [];
	const inXml = ownValue(proxyList, 'proxy');
	if (isList(inXml)) return inXml;
	return typeof inXml === 'string' ? [inXml] : undefined;
}

function entriesOf(answer: ExtractionAnswer, sep: string): unknown[] | undefined {
	return answer.kind === 'text' ? splitText(answer.text, sep) : listOf(answer.data);
}

/* What may be an address with a login, in a layout that nobody knows. */
const LOGIN_IN_TEXT = /@|:[^\s|]*:/;
const LOGIN_IN_OBJECT = /@|user|pass|pwd|auth|login/i;

/** The entries of an answer. */
export interface ReadEntries {
	readonly proxies: ExtractedProxy[];
	/** The error for the first entry that is not an address; undefined if all are. */
	readonly unreadable?: InvalidResponseError;
}

/**
 * The proxies of one answer, in any of its formats.
 *
 * @param sep the service's value of `sep` that was sent, '1' when none was
 * @throws InvalidResponseError when there is no list
 */
export function readProxyList(
	answer: ExtractionAnswer,
	sep: string,
	requested: readonly ExtraName[],
	secrets: Secrets,
	hasArea = false,
): ReadEntries {
	const entries = entriesOf(answer, sep);
	if (entries === undefined) {
		const shown = answer.kind === 'text' ? answer.text : (JSON.stringify(answer.data) ?? '');
		throw new InvalidResponseError('contains no list of proxies', excerpt(shown, secrets));
	}
	const proxies: ExtractedProxy[] = [];
	let unreadable: InvalidResponseError | undefined;
	for (const entry of entries) {
		const proxy = typeof entry === 'string' ? readProxyEntry(entry, requested, hasArea) : undefined;
		if (proxy !== undefined) {
			proxies.push(proxy);
			continue;
		}
		if (typeof entry === 'string' && entry.trim() === '') continue;
		const shown = typeof entry === 'string' ? entry : (JSON.stringify(entry) ?? '');
		const mayHoldLogin = typeof entry === 'string' ? LOGIN_IN_TEXT : LOGIN_IN_OBJECT;
		unreadable ??= new InvalidResponseError(
			'contains an entry that is not a proxy address',
			mayHoldLogin.test(shown) ? '' : excerpt(shown, secrets),
		);
	}
	return { proxies, unreadable };
}

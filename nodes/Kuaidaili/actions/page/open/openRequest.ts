import { InvalidFieldError } from '../../../../shared/fields/invalidFieldError';
import { type Field, FieldReader } from '../../../../shared/fields/field';
import { isOneOf, isRecord, ownValue, type UnknownRecord } from '../../../../shared/guards';
import { OPTIONS_LABEL } from '../../../parameters/callOptions';
import type { ResponseFormat } from '../../../pages/pageContent';
import { BYTES_PER_MEGABYTE, headerOf, type PageRequest } from '../../../pages/pageRequest';
import { PAGE_FIELDS, PAGE_OPTIONS, retryIfCollection, sessionKeyField, urlField } from './fields';
import { DEFAULT_STATUSES, linesOf, readBody, readHeaders, refuseBodyWithout } from './pageValues';

/** What an item wants of a page, besides the proxy for it. */
export interface OpenRequest {
	/** With an empty `url` where there is none that could be used. */
	readonly page: PageRequest;
	/** Why there is no page to open; only with `neverError`. */
	readonly urlError?: Error;
	/** The code of the product. */
	readonly product: string;
	/** 0 for as many as it works for. */
	readonly pagesPerProxy: number;
	/** Items with the same one share a proxy and cookies. */
	readonly sessionKey?: string;
	readonly format: ResponseFormat;
	readonly outputField: string;
	readonly pagesAtATime: number;
	/** Undefined for as many as the order allows. */
	readonly requestsPerSecond?: number;
	readonly neverError: boolean;
}

const METHODS = ['GET', 'HEAD', 'POST'] as const;
const FORMATS = ['autodetect', 'file', 'json', 'markdown', 'text'] as const;

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

type EnteredUrl = Pick<PageRequest, 'url'> & Pick<OpenRequest, 'urlError'>;

function readUrl(entered: unknown): EnteredUrl {
	try {
		const text = new FieldReader().read([urlField], () => entered).text(urlField.name) ?? '';
		return { url: new URL(text).href };
	} catch (error) {
		return { url: '', urlError: error instanceof Error ? error : new Error(String(error)) };
	}
}

/**
 * Reads and checks what was entered for an item; nothing has been sent when it throws.
 *
 * @param valueOf the value of a field for this item
 * @param options the collection 'Options'
 * @throws InvalidFieldError
 */
export function readOpenRequest(
	valueOf: (name: string) => unknown,
	options: UnknownRecord,
): OpenRequest {
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
	if (method !== 'POST') refuseBodyWithout(method, body);
	const typed = readHeaders(valueOf('headers'));
	const userAgent = text('userAgent');
	const isNamed = userAgent === undefined || headerOf(typed, 'user-agent') !== undefined;
	const neverError = text('neverError') !== undefined;
	const { url, urlError } = readUrl(valueOf(urlField.name));
	if (urlError !== undefined && !neverError) throw urlError;
	const format = text('responseFormat');
	const perSecond = text('requestsPerSecond');
	return {
		urlError,
		page: {
			url,
			method,
			headers: isNamed ? typed : { 'User-Agent': userAgent, ...typed },
			body: method === 'POST' ? readBody(text('bodyType'), body) : undefined,
			followRedirects: text('followRedirects') !== '0',
			maxBytes: number('maxPageSize', 10) * BYTES_PER_MEGABYTE,
			attemptTimeoutMs: number('attemptTimeout', 15_000),
			maxAttempts: number('maxAttempts'),
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
		sessionKey: text(sessionKeyField.name),
		format: isOneOf(format, FORMATS) ? format : 'autodetect',
		outputField: text('outputField') ?? 'data',
		pagesAtATime: number('pagesAtATime', 5),
		requestsPerSecond: perSecond === undefined ? undefined : Number(perSecond),
		neverError,
	};
}

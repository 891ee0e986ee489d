import { InvalidFieldError } from '../../../../shared/fields/invalidFieldError';
import type { Field } from '../../../../shared/fields/field';
import { FieldReader } from '../../../../shared/fields/readFields';
import type { ResponseFormat } from '../../../pages/pageContent';
import { BYTES_PER_MEGABYTE, headerOf, type PageRequest } from '../../../pages/pageRequest';
import { productField } from '../../../proxies/products';
import { connectionField } from '../../../proxies/products/overseasDynamic';
import {
	attemptTimeoutField,
	bodyProperty,
	bodyTypeField,
	containsField,
	followRedirectsField,
	giveUpSiteAfterField,
	headersProperty,
	ignoreCertificatesField,
	lacksField,
	maxAttemptsField,
	maxPageSizeField,
	methodField,
	neverErrorField,
	outputFieldField,
	PAGE_OPTIONS,
	pagesAtATimeField,
	pagesPerProxyFields,
	redirectedToField,
	requestsPerSecondField,
	responseFormatField,
	retryIfCollection,
	sessionKeyField,
	shorterThanField,
	statusesField,
	urlField,
	userAgentField,
} from './fields';
import { DEFAULT_STATUSES, linesOf, readBody, readHeaders, refuseBodyWithout } from './pageValues';
import { isOneOf, isRecord, ownValue, type UnknownRecord } from '../../../../shared/guards';
import { OPTIONS_LABEL } from '../../../parameters/callOptions';

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

const FIELDS = [
	productField,
	{ ...connectionField, when: { [productField.name]: ['FPS'] } },
	...pagesPerProxyFields,
	methodField,
	bodyTypeField,
	sessionKeyField,
	responseFormatField,
	outputFieldField,
	maxAttemptsField,
];

const CONDITIONS = [statusesField, containsField, lacksField, shorterThanField, redirectedToField];

const METHODS = ['GET', 'HEAD', 'POST'] as const;
const FORMATS = ['autodetect', 'json', 'text', 'readableText', 'file'] as const;

function optional(text: string | undefined): number | undefined {
	return text === undefined ? undefined : Number(text);
}

/** A field that is not there has its preset; one that was emptied has nothing. */
function statusesOf(retryIf: unknown, reader: FieldReader): ReadonlySet<number> {
	const isThere = ownValue(retryIf, statusesField.name) !== undefined;
	const text = isThere ? reader.text(statusesField.name) : DEFAULT_STATUSES;
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
	for (const field of CONDITIONS) {
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
		.read(FIELDS, valueOf)
		.readCollection(retryIfCollection, retryIf)
		.readCollection({ displayName: OPTIONS_LABEL, fields: PAGE_OPTIONS }, options);
	const [method] = METHODS.filter((one) => one === reader.text(methodField.name));
	const format = reader.text(responseFormatField.name);
	const body = valueOf(bodyProperty.name);
	if (method !== 'POST') refuseBodyWithout(method, body);
	const typed = readHeaders(valueOf(headersProperty.name));
	const userAgent = reader.text(userAgentField.name);
	const isNamed = userAgent === undefined || headerOf(typed, 'user-agent') !== undefined;
	const headers = isNamed ? typed : { 'User-Agent': userAgent, ...typed };
	const neverError = reader.text(neverErrorField.name) !== undefined;
	const { url, urlError } = readUrl(valueOf(urlField.name));
	if (urlError !== undefined && !neverError) throw urlError;
	return {
		urlError,
		page: {
			url,
			method,
			headers,
			body: method === 'POST' ? readBody(reader.text(bodyTypeField.name), body) : undefined,
			followRedirects: reader.text(followRedirectsField.name) !== '0',
			maxBytes: Number(reader.text(maxPageSizeField.name) ?? 10) * BYTES_PER_MEGABYTE,
			attemptTimeoutMs: Number(reader.text(attemptTimeoutField.name) ?? 15_000),
			maxAttempts: Number(reader.text(maxAttemptsField.name)),
			giveUpSiteAfter: Number(reader.text(giveUpSiteAfterField.name) ?? 10),
			ignoresCertificates: reader.text(ignoreCertificatesField.name) !== undefined,
			retryIf: {
				statuses: statusesOf(retryIf, reader),
				contains: linesOf(reader.text(containsField.name)),
				lacks: linesOf(reader.text(lacksField.name)),
				shorterThan: Number(reader.text(shorterThanField.name) ?? 0),
				redirectedTo: reader.text(redirectedToField.name),
			},
		},
		product: reader.text(productField.name) ?? '',
		pagesPerProxy: Number(reader.text('pagesPerProxy') ?? 1),
		sessionKey: reader.text(sessionKeyField.name),
		format: isOneOf(format, FORMATS) ? format : 'autodetect',
		outputField: reader.text(outputFieldField.name) ?? 'data',
		pagesAtATime: Number(reader.text(pagesAtATimeField.name) ?? 5),
		requestsPerSecond: optional(reader.text(requestsPerSecondField.name)),
		neverError,
	};
}

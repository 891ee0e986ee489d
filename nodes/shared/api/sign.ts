import {
	isOneOf,
	isRecord,
	ownValue,
	mapValues,
	isList,
	propertyOf,
	type UnknownRecord,
	percentDecoded,
} from '../guards';
import { HOSTS, readHost, SERVICE_HOSTS, type ServiceHosts } from '../service/hosts';
import { createHash, createHmac, randomInt } from 'node:crypto';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import type { FlatParameters } from '../service/wireTypes';
import type { EpochMs } from '../service/chinaTime';
import { ENDPOINTS } from '../service/endpoints';

export const CREDENTIAL_TYPE = 'kuaidailiApi';

const KEY_TYPES = ['account', 'order'] as const;

const SIGN_TYPES = ['hmacsha1', 'token'] as const;

export interface KeyPair {
	readonly keyType: (typeof KEY_TYPES)[number];
	readonly secretId: string;
	readonly secretKey: string;
}

/** The credential after reading: complete, trimmed, hosts checked. */
export interface KuaidailiCredential extends KeyPair {
	readonly signType: (typeof SIGN_TYPES)[number];
	readonly hosts: ServiceHosts;
}

function requiredText(value: unknown, label: string): string {
	// Copied from a web page or a chat, often with a space, a line end, or characters that nobody sees
	const text = typeof value === 'string' ? value.replace(/\p{Cf}/gu, '').trim() : '';
	if (text === '') {
		throw new Error(
			`'${label}' in the credential is empty. Copy it from the API key management page of the Kuaidaili member center.`,
		);
	}
	return text;
}

function credentialChoice<T extends string>(
	value: unknown,
	allowed: readonly T[],
	label: string,
): T {
	if (value === undefined || value === '') return allowed[0];
	if (isOneOf(value, allowed)) return value;
	throw new Error(`'${label}' in the credential must be one of: ${allowed.join(', ')}.`);
}

/** Reads the credential. Throws an Error that names the field and what is allowed, and holds no key. */
export function readCredential(data: unknown): KuaidailiCredential {
	if (!isRecord(data)) throw new Error('The credential could not be read.');
	const hosts =
		ownValue(data, 'customHosts') === true
			? mapValues(HOSTS, (host, name) => readHost(host, ownValue(data, name) ?? host.origin))
			: SERVICE_HOSTS;
	return {
		keyType: credentialChoice(ownValue(data, 'keyType'), KEY_TYPES, 'Key Type'),
		secretId: requiredText(ownValue(data, 'secretId'), 'Secret ID'),
		secretKey: requiredText(ownValue(data, 'secretKey'), 'Secret Key'),
		signType: credentialChoice(ownValue(data, 'signType'), SIGN_TYPES, 'Sign Type'),
		hosts,
	};
}

/** Tells things apart, in what is kept of them, without containing them; 32 hexadecimal digits. */
export function fingerprintOf(...parts: readonly unknown[]): string {
	return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

export function keyPairFingerprint({ secretId, secretKey, hosts }: KuaidailiCredential): string {
	return fingerprintOf(secretId, secretKey, hosts.authUrl);
}

/** Fields that belong to authentication: removed before signing, so that signing twice is harmless. */
const AUTHENTICATION_FIELDS = new Set([
	'secret_id',
	'sign_type',
	'signature',
	'timestamp',
	'nonce',
]);

const LARGEST_NONCE = 100_000_000;
/** Digits of a fingerprint that a number holds exactly. */
const EXACT_HEX_DIGITS = 12;
const FORM_TYPE = 'application/x-www-form-urlencoded';

/**
 * A redirect would carry token and signature to wherever it points, and could repeat a purchase. By the names
 * of n8n's request helper and of its older one, which the HTTP Request node uses.
 */
const NO_REDIRECTS = {
	maxRedirects: 0,
	disableFollowRedirect: true,
	followRedirect: false,
	followAllRedirects: false,
	sendCredentialsOnCrossOriginRedirect: false,
} as const;

/** The address of a request, and the option that holds it: the HTTP Request node uses n8n's older `uri`. */
function requestAddress(request: IHttpRequestOptions): { key: 'url' | 'uri'; url: URL } {
	const legacyUri = propertyOf(request, 'uri');
	const key = request.url === undefined && legacyUri !== undefined ? 'uri' : 'url';
	return { key, url: new URL(String(key === 'uri' ? legacyUri : request.url), request.baseURL) };
}

function toText(name: string, value: unknown): string {
	if (value === null) return '';
	if (typeof value === 'string') return value;
	if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') {
		return String(value);
	}
	if (value instanceof Date) return value.toISOString();
	// The service takes lists as text with commas
	if (isList(value)) return value.map((one) => toText(name, one)).join(',');
	throw new Error(`The parameter '${name}' must be a text or a number, not an object.`);
}

function flatten(parameters: unknown): Record<string, string> {
	const flat: Record<string, string> = {};
	if (!isRecord(parameters)) return flat;
	for (const [name, value] of Object.entries(parameters)) {
		if (value !== undefined && !AUTHENTICATION_FIELDS.has(name)) flat[name] = toText(name, value);
	}
	return flat;
}

function fromQueryString(text: string | URLSearchParams): Record<string, string> {
	const params = typeof text === 'string' ? new URLSearchParams(text) : text;
	const flat: UnknownRecord = {};
	for (const name of new Set(params.keys())) flat[name] = params.getAll(name);
	return flatten(flat);
}

/** Throws an Error for a host that the credential doesn't name: until it expires, a token is as good as a password. */
function refuseForeignHost({ origin }: URL, { hosts }: KuaidailiCredential): void {
	const own = [...new Set(Object.values(hosts))];
	if (own.includes(origin)) return;
	throw new Error(
		`The Kuaidaili credential is not sent to ${origin}. It signs requests to its own hosts only: ${own.join(', ')}. To use another one, such as a test server, turn on 'Custom Hosts' in the credential.`,
	);
}

/** The content type in lower case, and what else is in the headers. */
function splitHeaders({ headers = {} }: IHttpRequestOptions) {
	const isType = ([header]: [string, unknown]) => header.toLowerCase() === 'content-type';
	const all = Object.entries(headers);
	const type: unknown = all.find(isType)?.[1];
	const others: IDataObject = Object.fromEntries(all.filter((one) => !isType(one)));
	return { type: typeof type === 'string' ? type.toLowerCase() : '', others };
}

/** The fields of a form body, from n8n's older `form` as well as from `body` with the form header. */
function formFields(request: IHttpRequestOptions): Record<string, string> {
	const legacyForm = propertyOf(request, 'form');
	if (typeof legacyForm === 'string') return fromQueryString(legacyForm);
	if (isRecord(legacyForm)) return flatten(legacyForm);
	const body: unknown = propertyOf(request, 'formData') ?? request.body ?? '';
	const isPlain = isRecord(body) && Object.getPrototypeOf(body) === Object.prototype;
	if (body === '' || (isPlain && Object.keys(body).length === 0)) return {};
	if (splitHeaders(request).type.startsWith(FORM_TYPE)) {
		if (typeof body === 'string') return fromQueryString(body);
		if (isPlain) return flatten(body);
	}
	throw new Error(
		"Kuaidaili reads form fields only. In the HTTP Request node set 'Body Content Type' to 'Form Urlencoded'.",
	);
}

/**
 * The signature of a request: the HMAC-SHA1 of method, path and all parameters, ordered by name. Values stay raw:
 * URL-encoding happens only when the request is sent. Source: the service's documentation of the signature method.
 *
 * @returns base64 with padding, 28 characters, not URL-encoded
 */
export function signatureOf(
	secretKey: string,
	method: string,
	path: string,
	parameters: FlatParameters,
): string {
	const pairs = Object.keys(parameters)
		// By code units, as bytes are in ASCII: a locale's order would put "_" and "." elsewhere
		.sort()
		.map((name) => `${name}=${parameters[name]}`);
	const text = `${method.toUpperCase()}${path}?${pairs.join('&')}`;
	return createHmac('sha1', secretKey).update(text, 'utf8').digest('base64');
}

/** The part of a signature that makes the request known again: the service refuses a second one with an equal part. */
export interface SignatureStamp {
	/** Seconds since 1970: the service rejects milliseconds as expired. */
	readonly timestamp: string;
	readonly nonce: string;
}

/** @param seed of a nonce that other processes find as well; without one, the nonce is random */
export function stampAt(now: EpochMs, seed?: string): SignatureStamp {
	const nonce =
		seed === undefined
			? randomInt(LARGEST_NONCE)
			: parseInt(fingerprintOf(seed, now).slice(0, EXACT_HEX_DIGITS), 16) % LARGEST_NONCE;
	return { timestamp: String(Math.floor(now / 1000)), nonce: String(nonce + 1) };
}

/**
 * Signs a request of our node or of the HTTP Request node. The values that are signed are exactly the
 * values that are sent: flat texts, from the query, from inside the URL and from a form body.
 *
 * @param token of the key pair, which takes the place of a signature
 * @param stamp set for a request that several processes may send
 * @returns a signed copy; the given options stay as they are, because n8n shows those to the user
 * @throws Error for a host that the credential doesn't name, for a body that is no form, and for a parameter with
 * one value in the query and another one in the body
 */
export function signRequest(
	credential: KuaidailiCredential,
	request: IHttpRequestOptions,
	now: EpochMs,
	token?: string,
	stamp?: SignatureStamp,
): IHttpRequestOptions {
	const { key, url } = requestAddress(request);
	refuseForeignHost(url, credential);
	const method = (request.method ?? 'GET').toUpperCase();
	const query = { ...fromQueryString(url.searchParams), ...flatten(request.qs) };
	const form = formFields(request);
	const sendsForm = method !== 'GET' && method !== 'HEAD';
	for (const [name, value] of Object.entries(form)) {
		if (!Object.hasOwn(query, name) || query[name] === value) continue;
		// The service would read one of the two, and nobody can tell which
		throw new Error(
			`'${name}' has one value in the query and another one in the body. Remove one of the two.`,
		);
	}
	const { secretId, secretKey } = credential;
	let auth: FlatParameters;
	if (token !== undefined) {
		auth = { secret_id: secretId, sign_type: 'token', signature: token };
	} else {
		const { timestamp, nonce } = stamp ?? stampAt(now + clockCorrection(url.origin));
		auth = { secret_id: secretId, sign_type: 'hmacsha1', timestamp, nonce };
		const all = { ...query, ...form, ...auth };
		auth = { ...auth, signature: signatureOf(secretKey, method, url.pathname, all) };
	}
	const signed: IHttpRequestOptions & IDataObject & { form?: FlatParameters } = {
		...request,
		...NO_REDIRECTS,
		[key]: `${url.origin}${url.pathname}`,
		qs: { ...query, ...form, ...auth },
	};
	delete signed.baseURL;
	delete signed.form;
	delete signed.formData;
	delete signed.body;
	if (sendsForm) {
		const fields = { ...form, ...auth };
		signed.qs = Object.fromEntries(
			Object.entries(query).filter(([name]) => !Object.hasOwn(form, name)),
		);
		if (key === 'uri') signed.form = fields;
		else {
			signed.body = fields;
			signed.headers = { ...splitHeaders(request).others, 'content-type': FORM_TYPE };
		}
	}
	return signed;
}

/** The clock of the service by its origin, minus that of this machine, in milliseconds, where a time was refused. */
const corrections = new Map<string, number>();

/** The milliseconds that the clock of the service at an origin is ahead of this machine's; 0 unless a time was refused. */
export function clockCorrection(origin: string): number {
	return corrections.get(origin) ?? 0;
}

/**
 * Learns from a signature that the service refused because of its time. The answer may come from a gateway with a
 * wrong clock, so a correction that was refused as well is dropped.
 */
export function noteRefusedTime(origin: string, used: number, differenceMs?: number): void {
	// Another call has learned something in the meantime
	if (clockCorrection(origin) !== used) return;
	if (used !== 0) corrections.delete(origin);
	else if (differenceMs !== undefined) corrections.set(origin, differenceMs);
}

/** Paths of the calls that spend money, or use up something of an order. */
const PURCHASE_PATHS = new Set(
	Object.values(ENDPOINTS)
		.filter(({ kind }) => kind === 'purchase' || kind === 'quota')
		.map(({ path }) => path),
);

/** A path as a server may read it: case, repeated slashes, one at the end and percent-encoding make no difference. */
function normalizedPath(pathname: string): string {
	return percentDecoded(pathname)
		.toLowerCase()
		.replace(/[/\\]+/g, '/')
		.replace(/(?<=.)\/$/, '');
}

/**
 * Throws an Error for a purchase that was signed before, so that it may have been carried out: n8n signs and
 * resends a request after a 401 with a broken body.
 */
export function refuseSecondPurchase(request: IHttpRequestOptions): void {
	const signature =
		ownValue(request.qs, 'signature') ??
		ownValue(propertyOf(request, 'form'), 'signature') ??
		ownValue(request.body, 'signature');
	if (signature === undefined) return;
	const { url } = requestAddress(request);
	if (!PURCHASE_PATHS.has(normalizedPath(url.pathname))) return;
	throw new Error('A purchase is not sent a second time, because that could pay twice.');
}

import { createHmac } from 'node:crypto';
import type { IHttpRequestOptions } from 'n8n-workflow';

/** A request as the service receives it. */
export interface ServiceView {
	readonly method: string;
	readonly url: URL;
	readonly query: ReadonlyMap<string, string>;
	readonly form: ReadonlyMap<string, string>;
	/** Query and form together, as the service signs them. */
	readonly all: ReadonlyMap<string, string>;
}

function encoded(fields: unknown): string {
	if (fields === undefined) return '';
	if (typeof fields !== 'object' || fields === null) throw new Error('The fields are no object');
	return Object.entries(fields)
		.map(([name, value]: [string, unknown]) => {
			if (typeof value !== 'string') throw new Error(`${name} is not a text`);
			return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
		})
		.join('&');
}

function decoded(text: string): Map<string, string> {
	const fields = new Map<string, string>();
	for (const [name, value] of new URLSearchParams(text)) {
		if (fields.has(name)) throw new Error(`${name} is sent twice`);
		fields.set(name, value);
	}
	return fields;
}

function part(request: IHttpRequestOptions, name: string): unknown {
	return Reflect.get(request, name);
}

/** Sends the options by n8n's rules for both of its request helpers, and reads them as a server does. */
export function serviceView(request: IHttpRequestOptions): ServiceView {
	const address = part(request, 'uri') ?? part(request, 'url');
	if (typeof address !== 'string') throw new Error('There is no address');
	if (part(request, 'baseURL') !== undefined) throw new Error('The address is in two parts');
	const url = new URL(address);
	if (url.search !== '') throw new Error('A part of the query is still in the address');
	const query = decoded(encoded(request.qs));
	const form = decoded(encoded(part(request, 'form') ?? request.body));
	return {
		method: request.method ?? 'GET',
		url,
		query,
		form,
		all: new Map([...query, ...form]),
	};
}

/** The signature that the service expects, written down from its documentation once more. */
export function expectedSignature(view: ServiceView, secretKey: string): string {
	const names = [...view.all.keys()].filter((name) => name !== 'signature');
	names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
	const pairs = names.map((name) => `${name}=${view.all.get(name) ?? ''}`).join('&');
	return createHmac('sha1', secretKey)
		.update(`${view.method}${view.url.pathname}?${pairs}`)
		.digest('base64');
}

import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import { signRequest } from '../../../../../nodes/shared/credential/signRequest.ts';
import { SECRET_KEY } from '../../../support/credential.mts';
import { expectedSignature, serviceView } from '../../../support/serviceView.mts';
import {
	AUTHENTICATION,
	FORM_HEADER,
	NOW,
	older,
	own,
	sign,
	signing,
	URL_OF_CALL,
} from './signing.mts';

function field(request: IHttpRequestOptions, name: string): unknown {
	return Reflect.get(request, name);
}

describe('a request of the HTTP Request node', () => {
	it('keeps its older options and is signed', () => {
		const request = older({
			uri: `${URL_OF_CALL}?num=5`,
			method: 'GET',
			json: false,
			encoding: null,
			useStream: true,
			resolveWithFullResponse: true,
		});
		const signed = sign(request);
		expect(field(signed, 'uri')).toBe(URL_OF_CALL);
		expect(signed).not.toHaveProperty('url');
		expect(signed).toMatchObject({ useStream: true, resolveWithFullResponse: true, json: false });
		expect(own(serviceView(signed).query)).toEqual({ num: '5' });
	});

	it('may have query, address and both', () => {
		const { query } = serviceView(sign(older({ uri: `${URL_OF_CALL}?a=1&b=2`, qs: { b: 3 } })));
		expect(own(query)).toEqual({ a: '1', b: '3' });
	});

	it('counts as one of the newer options when it has those too', () => {
		const both = Object.assign(older({ uri: 'https://elsewhere.example' }), { url: URL_OF_CALL });
		expect(signRequest(signing, both, NOW).url).toBe(URL_OF_CALL);
	});

	it('may have its method in small letters', () => {
		const options = { uri: URL_OF_CALL, form: { a: '1' } };
		const request = older({ ...options, method: 'POST' });
		Reflect.set(request, 'method', 'post');
		const { form } = serviceView(signRequest(signing, request, NOW));
		const asPost = serviceView({ ...signRequest(signing, request, NOW), method: 'POST' });
		expect(own(form)).toEqual({ a: '1' });
		expect(asPost.all.get('signature')).toBe(expectedSignature(asPost, SECRET_KEY));
	});

	it('may have a base address', () => {
		const signed = sign(older({ uri: '/api/getproxy', baseURL: 'https://dev.kdlapi.com/' }));
		expect(field(signed, 'uri')).toBe(URL_OF_CALL);
	});

	it.each([
		['an object', { a: '1', list: [1, 2] }, { a: '1', list: '1,2' }],
		['a text', 'a=1&city=%E5%8C%97%E4%BA%AC+x', { a: '1', city: '北京 x' }],
		['nothing in it', {}, {}],
	])('sends its form as fields: %s', (_name, form, expected) => {
		const signed = sign(older({ uri: URL_OF_CALL, method: 'POST', form }));
		const view = serviceView(signed);
		expect(own(view.form)).toEqual(expected);
		expect(own(view.query)).toEqual({});
		expect(view.form.has('signature')).toBe(true);
		expect(signed).not.toHaveProperty('body');
	});

	it('with GET sends its form in the query, where the service looks', () => {
		const signed = sign(older({ uri: URL_OF_CALL, form: { a: '1' } }));
		expect(own(serviceView(signed).query)).toEqual({ a: '1' });
		expect(signed).not.toHaveProperty('form');
	});

	it('is refused with a multipart form', () => {
		const request = older({ uri: URL_OF_CALL, method: 'POST', formData: { a: '1' } });
		expect(() => sign(request)).toThrow(/form fields only.*'Form Urlencoded'/);
	});
});

describe('a body', () => {
	const post = (body: IHttpRequestOptions['body'], headers?: IDataObject): IHttpRequestOptions => ({
		url: URL_OF_CALL,
		method: 'POST',
		body,
		headers,
	});

	it.each<[string, IHttpRequestOptions['body'], IDataObject]>([
		['an object', { a: 1, b: '北京' }, FORM_HEADER],
		['a text', 'a=1&b=%E5%8C%97%E4%BA%AC', FORM_HEADER],
		[
			'a header in other letters',
			{ a: 1, b: '北京' },
			{ 'Content-Type': FORM_HEADER['content-type'] },
		],
		[
			'a header with a character set',
			'a=1&b=%E5%8C%97%E4%BA%AC',
			{ 'CONTENT-TYPE': 'Application/X-WWW-Form-Urlencoded; charset=utf-8' },
		],
	])('with form fields is signed and sent as form: %s', (_name, body, headers) => {
		const signed = sign(post(body, { ...headers, accept: '*/*' }));
		const view = serviceView(signed);
		expect(own(view.form)).toEqual({ a: '1', b: '北京' });
		expect(own(view.query)).toEqual({});
		// n8n encodes a form only with exactly this one
		expect(signed.headers).toEqual({ ...FORM_HEADER, accept: '*/*' });
	});

	it('is signed together with the query', () => {
		const view = serviceView(sign({ ...post({ b: 2 }, FORM_HEADER), qs: { a: 1 } }));
		expect(own(view.query)).toEqual({ a: '1' });
		expect(own(view.form)).toEqual({ b: '2' });
		for (const name of AUTHENTICATION) {
			expect(view.form.has(name)).toBe(true);
			expect(view.query.has(name)).toBe(false);
		}
	});

	it.each(['POST', 'GET'] as const)('with %s may repeat a value of the query', (method) => {
		const view = serviceView(
			sign({ ...post({ a: '1', b: 2 }, FORM_HEADER), method, qs: { a: 1, c: 3 } }),
		);
		expect(own(view.all)).toEqual({ a: '1', b: '2', c: '3' });
		expect(view.query.has('a') && view.form.has('a')).toBe(false);
	});

	it.each(['POST', 'GET'] as const)('with %s may not contradict the query', (method) => {
		const request = { ...post({ a: 2 }, FORM_HEADER), method, url: `${URL_OF_CALL}?a=1` };
		expect(() => sign(request)).toThrow(
			"'a' has one value in the query and another one in the body.",
		);
	});

	it.each<[string, IHttpRequestOptions['body']]>([
		['nothing', undefined],
		['an empty text', ''],
		['an empty object', {}],
	])('that is empty still carries the authentication: %s', (_name, body) => {
		const view = serviceView(sign(post(body)));
		expect([...view.form.keys()].sort()).toEqual([...AUTHENTICATION].sort());
	});

	it.each<[string, IHttpRequestOptions['body'], IDataObject | undefined]>([
		['an object without a header', { a: 1 }, undefined],
		['an object as JSON', { a: 1 }, { 'content-type': 'application/json' }],
		['a text as JSON', '{"a":1}', { 'content-type': 'application/json' }],
		['a text without a header', 'a=1', {}],
		['a list', [1], undefined],
		['multipart', { a: 1 }, { 'content-type': 'multipart/form-data' }],
		['XML', '<a/>', { 'content-type': 'text/xml' }],
	])('of another kind is refused: %s', (_name, body, headers) => {
		expect(() => sign(post(body, headers))).toThrow(/form fields only.*'Form Urlencoded'/);
	});

	it('with form fields and GET goes into the query', () => {
		const signed = sign({ ...post({ a: 1 }, FORM_HEADER), method: 'GET' });
		expect(own(serviceView(signed).query)).toEqual({ a: '1' });
		expect(signed).not.toHaveProperty('body');
	});
});

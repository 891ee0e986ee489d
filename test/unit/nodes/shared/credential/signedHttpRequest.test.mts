import fc from 'fast-check';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { signRequest } from '../../../../../nodes/shared/credential/signRequest.ts';
import { SECRET_ID, SECRET_KEY, credentialWith } from '../../../support/credential.mts';
import { deepFreeze } from '../../../support/frozen.mts';
import { SOME_RUNS } from '../../../support/properties.mts';
import { expectedSignature, serviceView } from '../../../support/serviceView.mts';
import {
	AUTHENTICATION,
	FORM_HEADER,
	NOW,
	URL_OF_CALL,
	older,
	own,
	sign,
	signing,
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

describe('the values of a request', () => {
	it.each<[string, IDataObject[string] | Date | null | undefined, string | undefined]>([
		['undefined is not sent', undefined, undefined],
		['null is sent empty', null, ''],
		['a text is sent as it is', ' a=b&c%20 ', ' a=b&c%20 '],
		['an integer', 12, '12'],
		['zero', 0, '0'],
		['a negative number', -3.5, '-3.5'],
		['true', true, 'true'],
		['false', false, 'false'],
		['a date in ISO form', new Date(0), '1970-01-01T00:00:00.000Z'],
		['a list with commas', ['北京', 2, true, null], '北京,2,true,'],
		['an empty list is sent empty', [], ''],
		['a list in a list with commas', [['a', 'b'], 'c'], 'a,b,c'],
	])('%s', (_name, value, expected) => {
		const qs: IDataObject = { num: '5' };
		Reflect.set(qs, 'v', value);
		const { query } = serviceView(sign({ url: URL_OF_CALL, qs }));
		expect(query.get('v')).toBe(expected);
		expect(query.has('v')).toBe(expected !== undefined);
	});

	it('a number beyond the exact range arrives as n8n has it', () => {
		const qs = deepFreeze<IDataObject>({});
		const withBigInt = Object.assign({ ...qs }, { orderid: 965102959536478123456n });
		const { query } = serviceView(sign({ url: URL_OF_CALL, qs: withBigInt }));
		expect(query.get('orderid')).toBe('965102959536478123456');
	});

	it.each([
		['an object', { a: 1 }],
		['a list of objects', [{ a: 1 }]],
	])('%s is refused with the name of the parameter', (_name, value) => {
		expect(() => sign({ url: URL_OF_CALL, qs: { area: value } })).toThrow(/'area'.*not an object/);
	});

	it('that are signed are those that are sent, whatever they are', () => {
		const name = fc.oneof(
			fc.string({ minLength: 1, maxLength: 12 }),
			fc.constantFrom('a.b', 'a_b', 'A', '名', 'constructor', 'toString', 'hasOwnProperty'),
		);
		const value = fc.oneof(
			fc.string({ unit: 'grapheme' }),
			fc.double(),
			fc.boolean(),
			fc.constantFrom(null, undefined),
			fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 3 }),
		);
		const names = name.filter((one) => one !== '__proto__' && !AUTHENTICATION.includes(one));
		fc.assert(
			fc.property(fc.dictionary(names, value), fc.boolean(), (fields, post) => {
				const qs: IDataObject = post ? {} : { ...fields };
				const signed = signRequest(
					signing,
					post
						? { url: URL_OF_CALL, method: 'POST', body: { ...fields }, headers: FORM_HEADER }
						: { url: URL_OF_CALL, qs },
					NOW,
				);
				const view = serviceView(signed);
				expect(view.all.get('signature')).toBe(expectedSignature(view, SECRET_KEY));
				const kept = Object.keys(fields).filter((one) => fields[one] !== undefined);
				expect(Object.keys(own(view.all)).sort()).toEqual(kept.sort());
			}),
			SOME_RUNS,
		);
	});

	it('in the address are read as a server reads them, whatever they are', () => {
		fc.assert(
			fc.property(fc.webQueryParameters(), (query) => {
				const url = `${URL_OF_CALL}?${query}`;
				const view = serviceView(signRequest(signing, { url }, NOW));
				expect(view.all.get('signature')).toBe(expectedSignature(view, SECRET_KEY));
				const names = new Set(new URL(url).searchParams.keys());
				for (const taken of [...AUTHENTICATION, '__proto__']) names.delete(taken);
				expect(new Set(Object.keys(own(view.all)))).toEqual(names);
			}),
			SOME_RUNS,
		);
	});
});

describe('signing twice', () => {
	const requests: Array<[string, () => IHttpRequestOptions]> = [
		['a query', () => ({ url: `${URL_OF_CALL}?sort=1`, qs: { num: 5, area: '北京' } })],
		['a form', () => ({ url: URL_OF_CALL, method: 'POST', headers: FORM_HEADER, body: { a: 1 } })],
		['a query and a form', () => ({ ...requests[1][1](), qs: { b: 2 } })],
		['the older options', () => older({ uri: `${URL_OF_CALL}?sort=1`, qs: { num: 5 } })],
		['an older form', () => older({ uri: URL_OF_CALL, method: 'POST', form: { a: 1 } })],
	];

	it.each(requests)('changes nothing but nonce, timestamp and signature: %s', (_name, request) => {
		const once = serviceView(sign(request()));
		const twice = serviceView(sign(sign(request()), signing, NOW + 5000));
		expect(own(twice.query)).toEqual(own(once.query));
		expect(own(twice.form)).toEqual(own(once.form));
		expect([...twice.query.keys()]).toEqual([...once.query.keys()]);
		expect([...twice.form.keys()]).toEqual([...once.form.keys()]);
		expect(twice.url.href).toBe(once.url.href);
		expect(twice.all.get('timestamp')).toBe('1555069985');
		expect(twice.all.get('signature')).not.toBe(once.all.get('signature'));
	});

	it('replaces the fields of another key pair', () => {
		const other = credentialWith({ secretId: 'another-id', secretKey: 'another-key' });
		const view = serviceView(sign(sign({ url: URL_OF_CALL }, other)));
		expect(view.query.get('secret_id')).toBe(SECRET_ID);
	});

	it('replaces fields inside the address', () => {
		const url = `${URL_OF_CALL}?secret_id=x&signature=y&sign_type=token&timestamp=1&nonce=2&num=5`;
		const { query } = serviceView(sign({ url }));
		expect(own(query)).toEqual({ num: '5' });
		expect(query.get('secret_id')).toBe(SECRET_ID);
		expect(query.get('timestamp')).toBe('1555069980');
	});

	it('leaves no field of hmacsha1 behind for a token', () => {
		const signed = signRequest(
			credentialWith({ signType: 'token' }),
			sign({ url: URL_OF_CALL }),
			NOW,
			'the-token',
		);
		expect([...serviceView(signed).query.keys()].sort()).toEqual([
			'secret_id',
			'sign_type',
			'signature',
		]);
	});
});

describe('a token', () => {
	const credential = credentialWith({ signType: 'token' });

	it('is sent as the signature, without timestamp and nonce', () => {
		const request = deepFreeze({ url: URL_OF_CALL, qs: { num: 5 } });
		const signed = signRequest(credential, request, NOW, 'the-token');
		expect(Object.fromEntries(serviceView(signed).query)).toEqual({
			num: '5',
			secret_id: SECRET_ID,
			sign_type: 'token',
			signature: 'the-token',
		});
		expect(JSON.stringify(signed)).not.toContain(SECRET_KEY);
	});

	it('goes into the form of a POST', () => {
		const request: IHttpRequestOptions = { url: URL_OF_CALL, method: 'POST' };
		const signed = signRequest(credential, request, NOW, 'the-token');
		expect(serviceView(signed).form.get('signature')).toBe('the-token');
		expect(signed.headers).toEqual(FORM_HEADER);
	});

	it('that is missing is not replaced by anything', () => {
		expect(() => signRequest(credential, { url: URL_OF_CALL }, NOW)).toThrow(
			'A secret token has to be fetched first',
		);
	});

	it('does not replace the signature of sign type hmacsha1', () => {
		const { query } = serviceView(signRequest(signing, { url: URL_OF_CALL }, NOW, 'the-token'));
		expect(query.get('sign_type')).toBe('hmacsha1');
	});

	it('is not sent to a foreign host', () => {
		const request = { url: 'https://kdlapi.com.evil.example/api/x' };
		for (const token of ['the-token', undefined]) {
			expect(() => signRequest(credential, request, NOW, token)).toThrow(/is not sent to/);
		}
	});
});

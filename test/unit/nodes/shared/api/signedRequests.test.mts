import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import { signatureOf, signRequest } from '../../../../../nodes/shared/api/sign.ts';
import data from '../../../signatureVectors.json';
import {
	credentialWith,
	DEFAULT_HOSTS,
	SECRET_ID,
	SECRET_KEY,
} from '../../../support/credential.mts';
import { deepFreeze } from '../../../support/frozen.mts';
import { SOME_RUNS } from '../../../support/properties.mts';
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

describe('a request of the node', () => {
	it('carries the five authentication fields beside its own', () => {
		const signed = sign({ url: URL_OF_CALL, qs: { num: '5', area: '北京,上海' } });
		const { query } = serviceView(signed);
		expect([...query.keys()].sort()).toEqual(['area', ...AUTHENTICATION, 'num'].sort());
		expect(own(query)).toEqual({ num: '5', area: '北京,上海' });
		expect(signed.url).toBe(URL_OF_CALL);
	});

	it('has a nonce from 1 to 100 million, fresh each time', () => {
		const nonces = Array.from({ length: 500 }, () => {
			const { query } = serviceView(signRequest(signing, { url: URL_OF_CALL }, NOW));
			return query.get('nonce') ?? '';
		});
		for (const nonce of nonces) {
			expect(nonce).toMatch(/^[1-9]\d{0,8}$/);
			expect(Number(nonce)).toBeLessThanOrEqual(100_000_000);
		}
		// Among 500 of 100 million the chance of more than five twins is about one in ten billion
		expect(new Set(nonces).size).toBeGreaterThanOrEqual(495);
		expect(Math.max(...nonces.map(Number))).toBeGreaterThan(50_000_000);
	});

	it.each(['https://dev.kdlapi.com/api/getproxy', 'HTTPS://dev.kdlapi.com/api/getproxy'])(
		'is sent to no base, but to %s',
		(url) => {
			const signed = sign({ baseURL: 'https://elsewhere.example', url });
			expect(signed.url).toBe(URL_OF_CALL);
			expect(signed).not.toHaveProperty('baseURL');
		},
	);

	it('follows no redirect, whatever it asked for', () => {
		const asked = {
			maxRedirects: 21,
			disableFollowRedirect: false,
			followRedirect: true,
			followAllRedirects: true,
			sendCredentialsOnCrossOriginRedirect: true,
		};
		expect(sign({ url: URL_OF_CALL, ...asked })).toMatchObject({
			maxRedirects: 0,
			disableFollowRedirect: true,
			followRedirect: false,
			followAllRedirects: false,
			sendCredentialsOnCrossOriginRedirect: false,
		});
	});

	it('does not contain the secret key anywhere', () => {
		const signed = sign({
			url: URL_OF_CALL,
			method: 'POST',
			headers: FORM_HEADER,
			body: { a: '1' },
		});
		expect(JSON.stringify(signed)).not.toContain(SECRET_KEY);
	});
});

describe('the host', () => {
	it.each([
		...Object.values(DEFAULT_HOSTS).map((origin) => `${origin}/api/x`),
		'https://DEV.KDLAPI.COM/api/x',
		'https://dev.kdlapi.com:443/api/x',
	])('%s gets the signed request', (url) => {
		expect(serviceView(sign({ url })).url.pathname).toBe('/api/x');
	});

	it.each([
		'https://kdlapi.com/api/x',
		'https://new.host.kdlapi.com/api/x',
		'https://dev.kdlapi.com:8443/api/x',
		'http://127.0.0.1:5678/webhook/x',
		'http://127.1.2.3/api/x',
		'http://localhost:5000/api/x',
		'http://[::1]:5000/api/x',
		'https://localhost/api/x',
		'https://example.com/api/x',
		'https://kdlapi.com.evil.example/api/x',
		'https://dev.kdlapi.com.evil.example/api/x',
		'https://evilkdlapi.com/api/x',
		'https://evil-kdlapi.com/api/x',
		'https://kdlapi.com@evil.example/api/x',
		'https://dev.kdlapi.com:443@evil.example/api/x',
		'https://evil.example#@dev.kdlapi.com/api/x',
		'https://evil.example/?.kdlapi.com',
		'https://evil.example\\.kdlapi.com/api/x',
		'https://kdlapi.com./api/x',
		'https://kdlаpi.com/api/x',
		'https://kdlapi.co/api/x',
		'https://127.0.0.1.evil.example/api/x',
		'https://localhost.evil.example/api/x',
		'http://dev.kdlapi.com/api/x',
		'http://example.com/api/x',
		'http://192.168.0.1/api/x',
		'http://[::2]/api/x',
		'ftp://dev.kdlapi.com/api/x',
		'file:///api/x',
	])('%s gets nothing', (url) => {
		expect(() => signRequest(signing, { url }, NOW)).toThrow(/is not sent to/);
		expect(() => signRequest(signing, older({ uri: url }), NOW)).toThrow(/is not sent to/);
	});

	it('of the credential gets the signed request, on exactly its port', () => {
		const credential = credentialWith({ customHosts: true, svipUrl: 'https://test.example:8443' });
		sign({ url: 'https://test.example:8443/api/x' }, credential);
		for (const origin of [
			'https://test.example',
			'http://test.example:8443',
			DEFAULT_HOSTS.svipUrl,
		]) {
			expect(() => sign({ url: `${origin}/api/x` }, credential)).toThrow(/is not sent to/);
		}
	});

	it('of the credential counts only while custom hosts are on', () => {
		const credential = credentialWith({ customHosts: false, svipUrl: 'https://test.example' });
		expect(() => sign({ url: 'https://test.example/api/x' }, credential)).toThrow(/is not sent to/);
	});

	it('is what a refusal shows of the address, no user name and no query', () => {
		const refuse = () => sign({ url: 'https://name:pass@evil.example/p?signature=abc' });
		expect(refuse).toThrow('is not sent to https://evil.example. ');
		expect(refuse).not.toThrow(/name|pass|abc/);
	});
});

const { vectors } = data;

function signatureOfText(text: string, secretKey: string): string {
	return createHmac('sha1', secretKey).update(text).digest('base64');
}

describe.each(vectors)('the vector $id', (vector) => {
	const parameters = Object.fromEntries(Object.entries(vector.params));

	const { secretKey, method, path } = vector;
	const signature = signatureOf(secretKey, method, path, parameters);

	it('gives exactly this signature, of exactly this text', () => {
		expect(signature).toBe(vector.signature);
		expect(signature).toBe(signatureOfText(vector.stringToSign, secretKey));
	});
});

it('orders names by code units: a dot, digits, upper case, underscore, lower case, other scripts', () => {
	const names = ['名', 'ab', 'a_b', 'aB', 'a1', 'a.b', 'a', 'é', 'A', '_', 'ä', '\uFF21'];
	const parameters = Object.fromEntries(names.map((name) => [name, 'x']));
	const text = `GET/p?${['A', '_', 'a', 'a.b', 'a1', 'aB', 'a_b', 'ab', 'ä', 'é', '名', '\uFF21']
		.map((name) => `${name}=x`)
		.join('&')}`;
	expect(signatureOf('k', 'GET', '/p', parameters)).toBe(signatureOfText(text, 'k'));
});

it('signs values as they are, whatever they contain', () => {
	const value = 'a b+c/d=e&f?g%20h,i:j;北京"\'<>\\\n';
	const expected = signatureOfText(`GET/p?v=${value}`, 'k');
	expect(signatureOf('k', 'GET', '/p', { v: value })).toBe(expected);
});

it('reads key and text as UTF-8 and pads the signature to 28 characters', () => {
	const signature = signatureOf('密钥', 'GET', '/p', { city: '北京' });
	expect(signature).toBe('euFbg/sAHfarNDLCxcOc5XAGKng=');
	expect(signature).toHaveLength(28);
});

describe('a request of the HTTP Request node', () => {
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

	it('is not sent to a foreign host', () => {
		const request = { url: 'https://kdlapi.com.evil.example/api/x' };
		for (const token of ['the-token', undefined]) {
			expect(() => signRequest(credential, request, NOW, token)).toThrow(/is not sent to/);
		}
	});
});

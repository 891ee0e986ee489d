import fc from 'fast-check';
import type { IDataObject, IHttpRequestMethods, IHttpRequestOptions } from 'n8n-workflow';

import {
	signRequest,
	MissingTokenError,
} from '../../../../../nodes/shared/credential/signRequest.ts';
import type { KuaidailiCredential } from '../../../../../nodes/shared/credential/kuaidailiCredential.ts';
import { credentialWith, SECRET_ID, SECRET_KEY } from '../../../support/credential.mts';
import { deepFreeze } from '../../../support/frozen.mts';
import { SOME_RUNS } from '../../../support/properties.mts';
import { expectedSignature, serviceView } from '../../../support/serviceView.mts';

const NOW = 1_555_069_980_999;
const URL_OF_CALL = 'https://dev.kdlapi.com/api/getproxy';
const FORM_HEADER = { 'content-type': 'application/x-www-form-urlencoded' };
const AUTHENTICATION = ['nonce', 'secret_id', 'sign_type', 'signature', 'timestamp'];

const signing = credentialWith();

interface OlderOptions {
	uri: string;
	method?: IHttpRequestMethods;
	qs?: IDataObject;
	headers?: IDataObject;
	body?: unknown;
	form?: unknown;
	formData?: unknown;
	[other: string]: unknown;
}

/** The HTTP Request node's options, which n8n passes under the type of the newer ones. */
function older(options: OlderOptions): IHttpRequestOptions {
	return options as unknown as IHttpRequestOptions;
}

function field(request: IHttpRequestOptions, name: string): unknown {
	return Reflect.get(request, name);
}

function own(fields: ReadonlyMap<string, string>): Record<string, string> {
	return Object.fromEntries([...fields].filter(([name]) => !AUTHENTICATION.includes(name)));
}

/** Signs frozen options, and checks what every signed request has in common. */
function sign(
	request: IHttpRequestOptions,
	credential: KuaidailiCredential = signing,
	now = NOW,
): IHttpRequestOptions {
	const signed = signRequest(credential, deepFreeze(request), now);
	const view = serviceView(signed);
	expect(view.all.get('signature')).toBe(expectedSignature(view, credential.secretKey));
	expect(view.all.get('secret_id')).toBe(credential.secretId);
	expect(view.all.get('sign_type')).toBe('hmacsha1');
	return signed;
}

describe('a request of the node', () => {
	it('carries the five authentication fields beside its own', () => {
		const signed = sign({ url: URL_OF_CALL, qs: { num: '5', area: '北京,上海' } });
		const { query } = serviceView(signed);
		expect([...query.keys()].sort()).toEqual(['area', ...AUTHENTICATION, 'num'].sort());
		expect(own(query)).toEqual({ num: '5', area: '北京,上海' });
		expect(signed.url).toBe(URL_OF_CALL);
	});

	it('keeps every other option as it is', () => {
		const others = { encoding: 'text', timeout: 7, json: false, returnFullResponse: true } as const;
		expect(sign({ url: URL_OF_CALL, ...others })).toMatchObject(others);
	});

	it('is signed with the time in whole seconds', () => {
		const { query } = serviceView(sign({ url: URL_OF_CALL }));
		expect(query.get('timestamp')).toBe('1555069980');
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

	it('is a copy: the given options stay as they are', () => {
		const request = deepFreeze({ url: URL_OF_CALL, qs: { num: '5' }, headers: { a: 'b' } });
		const signed = sign(request);
		expect(signed).not.toBe(request);
		expect(signed.qs).not.toBe(request.qs);
		expect(request).toEqual({ url: URL_OF_CALL, qs: { num: '5' }, headers: { a: 'b' } });
	});

	it('takes the query from inside the address', () => {
		const { url, query } = serviceView(sign({ url: `${URL_OF_CALL}?num=5&area=%E5%8C%97+x` }));
		expect(url.href).toBe(URL_OF_CALL);
		expect(own(query)).toEqual({ num: '5', area: '北 x' });
	});

	it('takes the query from both places, where the separate one wins', () => {
		const { query } = serviceView(
			sign({ url: `${URL_OF_CALL}?num=5&sort=1`, qs: { num: 6, dedup: 1 } }),
		);
		expect(own(query)).toEqual({ num: '6', sort: '1', dedup: '1' });
	});

	it('joins a parameter that is in the address several times with commas', () => {
		const { query } = serviceView(sign({ url: `${URL_OF_CALL}?port=80&port=8080` }));
		expect(query.get('port')).toBe('80,8080');
	});

	it('keeps an empty value, in the query and in what is signed', () => {
		const { query } = serviceView(sign({ url: URL_OF_CALL, qs: { 'kps.city': '' } }));
		expect(query.get('kps.city')).toBe('');
	});

	it('with HEAD carries everything in the query', () => {
		const signed = sign({ url: URL_OF_CALL, method: 'HEAD', qs: { num: 5 } });
		expect(serviceView(signed).query.get('num')).toBe('5');
		expect(serviceView(signed).query.has('signature')).toBe(true);
		expect(signed).not.toHaveProperty('body');
	});

	it('drops the fragment of the address', () => {
		expect(sign({ url: `${URL_OF_CALL}#top` }).url).toBe(URL_OF_CALL);
	});

	it('signs the method in upper case and takes GET where none is given', () => {
		expect(serviceView(sign({ url: URL_OF_CALL })).method).toBe('GET');
		expect(serviceView(sign({ url: URL_OF_CALL, method: 'POST' })).method).toBe('POST');
	});

	it.each([
		['https://dev.kdlapi.com', '/api/getproxy'],
		['https://dev.kdlapi.com/', 'api/getproxy'],
		['https://dev.kdlapi.com/api', 'getproxy'],
		['https://dev.kdlapi.com/api/', '/getproxy'],
		['https://dev.kdlapi.com', 'https://dev.kdlapi.com/api/getproxy'],
		['https://elsewhere.example', 'https://dev.kdlapi.com/api/getproxy'],
		['https://elsewhere.example', 'HTTPS://dev.kdlapi.com/api/getproxy'],
		['https://dev.kdlapi.com', '/api/getproxy?from=https://elsewhere.example'],
	])('joins the base %s with %s', (baseURL, url) => {
		const signed = sign({ baseURL, url });
		expect(signed.url).toBe(URL_OF_CALL);
		expect(signed).not.toHaveProperty('baseURL');
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

describe('the host', () => {
	it.each([
		'https://dev.kdlapi.com/api/x',
		'https://svip.kdlapi.com/api/x',
		'https://kdlapi.com/api/x',
		'https://DEV.KDLAPI.COM/api/x',
		'https://new.host.kdlapi.com:8443/api/x',
		'http://127.0.0.1:5000/api/x',
		'http://127.1.2.3/api/x',
		'http://localhost:5000/api/x',
		'http://[::1]:5000/api/x',
		'https://localhost/api/x',
	])('%s gets the signed request', (url) => {
		expect(serviceView(sign({ url })).url.pathname).toBe('/api/x');
	});

	it.each([
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
		for (const origin of ['https://test.example', 'http://test.example:8443']) {
			expect(() => sign({ url: `${origin}/api/x` }, credential)).toThrow(/is not sent to/);
		}
	});

	it('of the credential counts only while custom hosts are on', () => {
		const credential = credentialWith({ customHosts: false, svipUrl: 'https://test.example' });
		expect(() => sign({ url: 'https://test.example/api/x' }, credential)).toThrow(/is not sent to/);
	});

	it('is what a refusal shows of the address, no user name and no query', () => {
		const refuse = () => sign({ url: 'https://name:pass@evil.example/p?signature=abc' });
		expect(refuse).toThrow('https://evil.example.');
		expect(refuse).not.toThrow(/name|pass|abc/);
	});

	it('loses a user name in front of it', () => {
		expect(sign({ url: 'https://u:p@dev.kdlapi.com/api/getproxy' }).url).toBe(URL_OF_CALL);
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

	it('that is missing makes n8n have one fetched', () => {
		let thrown: unknown;
		try {
			signRequest(credential, { url: URL_OF_CALL }, NOW);
		} catch (error) {
			thrown = error;
		}
		expect(thrown).toBeInstanceOf(MissingTokenError);
		expect(thrown).toMatchObject({ response: { status: 401 } });
	});

	it('is not sent to a foreign host, not even asked for', () => {
		const request = { url: 'https://kdlapi.com.evil.example/api/x' };
		for (const token of ['the-token', undefined]) {
			expect(() => signRequest(credential, request, NOW, token)).toThrow(/is not sent to/);
		}
	});
});

import fc from 'fast-check';
import {
	hmacSha1,
	signRequest,
	stringToSign,
} from '../../../../../nodes/shared/credential/signRequest.ts';
import { DEFAULT_HOSTS } from '../../../../../nodes/shared/service/hosts.ts';
import data from '../../../signatureVectors.json';
import { SECRET_KEY, credentialWith } from '../../../support/credential.mts';
import { SOME_RUNS } from '../../../support/properties.mts';
import { serviceView } from '../../../support/serviceView.mts';
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

	it('on this machine gets the signed request where the credential names it', () => {
		const credential = credentialWith({ customHosts: true, svipUrl: 'http://127.0.0.1:5000' });
		sign({ url: 'http://127.0.0.1:5000/api/x' }, credential);
		expect(() => sign({ url: 'http://127.0.0.1:5678/api/x' }, credential)).toThrow(
			/is not sent to/,
		);
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

/** A query in the order of the names, as a serializer writes it. */
function urlencoded(parameters: Record<string, string>): string {
	const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
	return sorted.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
}

describe.each(vectors)('the vector $id', (vector) => {
	const parameters = Object.fromEntries(Object.entries(vector.params));

	it('gives exactly this text to sign', () => {
		expect(stringToSign(vector.method, vector.path, parameters)).toBe(vector.stringToSign);
	});

	it('gives exactly this signature', () => {
		const text = stringToSign(vector.method, vector.path, parameters);
		expect(hmacSha1(vector.secretKey, text)).toBe(vector.signature);
	});

	it('is sent URL-encoded exactly once', () => {
		const signature = hmacSha1(
			vector.secretKey,
			stringToSign(vector.method, vector.path, parameters),
		);
		expect(urlencoded({ ...parameters, signature })).toBe(vector.urlencoded);
	});

	it('signs the same text when a signature is among the parameters already', () => {
		const signedBefore = { ...parameters, signature: 'of an earlier try' };
		expect(stringToSign(vector.method, vector.path, signedBefore)).toBe(vector.stringToSign);
	});
});

it('covers GET and POST, an empty value and Chinese text', () => {
	expect(new Set(vectors.map(({ method }) => method))).toEqual(new Set(['GET', 'POST']));
	expect(vectors.some(({ stringToSign: text }) => /=(&|$)/.test(text))).toBe(true);
	expect(vectors.some(({ stringToSign: text }) => /\p{Script=Han}/u.test(text))).toBe(true);
	expect(vectors).toHaveLength(16);
});

it('orders names byte by byte: a dot, digits, upper case, underscore, lower case, other scripts', () => {
	const names = ['名', 'ab', 'a_b', 'aB', 'a1', 'a.b', 'a', 'é', 'A', '_', 'ä', '𠀀', '\uFF21'];
	const parameters = Object.fromEntries(names.map((name) => [name, 'x']));
	expect(stringToSign('GET', '/p', parameters)).toBe(
		`GET/p?${['A', '_', 'a', 'a.b', 'a1', 'aB', 'a_b', 'ab', 'ä', 'é', '名', '\uFF21', '𠀀']
			.map((name) => `${name}=x`)
			.join('&')}`,
	);
});

it('signs values as they are, whatever they contain', () => {
	const value = 'a b+c/d=e&f?g%20h,i:j;北京"\'<>\\\n';
	expect(stringToSign('GET', '/p', { v: value })).toBe(`GET/p?v=${value}`);
});

it('signs the same text in whichever order the parameters come', () => {
	const entries = fc.uniqueArray(fc.tuple(fc.string({ minLength: 1 }), fc.string()), {
		selector: ([name]) => name,
		maxLength: 8,
	});
	fc.assert(
		fc.property(
			entries.chain((list) =>
				fc.tuple(
					fc.constant(list),
					fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length }),
				),
			),
			([list, shuffled]) => {
				expect(stringToSign('GET', '/p', Object.fromEntries(shuffled))).toBe(
					stringToSign('GET', '/p', Object.fromEntries(list)),
				);
			},
		),
		SOME_RUNS,
	);
});

it('reads key and text as UTF-8 and pads the signature to 28 characters', () => {
	expect(hmacSha1('密钥', '北京')).toBe('K3jnkQCykB0u3CqTKfMBoNj5P1o=');
	expect(hmacSha1('k', 'x')).toHaveLength(28);
});

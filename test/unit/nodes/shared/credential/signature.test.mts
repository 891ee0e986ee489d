import fc from 'fast-check';

import { hmacSha1, stringToSign } from '../../../../../nodes/shared/credential/signRequest.ts';
import data from '../../../signatureVectors.json';
import { SOME_RUNS } from '../../../support/properties.mts';

const { vectors, negative } = data;

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

it('does not give the signature that belongs to another timestamp', () => {
	const signature = hmacSha1(negative.secretKey, negative.stringToSign);
	expect(signature).not.toBe(negative.wrongSignature);
	expect(signature).toBe(negative.signature);
});

it('does not give the signature of URL-encoded values', () => {
	const signatures = new Map(vectors.map(({ id, signature }) => [id, signature]));
	const wrong = Object.entries(data.signedAfterEncoding);
	expect(wrong.length).toBeGreaterThan(0);
	for (const [id, signature] of wrong) expect(signatures.get(id)).not.toBe(signature);
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

it('signs an empty value as a name with an equals sign', () => {
	expect(stringToSign('GET', '/p', { b: '', a: '1' })).toBe('GET/p?a=1&b=');
});

it('keeps the question mark when there are no parameters', () => {
	expect(stringToSign('POST', '/p', {})).toBe('POST/p?');
});

it('writes the method in upper case', () => {
	expect(stringToSign('post', '/p', {})).toBe('POST/p?');
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

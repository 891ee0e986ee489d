import fc from 'fast-check';

import {
	keyPairFingerprint,
	newSecretToken,
	parseSecretToken,
	serializeSecretToken,
	usableToken,
} from '../../../../../nodes/shared/credential/secretToken.ts';
import { credentialWith, SECRET_ID, SECRET_KEY } from '../../../support/credential.mts';
import { anyText, anyValue, SOME_RUNS } from '../../../support/properties.mts';

const NOW = 1_555_069_980_000;
const keys = credentialWith({ signType: 'token' });
const fingerprint = keyPairFingerprint(keys);

function holding(lifeSeconds: number) {
	const token = newSecretToken('the-token', lifeSeconds, fingerprint, NOW);
	return credentialWith({ signType: 'token', secretToken: serializeSecretToken(token) });
}

describe.each([
	[3600, 60],
	[601, 60],
	[301, 30.1],
	[120, 12],
	[30, 3],
	[1, 0.1],
])('a token with %d seconds left', (life, margin) => {
	it('is usable when it was just fetched', () => {
		expect(usableToken(holding(life), NOW)?.token).toBe('the-token');
	});

	it(`is usable until ${margin} seconds before its end`, () => {
		const renewal = NOW + (life - margin) * 1000;
		expect(usableToken(holding(life), renewal - 1)?.token).toBe('the-token');
		expect(usableToken(holding(life), renewal + 1)).toBeUndefined();
	});

	it('remembers its end', () => {
		expect(newSecretToken('t', life, fingerprint, NOW).expiresAt).toBe(NOW + life * 1000);
	});
});

it('is due for renewal from the very moment on', () => {
	expect(usableToken(holding(3600), NOW + 3_540_000)).toBeUndefined();
	expect(usableToken(holding(3600), NOW + 3_539_999)).toBeDefined();
});

it('is never usable beyond its end, and always for nine tenths of its life', () => {
	fc.assert(
		fc.property(fc.integer({ min: 1, max: 10 * 86_400 }), fc.nat(20 * 86_400_000), (life, age) => {
			const isUsable = usableToken(holding(life), NOW + age) !== undefined;
			if (age >= life * 1000) expect(isUsable).toBe(false);
			if (age < life * 900) expect(isUsable).toBe(true);
		}),
		SOME_RUNS,
	);
});

describe('a stored token', () => {
	const token = newSecretToken('the-token', 3600, fingerprint, NOW);

	it('comes back as it was', () => {
		expect(parseSecretToken(serializeSecretToken(token))).toEqual(token);
	});

	it.each([
		'',
		' ',
		'garbage',
		'null',
		'true',
		'5',
		'"text"',
		'[]',
		'{}',
		'{',
		serializeSecretToken(token).slice(0, -1),
		JSON.stringify({ ...token, token: '' }),
		JSON.stringify({ ...token, token: 5 }),
		JSON.stringify({ ...token, expiresAt: '5' }),
		JSON.stringify({ ...token, renewAt: null }),
		JSON.stringify({ ...token, fingerprint: undefined }),
		JSON.stringify([token]),
		`{"__proto__":${JSON.stringify(token)}}`,
		// As it is stored when a life is beyond all numbers
		serializeSecretToken({ ...token, expiresAt: Infinity }),
	])('is not read from %s', (stored) => {
		expect(parseSecretToken(stored)).toBeUndefined();
	});

	it('is not read from anything else, and nothing else makes the reader throw', () => {
		const stored = fc.oneof(
			anyText(),
			fc.json(),
			anyValue.map((value) => {
				try {
					return JSON.stringify(value) ?? '';
				} catch {
					return '';
				}
			}),
		);
		fc.assert(
			fc.property(stored, (text) => expect(parseSecretToken(text)).toBeUndefined()),
			SOME_RUNS,
		);
	});
});

describe('the fingerprint', () => {
	it('is the same for the same keys, whatever else differs', () => {
		const same = credentialWith({
			keyType: 'account',
			signType: 'hmacsha1',
			customHosts: true,
			baseUrl: 'https://test.example',
			secretToken: 'x',
		});
		expect(keyPairFingerprint(same)).toBe(fingerprint);
	});

	it.each([
		['the Secret ID', { secretId: 'another-id' }],
		['the Secret Key', { secretKey: 'another-key' }],
		['the token host', { customHosts: true, authUrl: 'https://auth.example' }],
		[
			'where the ID ends and the key begins',
			{ secretId: `${SECRET_ID}j`, secretKey: SECRET_KEY.slice(1) },
		],
	])('differs with %s', (_name, fields) => {
		expect(keyPairFingerprint(credentialWith(fields))).not.toBe(fingerprint);
	});

	it('contains neither key', () => {
		expect(fingerprint).toMatch(/^[0-9a-f]{32}$/);
	});

	it('of other keys makes a token unusable', () => {
		const other = { ...holding(3600), secretId: 'another-id' };
		expect(usableToken(other, NOW)).toBeUndefined();
	});
});

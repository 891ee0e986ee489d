import fc from 'fast-check';

import { keyPairFingerprint } from '../../../../../nodes/shared/credential/kuaidailiCredential.ts';
import { newSecretToken } from '../../../../../nodes/shared/transport/authentication.ts';
import { credentialWith, SECRET_ID, SECRET_KEY } from '../../../support/credential.mts';
import { SOME_RUNS } from '../../../support/properties.mts';

const NOW = 1_555_069_980_000;

it.each([
	[3600, 60],
	[601, 60],
	[301, 30.1],
	[120, 12],
	[30, 3],
	[1, 0.1],
])('a token with %d seconds left is renewed %d seconds before its end', (life, margin) => {
	const { token, renewAt } = newSecretToken('the-token', life, NOW);
	expect(token).toBe('the-token');
	expect(renewAt).toBeCloseTo(NOW + (life - margin) * 1000, 6);
});

it('is used for nine tenths of its life at least, and never beyond its end', () => {
	fc.assert(
		fc.property(fc.integer({ min: 1, max: 10 * 86_400 }), (life) => {
			const { renewAt } = newSecretToken('the-token', life, NOW);
			expect(renewAt).toBeGreaterThanOrEqual(NOW + life * 900);
			expect(renewAt).toBeLessThan(NOW + life * 1000);
		}),
		SOME_RUNS,
	);
});

describe('the fingerprint of a key pair', () => {
	const keys = credentialWith();

	it('is the same for the same pair, whatever else the credential says', () => {
		const other = credentialWith({ signType: 'token', keyType: 'account' });
		expect(keyPairFingerprint(other)).toBe(keyPairFingerprint(keys));
	});

	it('holds nothing of it', () => {
		expect(keyPairFingerprint(keys)).not.toMatch(RegExp(`${SECRET_ID}|${SECRET_KEY}`));
	});

	it.each([
		['the id', { secretId: 'another-id' }],
		['the key', { secretKey: 'another-key' }],
		['the token host', { customHosts: true, authUrl: 'https://auth.example' }],
	])('is another one for %s', (_what, fields) => {
		expect(keyPairFingerprint(credentialWith(fields))).not.toBe(keyPairFingerprint(keys));
	});
});

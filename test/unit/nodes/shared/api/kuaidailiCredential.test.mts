import fc from 'fast-check';

import { readCredential } from '../../../../../nodes/shared/api/sign.ts';
import { mapValues } from '../../../../../nodes/shared/guards.ts';
import { HOSTS } from '../../../../../nodes/shared/service/hosts.ts';
import { DEFAULT_HOSTS, SECRET_ID, SECRET_KEY, STORED } from '../../../support/credential.mts';
import { anyValue, SOME_RUNS } from '../../../support/properties.mts';

it('reads the fields, and fills in what was not touched in the editor', () => {
	expect(readCredential({ secretId: SECRET_ID, secretKey: SECRET_KEY })).toEqual({
		keyType: 'account',
		secretId: SECRET_ID,
		secretKey: SECRET_KEY,
		signType: 'hmacsha1',
		hosts: DEFAULT_HOSTS,
	});
});

it('reads every field', () => {
	const hosts = {
		baseUrl: 'http://127.0.0.1:1',
		dpsUrl: 'http://127.0.0.1:2',
		kpsUrl: 'http://127.0.0.1:3',
		tpsUrl: 'http://127.0.0.1:4',
		fpsUrl: 'http://127.0.0.1:5',
		svipUrl: 'http://127.0.0.1:6',
		authUrl: 'http://127.0.0.1:7',
	};
	const stored = { ...STORED, signType: 'token', customHosts: true };
	expect(readCredential({ ...stored, ...hosts })).toEqual({
		keyType: 'order',
		secretId: SECRET_ID,
		secretKey: SECRET_KEY,
		signType: 'token',
		hosts,
	});
});

it.each([
	' ',
	'\t',
	'\n',
	'\r\n',
	'\u3000',
	'\u00A0',
	'\uFEFF',
	'\u200B',
	'\u2060',
	'\u202A \u200B',
])('takes %j off the keys', (space) => {
	const read = readCredential({
		secretId: `${space}${SECRET_ID}${space}`,
		secretKey: `${space}${SECRET_KEY}${space}`,
	});
	expect(read.secretId).toBe(SECRET_ID);
	expect(read.secretKey).toBe(SECRET_KEY);
});

it('ignores what nobody sees within the keys', () => {
	const split = (key: string) => `${key.slice(0, 5)}\u200B${key.slice(5)}`;
	const pasted = { secretId: split(SECRET_ID), secretKey: split(SECRET_KEY) };
	expect(readCredential(pasted)).toEqual(
		readCredential({ secretId: SECRET_ID, secretKey: SECRET_KEY }),
	);
});

describe('custom hosts', () => {
	it.each([false, undefined, null, 'true', 1])(
		'are ignored when the switch is %j',
		(customHosts) => {
			const read = readCredential({ ...STORED, customHosts, baseUrl: 'http://evil.example' });
			expect(read.hosts).toEqual(DEFAULT_HOSTS);
		},
	);
});

it('takes no value from a prototype', () => {
	const inherited: unknown = Object.create(STORED);
	expect(() => readCredential(inherited)).toThrow("'Secret ID'");
});

it('throws nothing but messages that contain no key, whatever the fields hold', () => {
	const fields = fc.record(
		{
			keyType: anyValue,
			signType: anyValue,
			customHosts: fc.oneof(fc.boolean(), anyValue),
			...mapValues(HOSTS, () => fc.oneof(anyValue, fc.webUrl())),
		},
		{ requiredKeys: [] },
	);
	fc.assert(
		fc.property(fields, (others) => {
			try {
				const { hosts } = readCredential({ secretId: SECRET_ID, secretKey: SECRET_KEY, ...others });
				for (const host of Object.values(hosts)) expect(new URL(host).origin).toBe(host);
			} catch (error) {
				const message = error instanceof Error ? error.message : '';
				expect(message).toMatch(/^'[\w ]+' in the credential /);
				expect(message).not.toContain(SECRET_ID);
				expect(message).not.toContain(SECRET_KEY);
			}
		}),
		SOME_RUNS,
	);
});

import { fingerprintOf } from '../fingerprint';
import { isOneOf, isRecord, ownValue, mapValues } from '../guards';
import { HOSTS, readHost, type ServiceHosts } from '../service/hosts';

export const CREDENTIAL_TYPE = 'kuaidailiApi';

const KEY_TYPES = ['account', 'order'] as const;
export type KeyType = (typeof KEY_TYPES)[number];

const SIGN_TYPES = ['hmacsha1', 'token'] as const;
export type SignType = (typeof SIGN_TYPES)[number];

export interface KeyPair {
	readonly keyType: KeyType;
	readonly secretId: string;
	readonly secretKey: string;
}

/** The credential after reading: complete, trimmed, hosts checked. */
export interface KuaidailiCredential extends KeyPair {
	readonly signType: SignType;
	readonly hosts: ServiceHosts;
}

function requiredText(value: unknown, label: string): string {
	// Copied from a web page or a chat, often with a space, a line end, or characters that nobody sees
	const text = typeof value === 'string' ? value.replace(/\p{Cf}/gu, '').trim() : '';
	if (text === '') {
		throw new Error(
			`'${label}' in the credential is empty. Copy it from the API key management page of the Kuaidaili member center.`,
		);
	}
	return text;
}

function credentialChoice<T extends string>(
	value: unknown,
	allowed: readonly T[],
	label: string,
): T {
	if (value === undefined || value === '') return allowed[0];
	if (isOneOf(value, allowed)) return value;
	throw new Error(`'${label}' in the credential must be one of: ${allowed.join(', ')}.`);
}

/** Reads the credential. Throws an Error that names the field and what is allowed, and holds no key. */
export function readCredential(data: unknown): KuaidailiCredential {
	if (!isRecord(data)) throw new Error('The credential could not be read.');
	const isCustom = ownValue(data, 'customHosts') === true;
	return {
		keyType: credentialChoice(ownValue(data, 'keyType'), KEY_TYPES, 'Key Type'),
		secretId: requiredText(ownValue(data, 'secretId'), 'Secret ID'),
		secretKey: requiredText(ownValue(data, 'secretKey'), 'Secret Key'),
		signType: credentialChoice(ownValue(data, 'signType'), SIGN_TYPES, 'Sign Type'),
		hosts: mapValues(HOSTS, (host, name) =>
			isCustom ? readHost(host, ownValue(data, name) ?? host.origin) : host.origin,
		),
	};
}

export function keyPairFingerprint({ secretId, secretKey, hosts }: KuaidailiCredential): string {
	return fingerprintOf(secretId, secretKey, hosts.authUrl);
}

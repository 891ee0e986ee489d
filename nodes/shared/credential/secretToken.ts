import { fingerprintOf } from '../fingerprint';
import { ownValue } from '../guards';
import type { KuaidailiCredential } from './kuaidailiCredential';

/** A secret token as it is kept in the credential's hidden field (as JSON text). */
export interface SecretToken {
	readonly token: string;
	/** Milliseconds since 1970 by this machine's clock. */
	readonly expiresAt: number;
	/** From this moment on a new token is fetched; milliseconds since 1970. */
	readonly renewAt: number;
	/** Of the key pair that the token was issued for. */
	readonly fingerprint: string;
}

const EARLIEST_RENEWAL_MS = 60_000;

/** Tells key pairs apart without containing them: n8n keeps the old token when the keys are edited. */
export function keyPairFingerprint({ secretId, secretKey, hosts }: KuaidailiCredential): string {
	return fingerprintOf(secretId, secretKey, hosts.authUrl);
}

/**
 * @param lifeSeconds the remaining life that the service states, not the full life
 */
export function newSecretToken(
	token: string,
	lifeSeconds: number,
	fingerprint: string,
	now: number,
): SecretToken {
	const lifeMs = lifeSeconds * 1000;
	// A tenth at most: the service hands out the same token while it has over 5 minutes left, so
	// a larger margin would call a token stale that was fetched a moment ago
	const margin = Math.min(EARLIEST_RENEWAL_MS, lifeMs / 10);
	const expiresAt = now + lifeMs;
	return { token, expiresAt, renewAt: expiresAt - margin, fingerprint };
}

export function serializeSecretToken(token: SecretToken): string {
	return JSON.stringify(token);
}

/** @returns undefined for anything that is not a stored token */
export function parseSecretToken(stored: string): SecretToken | undefined {
	if (stored === '') return undefined;
	let value: unknown;
	try {
		value = JSON.parse(stored);
	} catch {
		return undefined;
	}
	const token = ownValue(value, 'token');
	const expiresAt = ownValue(value, 'expiresAt');
	const renewAt = ownValue(value, 'renewAt');
	const fingerprint = ownValue(value, 'fingerprint');
	if (typeof token !== 'string' || token === '' || typeof fingerprint !== 'string')
		return undefined;
	if (typeof expiresAt !== 'number' || typeof renewAt !== 'number') return undefined;
	return { token, expiresAt, renewAt, fingerprint };
}

/** The stored token, if it belongs to these keys and need not be renewed yet. */
export function usableToken(credential: KuaidailiCredential, now: number): SecretToken | undefined {
	const stored = parseSecretToken(credential.storedToken);
	if (stored === undefined || stored.fingerprint !== keyPairFingerprint(credential))
		return undefined;
	return now < stored.renewAt ? stored : undefined;
}

import { fingerprintOf } from '../fingerprint';
import type { KuaidailiCredential } from './kuaidailiCredential';

/** A secret token, which takes the place of a signature until it expires. */
export interface SecretToken {
	readonly token: string;
	/** From this moment on a new token is fetched; milliseconds since 1970. */
	readonly renewAt: number;
}

const EARLIEST_RENEWAL_MS = 60_000;

/** Tells key pairs apart without containing them. */
export function keyPairFingerprint({ secretId, secretKey, hosts }: KuaidailiCredential): string {
	return fingerprintOf(secretId, secretKey, hosts.authUrl);
}

/**
 * @param lifeSeconds the remaining life that the service states, not the full life
 * @param now milliseconds since 1970
 */
export function newSecretToken(token: string, lifeSeconds: number, now: number): SecretToken {
	const lifeMs = lifeSeconds * 1000;
	// A tenth at most: the service hands out the same token while it has over 5 minutes left, so
	// a larger margin would call a token stale that was fetched a moment ago
	const margin = Math.min(EARLIEST_RENEWAL_MS, lifeMs / 10);
	return { token, renewAt: now + lifeMs - margin };
}

import { createHash } from 'node:crypto';

/** Tells apart what is watched, in what is remembered of it, without containing it. */
export function fingerprintOf(subject: readonly string[]): string {
	return createHash('sha256').update(JSON.stringify(subject)).digest('hex').slice(0, 16);
}

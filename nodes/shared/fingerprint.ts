import { createHash } from 'node:crypto';

/** Tells things apart, in what is kept of them, without containing them; 32 hexadecimal digits. */
export function fingerprintOf(...parts: readonly unknown[]): string {
	return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

import { readCredential, type KuaidailiCredential } from '../../../nodes/shared/api/sign.ts';
import { mapValues } from '../../../nodes/shared/guards.ts';
import { HOSTS } from '../../../nodes/shared/service/hosts.ts';

export const DEFAULT_HOSTS = mapValues(HOSTS, ({ origin }): string => origin);

/** The placeholder keys of the service's documentation. */
export const SECRET_ID = 'o1fjh1re9o28876h7c08';
export const SECRET_KEY = 'jd1gzm6ant2u7pojhbtl0bam0xpzsm1c';

/** The credential as n8n hands it over. */
export const STORED = { keyType: 'order', secretId: SECRET_ID, secretKey: SECRET_KEY };

export function credentialWith(fields: Record<string, unknown> = {}): KuaidailiCredential {
	return readCredential({ ...STORED, ...fields });
}

let count = 0;

/** A key pair that no other test uses: the pace is kept per key in the whole process. */
export function freshCredential(fields: Record<string, unknown> = {}): KuaidailiCredential {
	count++;
	return credentialWith({ secretId: `id${process.pid}n${count}`, ...fields });
}

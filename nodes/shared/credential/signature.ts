import { createHmac } from 'node:crypto';

import type { FlatParameters } from '../service/query';

export type { FlatParameters };

/**
 * The text that is signed: method, path and all parameters but the signature, ordered by name.
 * Values stay raw; URL-encoding happens only when the request is sent.
 * Source: the service's documentation of the signature method.
 */
export function stringToSign(method: string, path: string, parameters: FlatParameters): string {
	const pairs = Object.entries(parameters)
		.filter(([name]) => name !== 'signature')
		.map(([name, value]) => ({ nameBytes: Buffer.from(name), text: `${name}=${value}` }))
		// Compared byte by byte: a locale's order would put "_" and "." elsewhere
		.sort((a, b) => Buffer.compare(a.nameBytes, b.nameBytes));
	return `${method.toUpperCase()}${path}?${pairs.map(({ text }) => text).join('&')}`;
}

/** @returns base64 with padding, 28 characters, not URL-encoded */
export function hmacSha1(secretKey: string, text: string): string {
	return createHmac('sha1', secretKey).update(text, 'utf8').digest('base64');
}

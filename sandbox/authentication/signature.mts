import { createHmac } from 'node:crypto';

/** The text that is signed: decoded values, names in byte order, everything but the signature. */
export function stringToSign(
	method: string,
	path: string,
	parameters: ReadonlyMap<string, string>,
): string {
	const pairs = [...parameters]
		.filter(([name]) => name !== 'signature')
		.sort(([left], [right]) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
		.map(([name, value]) => `${name}=${value}`);
	return `${method}${path}?${pairs.join('&')}`;
}

export function signatureOf(text: string, secretKey: string): string {
	return createHmac('sha1', secretKey).update(text, 'utf8').digest('base64');
}

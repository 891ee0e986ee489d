import { createHmac } from 'node:crypto';
import type { KeyPair, Sandbox } from '../../sandbox/sandbox.mts';

export type KeyName = keyof Sandbox['keys'];

/**
 * A client of the sandbox for its own tests. It signs by the written rule and knows nothing of the
 * sandbox's code, so that the two check each other.
 */
export type Parameters = Record<string, string>;

function stringToSign(method: string, path: string, parameters: Parameters): string {
	const names = Object.keys(parameters).filter((name) => name !== 'signature');
	names.sort((left, right) => (left < right ? -1 : 1));
	return `${method}${path}?${names.map((name) => `${name}=${parameters[name]}`).join('&')}`;
}

function hmac(text: string, secretKey: string): string {
	return createHmac('sha1', secretKey).update(text).digest('base64');
}

export function withSignature(
	keys: KeyPair,
	method: string,
	path: string,
	parameters: Parameters,
): Parameters {
	const signature = hmac(stringToSign(method, path, parameters), keys.secretKey);
	return { ...parameters, signature };
}

let nonce = 0;

export function signed(
	keys: KeyPair,
	method: string,
	path: string,
	parameters: Parameters = {},
	time = new Date(),
): Parameters {
	nonce += 1;
	return withSignature(keys, method, path, {
		...parameters,
		secret_id: keys.secretId,
		sign_type: 'hmacsha1',
		timestamp: String(Math.floor(time.getTime() / 1000)),
		nonce: String(nonce),
	});
}

export interface Reply {
	status: number;
	headers: Headers;
	text: string;
	json: { code: number; msg: string; data: unknown };
}

async function read(response: Response): Promise<Reply> {
	const text = await response.text();
	return {
		status: response.status,
		headers: response.headers,
		text,
		// Read when asked for: most answers of getproxy are not JSON.
		get json() {
			return JSON.parse(text);
		},
	};
}

export async function get(url: string, parameters: Parameters = {}): Promise<Reply> {
	const query = new URLSearchParams(parameters);
	return await read(
		await fetch(`${url}?${query}`, { redirect: 'manual', signal: AbortSignal.timeout(8000) }),
	);
}

export async function post(url: string, parameters: Parameters = {}): Promise<Reply> {
	const body = new URLSearchParams(parameters);
	return await read(await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(8000) }));
}

/** A signed GET. */
export async function call(
	host: string,
	path: string,
	keys: KeyPair,
	parameters: Parameters = {},
	time?: Date,
): Promise<Reply> {
	return await get(host + path, signed(keys, 'GET', path, parameters, time));
}

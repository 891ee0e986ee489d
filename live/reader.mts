import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord } from '../harness/outsideData.mts';
import { signatureOf } from '../nodes/shared/api/sign.ts';
import type { Endpoint } from '../nodes/shared/service/endpoint.ts';
import type { ServiceHosts } from '../nodes/shared/service/hosts.ts';
import { isCallable } from './callable.mts';

export interface KeyPair {
	readonly secretId: string;
	readonly secretKey: string;
}

/** An answer of the service, or the reason why none came. */
export type Reply = Answered | Unanswered;

export interface Answered {
	readonly kind: 'answered';
	readonly status: number;
	readonly contentType: string;
	readonly text: string;
	/** The parsed JSON; undefined where the body is none. */
	readonly body: unknown;
	/** The envelope's code; undefined without an envelope. */
	readonly code: number | undefined;
	readonly data: unknown;
}

export interface Unanswered {
	readonly kind: 'unanswered';
	/** A code of Node.js, such as ENOTFOUND, or "time-out". Never an address. */
	readonly reason: string;
}

interface ReaderOptions {
	readonly hosts: ServiceHosts;
	/** Whether endpoints that hand out proxies may be called, each once with each key. */
	readonly extractions: boolean;
	/** Takes what is waited between two calls, in milliseconds; without a wait for the sandbox, which answers at any pace. */
	readonly pause?: (ms: number) => Promise<unknown>;
}

const TIME_OUT_MS = 20_000;
/** Beyond the documented interval, because the network moves arrivals. */
const SLACK_MS = 60;

/** The only way from here to the service. It calls what changes nothing, at the documented pace. */
export class ServiceReader {
	private readonly nextCallAt = new Map<string, number>();
	private readonly extracted = new Set<string>();

	constructor(private readonly options: ReaderOptions) {}

	/**
	 * @throws Error for an endpoint that is not callable, and for a second extraction with the same key. Nothing
	 * is sent then.
	 */
	async call(
		endpoint: Endpoint,
		keys: KeyPair,
		parameters: Readonly<Record<string, string>> = {},
	): Promise<Reply> {
		this.requireCallable(endpoint, keys, parameters);
		await this.keepPace(endpoint, keys);
		try {
			return await read(await this.send(endpoint, keys, parameters));
		} catch (error) {
			return { kind: 'unanswered', reason: reasonOf(error) };
		}
	}

	private requireCallable(
		endpoint: Endpoint,
		{ secretId }: KeyPair,
		parameters: Readonly<Record<string, string>>,
	): void {
		const { extractions } = this.options;
		if (!isCallable(endpoint, extractions)) {
			throw new Error(`${endpoint.path} is not called here: it changes something or uses it up.`);
		}
		if (isCallable(endpoint, false)) return;
		const extraction = `${secretId} ${endpoint.path}`;
		if (parameters.num !== '1' || 'dedup' in parameters || this.extracted.has(extraction)) {
			throw new Error(`${endpoint.path} is called once for each order, for one proxy.`);
		}
		this.extracted.add(extraction);
	}

	private async keepPace({ path, intervalMs }: Endpoint, { secretId }: KeyPair): Promise<void> {
		const { pause = sleep } = this.options;
		const line = `${secretId} ${path}`;
		const waitMs = (this.nextCallAt.get(line) ?? 0) - Date.now();
		if (waitMs > 0) await pause(waitMs);
		this.nextCallAt.set(line, Date.now() + intervalMs * 1.05 + SLACK_MS);
	}

	private async send(
		{ host, path, method }: Endpoint,
		{ secretId, secretKey }: KeyPair,
		parameters: Readonly<Record<string, string>>,
	): Promise<Response> {
		const url = new URL(path, this.options.hosts[host]);
		const init = {
			method,
			redirect: 'manual',
			signal: AbortSignal.timeout(TIME_OUT_MS),
		} as const;
		// Only the token endpoint is one: it takes the key pair itself
		if (method === 'POST') {
			const body = new URLSearchParams({ secret_id: secretId, secret_key: secretKey });
			return await fetch(url, { ...init, body });
		}
		const signed = {
			...parameters,
			secret_id: secretId,
			sign_type: 'hmacsha1',
			timestamp: String(Math.floor(Date.now() / 1000)),
			nonce: String(randomInt(1, 100_000_001)),
		};
		const signature = signatureOf(secretKey, method, path, signed);
		url.search = new URLSearchParams({ ...signed, signature }).toString();
		return await fetch(url, init);
	}
}

async function read(response: Response): Promise<Answered> {
	const text = await response.text();
	const body = parsed(text);
	const code = isRecord(body) && typeof body.code === 'number' ? body.code : undefined;
	return {
		kind: 'answered',
		status: response.status,
		contentType: response.headers.get('content-type')?.split(';')[0].trim().toLowerCase() ?? '',
		text,
		body,
		code,
		data: isRecord(body) ? body.data : undefined,
	};
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** Codes of Node.js have capitals and underscores only; anything else could hold an address. */
function reasonOf(error: unknown): string {
	if (!(error instanceof Error)) return 'no answer';
	if (error.name === 'TimeoutError') return 'time-out';
	const cause: unknown = error.cause;
	const code = isRecord(cause) ? cause.code : undefined;
	return typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code) ? code : 'no answer';
}

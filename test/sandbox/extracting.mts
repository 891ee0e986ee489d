import {
	startSandbox,
	type KeyPair,
	type ProxyOrder,
	type Sandbox,
	type SandboxOptions,
} from '../../sandbox/sandbox.mts';
import { call, type Parameters, type Reply } from './client.mts';

export type KeyName = keyof Sandbox['keys'];

/** No pace, no real proxies and few open ones. */
export function startExtraction(options: SandboxOptions = {}): Promise<Sandbox> {
	return startSandbox({
		rateLimits: false,
		forwardProxies: false,
		catalogueSize: 20,
		...options,
	});
}

/** Where one endpoint of the sandbox is asked, signed at the sandbox's own time. */
export interface Asking {
	sandbox: Sandbox;
	host: keyof Sandbox['hosts'];
	path: string;
}

export function askAs(keys: KeyPair, at: Asking, parameters: Parameters = {}): Promise<Reply> {
	const { sandbox, host, path } = at;
	return call(sandbox.hosts[host], path, keys, parameters, sandbox.clock.now());
}

/** The entries of a text with CRLF, which has to be a success. */
export function entriesOf({ text }: Reply): string[] {
	expect(text).not.toMatch(/^(ERROR|\{|<)/);
	return text.split('\r\n');
}

/** What a failure says in text, or else in JSON: its code. */
export function codeOf(reply: Reply): number {
	const [, code] = /^ERROR\((-?\d+)\): ./.exec(reply.text) ?? [];
	return code === undefined ? reply.json.code : Number(code);
}

/** Of one of the keys that are there from the start. */
export function productOrder(sandbox: Sandbox, key: KeyName): ProxyOrder {
	const order = sandbox.store.order(sandbox.keys[key].secretId);
	if (!('login' in order)) throw new Error(`The order of "${key}" has no proxies of its own`);
	return order;
}

import type { KeyPair, Sandbox } from '../../sandbox/sandbox.mts';
import { call, type Parameters, type Reply } from './client.mts';

export type KeyName = keyof Sandbox['keys'];

/** Where one endpoint of the sandbox is asked, signed at the sandbox's own time. */
interface Asking {
	sandbox: Sandbox;
	host: keyof Sandbox['hosts'];
	path: string;
}

export function askAs(keys: KeyPair, at: Asking, parameters: Parameters = {}): Promise<Reply> {
	const { sandbox, host, path } = at;
	return call(sandbox.hosts[host], path, keys, parameters, sandbox.clock.now());
}

/** What a failure says in text, or else in JSON: its code. */
export function codeOf(reply: Reply): number {
	const [, code] = /^ERROR\((-?\d+)\): ./.exec(reply.text) ?? [];
	return code === undefined ? reply.json.code : Number(code);
}

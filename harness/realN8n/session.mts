import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startSandbox, type Sandbox, type SandboxOptions } from '../../sandbox/sandbox.mts';
import { onShutdown } from '../../scripts/shutdown.mjs';
import type { OpenN8n } from './openN8n.mts';

/** A real n8n with the package, and the sandbox that it works with. Each program adds what it needs. */
export interface N8nSession extends Pick<OpenN8n, 'server' | 'n8n'> {
	readonly sandbox: Sandbox;
	/** Folder of this n8n's files. */
	readonly userFolder: string;
}

/** @returns a sandbox that ends with the program */
export async function openSandbox(options?: SandboxOptions): Promise<Sandbox> {
	const sandbox = await startSandbox(options);
	onShutdown(() => sandbox.close());
	return sandbox;
}

/** @returns a user folder that no other process has */
export function sessionFolder(name: string): string {
	return join(tmpdir(), `kuaidaili-${name}-${process.pid}`);
}

import { setTimeout as sleep } from 'node:timers/promises';
import { startChild, stopChild } from '../scripts/children.mjs';
import { onShutdown } from '../scripts/shutdown.mjs';

const ASK_EVERY_MS = 100;

export interface BackgroundServer {
	/** For people. */
	readonly name: string;
	readonly command: string;
	readonly args: readonly string[];
	/** Where it runs. */
	readonly folder: string;
	/** Asked again and again; a rejection counts as no. */
	isReady(): Promise<boolean>;
	readonly readyLimitMs: number;
	/** How long it gets to end by itself. */
	readonly stopGraceMs: number;
}

/**
 * Starts a server that this program needs, and stops it with this program.
 *
 * @throws Error with everything that the server printed, when it ends or is not ready in time
 */
export async function startServer(server: BackgroundServer): Promise<void> {
	const child = startChild(server.command, server.args, { cwd: server.folder });
	let output = '';
	let hasEnded = false;
	const keep = (chunk: Buffer) => {
		output += chunk.toString();
	};
	child.stdout.on('data', keep);
	child.stderr.on('data', keep);
	child.once('error', (error) => keep(Buffer.from(error.message)));
	child.once('close', () => (hasEnded = true));
	onShutdown(() => stopChild(child, server.stopGraceMs));

	const giveUpAt = Date.now() + server.readyLimitMs;
	while (!(await server.isReady().catch(() => false))) {
		if (hasEnded || Date.now() > giveUpAt) {
			throw new Error(`${server.name} did not start:\n${output}`);
		}
		await sleep(ASK_EVERY_MS);
	}
}

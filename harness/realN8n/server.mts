import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild, stopChild } from '../../scripts/children.mjs';
import { onShutdown } from '../../scripts/shutdown.mjs';
import { n8nEnvironment, type N8nPlace } from './environment.mts';
import { runToEnd, type N8nProgram } from './program.mts';

const READY_LIMIT_MS = 180_000;
const ASK_EVERY_MS = 250;
const STOP_GRACE_MS = 10_000;
const LAST_LINES = 30;

export interface N8nServer {
	readonly url: string;
	/** Everything that n8n printed so far. */
	log(): string;
	isRunning(): boolean;
	/** Settles when n8n is gone, for whatever reason. */
	readonly ended: Promise<void>;
	/** Asks n8n to end, and ends it when it takes longer than this. */
	stop(graceMs?: number): Promise<void>;
	/** Ends it without a chance to do anything more, as a crash or the lack of memory does. */
	kill(): Promise<void>;
}

/** One of n8n's commands that stay until they are stopped. */
export interface N8nCommand {
	readonly args: readonly string[];
	/** What it answers once it is ready. */
	readonly readyPaths: readonly string[];
}

export const HEALTH_PATH = '/healthz/readiness';

/** Its health alone doesn't tell that it answers the editor. */
const START: N8nCommand = { args: ['start'], readyPaths: [HEALTH_PATH, '/rest/settings'] };

/** Starts n8n and waits until it answers. */
export async function startServer(
	program: N8nProgram,
	place: N8nPlace,
	{ args, readyPaths }: N8nCommand = START,
): Promise<N8nServer> {
	const child = startChild(program.command, [...program.before, ...args], {
		// n8n reads a file named .env in the folder that it is started in.
		cwd: place.userFolder,
		env: n8nEnvironment(program, place),
	});
	let log = '';
	let running = true;
	const ended = new Promise<void>((resolve) => {
		child.once('close', () => {
			running = false;
			resolve();
		});
	});
	const keep = (chunk: Buffer) => {
		log += chunk.toString();
	};
	child.stdout.on('data', keep);
	child.stderr.on('data', keep);
	child.once('error', (error) => {
		log += error.message;
	});
	const stop = (graceMs = STOP_GRACE_MS) => stopChild(child, graceMs);
	const kill = async () => {
		child.kill('SIGKILL');
		await ended;
	};
	onShutdown(() => stop());

	const server = {
		url: `http://127.0.0.1:${place.port}`,
		log: () => log,
		isRunning: () => running,
		ended,
		stop,
		kill,
	};
	await untilReady(server, readyPaths);
	return server;
}

async function untilReady(server: N8nServer, paths: readonly string[]): Promise<void> {
	const giveUpAt = Date.now() + READY_LIMIT_MS;
	while (server.isRunning() && Date.now() < giveUpAt) {
		if (await isReady(server.url, paths)) return;
		await sleep(ASK_EVERY_MS);
	}
	const why = server.isRunning()
		? `n8n was not ready after ${READY_LIMIT_MS / 1000} s`
		: 'n8n ended while it was starting';
	await server.stop();
	throw new Error(`${why}. Its last lines:\n${lastLines(server.log())}`);
}

async function isReady(url: string, paths: readonly string[]): Promise<boolean> {
	try {
		for (const path of paths) {
			const answer = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(2_000) });
			if (!answer.ok) return false;
		}
		return true;
	} catch {
		return false;
	}
}

/** Runs one of n8n's own commands on a place where no server runs yet. */
export async function runN8nCommand(
	program: N8nProgram,
	place: N8nPlace,
	args: readonly string[],
): Promise<void> {
	const { code, output } = await runToEnd(program.command, [...program.before, ...args], {
		cwd: place.userFolder,
		env: n8nEnvironment(program, place),
	});
	if (code === 0) return;
	throw new Error(`n8n ${args.join(' ')} failed:\n${lastLines(output)}`);
}

export function lastLines(text: string): string {
	return text
		.trimEnd()
		.split('\n')
		.slice(-LAST_LINES)
		.map((line) => `  ${line}`)
		.join('\n');
}

/** For n8n's import commands. The file holds secrets, so only its owner may read it. */
export async function writePrivateJson(file: string, content: unknown): Promise<void> {
	await mkdir(dirname(file), { recursive: true });
	await writeFile(file, JSON.stringify(content), { mode: 0o600 });
}

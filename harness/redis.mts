import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureProgram } from '../scripts/debianPackages.mjs';
import { onShutdown } from '../scripts/shutdown.mjs';
import { startServer } from './backgroundServer.mts';
import { freePort } from './realN8n/index.mts';

const HOST = '127.0.0.1';
const ANSWER_LIMIT_MS = 10_000;

/** A Redis of its own, that forgets everything at the end. */
export interface Redis {
	readonly host: string;
	readonly port: number;
	/** Everything that is in it, as it would lie on a disk. */
	contents(): Promise<Buffer>;
}

/** Starts Redis on loopback; installs it first where it is missing. */
export async function startRedis(say: (line: string) => void): Promise<Redis> {
	const command = await ensureProgram('redis-server', ['redis-server'], say);
	const folder = await mkdtemp(join(tmpdir(), 'kuaidaili-redis-'));
	onShutdown(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
	const port = await freePort();
	const settings = {
		port,
		bind: HOST,
		dir: folder,
		save: '',
		appendonly: 'no',
		// Whoever looks for a text in its contents has to find it
		rdbcompression: 'no',
	};
	await startServer({
		name: 'Redis',
		command,
		args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
		folder,
		isReady: async () => (await ask(port, 'PING')) === '+PONG',
		readyLimitMs: 30_000,
		stopGraceMs: 5_000,
	});
	return {
		host: HOST,
		port,
		async contents() {
			const answer = await ask(port, 'SAVE');
			if (answer !== '+OK') throw new Error(`Redis could not be saved: ${answer}`);
			return await readFile(join(folder, 'dump.rdb'));
		},
	};
}

/** One command without arguments, and the first line of its answer. */
async function ask(port: number, command: string): Promise<string> {
	const socket = createConnection({ host: HOST, port });
	try {
		return await new Promise((resolve, reject) => {
			let answer = '';
			socket.setTimeout(ANSWER_LIMIT_MS, () => reject(new Error('Redis does not answer')));
			socket.once('error', reject);
			socket.once('close', () => reject(new Error('Redis ended the connection')));
			socket.on('data', (chunk) => {
				answer += chunk.toString();
				const end = answer.indexOf('\r\n');
				if (end >= 0) resolve(answer.slice(0, end));
			});
			socket.write(`${command}\r\n`);
		});
	} finally {
		socket.destroy();
	}
}

import { existsSync, readdirSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ensureProgram } from '../scripts/debianPackages.mjs';
import { onShutdown } from '../scripts/shutdown.mjs';
import { startServer } from './backgroundServer.mts';
import { freePort } from './realN8n/index.mts';
import { runToEnd } from './realN8n/program.mts';

const HOST = '127.0.0.1';
const USER = 'postgres';

/** A PostgreSQL of its own, that forgets everything at the end. */
export interface Postgres {
	/** Settings of an n8n that keeps its data here. */
	readonly n8nSettings: Readonly<Record<string, string>>;
	/** Everything that is in it, as text. */
	contents(): Promise<Buffer>;
}

/** Starts PostgreSQL on loopback; installs it first where it is missing. */
export async function startPostgres(say: (line: string) => void): Promise<Postgres> {
	const binFolder = dirname(
		await ensureProgram('initdb', ['postgresql', 'util-linux'], say, debianFolders),
	);
	const folder = await mkdtemp(join(tmpdir(), 'kuaidaili-postgres-'));
	onShutdown(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
	const asUser = await commandPrefix(folder);
	const data = join(folder, 'data');
	const run = async (program: string, args: readonly string[]) => {
		const [command = '', ...rest] = [...asUser, join(binFolder, program), ...args];
		const { code, output } = await runToEnd(command, rest, { cwd: folder });
		if (code !== 0) throw new Error(`${program} failed:\n${output}`);
		return output;
	};
	await run('initdb', ['-D', data, '-U', USER, '--auth=trust', '--encoding=UTF8', '--no-sync']);

	const port = await freePort();
	const settings = {
		port,
		listen_addresses: HOST,
		unix_socket_directories: folder,
		max_connections: 100,
		// Nobody needs the data after a crash
		fsync: 'off',
		full_page_writes: 'off',
		synchronous_commit: 'off',
	};
	const [command = '', ...args] = [
		...asUser,
		join(binFolder, 'postgres'),
		'-D',
		data,
		...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
	];
	const connection = ['-h', HOST, '-p', String(port), '-U', USER];
	await startServer({
		name: 'PostgreSQL',
		command,
		args,
		folder,
		isReady: async () => {
			await run('pg_isready', connection);
			return true;
		},
		readyLimitMs: 60_000,
		stopGraceMs: 10_000,
	});
	return {
		n8nSettings: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: HOST,
			DB_POSTGRESDB_PORT: String(port),
			DB_POSTGRESDB_DATABASE: 'postgres',
			DB_POSTGRESDB_USER: USER,
			DB_POSTGRESDB_PASSWORD: '',
		},
		contents: async () => Buffer.from(await run('pg_dump', [...connection, 'postgres'])),
	};
}

/** Debian keeps the programs of each version in a folder that is not on the PATH; the newest one first. */
function debianFolders(): readonly string[] {
	const root = '/usr/lib/postgresql';
	if (!existsSync(root)) return [];
	return readdirSync(root)
		.sort((a, b) => Number(b) - Number(a))
		.map((version) => join(root, version, 'bin'));
}

/** PostgreSQL refuses to run as root; the user that Debian made for it does. */
async function commandPrefix(folder: string): Promise<readonly string[]> {
	if (process.getuid?.() !== 0) return [];
	await runToEnd('chown', [USER, folder]);
	await chmod(folder, 0o700);
	return ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--init-groups'];
}

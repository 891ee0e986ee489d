import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { withLock } from '../../harness/realN8n/lock.mts';

const script = (name: string) => JSON.stringify(pathToFileURL(resolve('scripts', name)).href);

let folder: string;
const started: ChildProcess[] = [];

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'kuaidaili-bootstrap-'));
});

afterEach(async () => {
	for (const child of started.splice(0)) child.kill('SIGKILL');
	await rm(folder, { recursive: true, force: true });
});

/** The scripts run without any build step, so they are tried in a plain Node.js. */
function start(code: string): { child: ChildProcess; output: Promise<string> } {
	const child = spawn(process.execPath, ['--input-type=module', '-e', code], { cwd: folder });
	started.push(child);
	let text = '';
	child.stdout.on('data', (chunk) => (text += chunk));
	child.stderr.on('data', (chunk) => (text += chunk));
	const output = new Promise<string>((done) => child.once('close', () => done(text.trim())));
	return { child, output };
}

describe('The lock', () => {
	it('lets one work after the other', async () => {
		const lock = join(folder, 'lock');
		const log: string[] = [];
		let secondWaits = () => {};
		const isSecondWaiting = new Promise<void>((resolve) => (secondWaits = resolve));
		const first = withLock(
			lock,
			async () => {
				log.push('first begins');
				await isSecondWaiting;
				log.push('first ends');
			},
			() => log.push('first waits'),
		);
		while (!existsSync(lock)) await sleep(5);
		const second = withLock(
			lock,
			async () => log.push('second'),
			() => {
				log.push('second waits');
				secondWaits();
			},
		);
		await Promise.all([first, second]);
		expect(log.toSorted()).toEqual(['first begins', 'first ends', 'second', 'second waits']);
		expect(log.slice(-2)).toEqual(['first ends', 'second']);
		expect(existsSync(lock)).toBe(false);
	});

	it('does not wait for a program that crashed long ago', async () => {
		const longAgo = new Date(Date.now() - 60_000);
		await writeFile(join(folder, 'lock'), '');
		await utimes(join(folder, 'lock'), longAgo, longAgo);
		const waiting = jest.fn();
		expect(await withLock(join(folder, 'lock'), async () => 'done', waiting)).toBe('done');
		expect(waiting).not.toHaveBeenCalled();
	});
});

describe('A program that is stopped', () => {
	/** Starts a process that ignores SIGTERM and starts another one itself, and says their ids. */
	const code = (rest: string) => `
		import { startChild, stopChild } from ${script('children.mjs')};
		import { onShutdown, shutDownOnSignals } from ${script('shutdown.mjs')};
		shutDownOnSignals();
		const child = startChild('sh', ['-c', 'trap "" TERM; sleep 60 & echo $$ $!; wait']);
		child.stdout.pipe(process.stdout);
		setInterval(() => {}, 1000);
		${rest}`;

	const isAlive = (pid: number) => {
		try {
			process.kill(pid, 0);
			// One that has ended stays listed until whoever is its parent by now takes note.
			return (
				process.platform !== 'linux' || !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
			);
		} catch {
			return false;
		}
	};

	async function idsOf(child: ChildProcess): Promise<number[]> {
		const line = await new Promise<string>((done) =>
			child.stdout?.once('data', (chunk: Buffer) => done(chunk.toString())),
		);
		return line.trim().split(' ').map(Number);
	}

	const allGone = async (ids: number[]) => {
		while (ids.some(isAlive)) await sleep(50);
	};

	it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
		'by %s leaves no process behind, nor what those started',
		async (signal) => {
			const { child, output } = start(code('onShutdown(() => stopChild(child, 200));'));
			const ids = await idsOf(child);
			expect(ids.map(isAlive)).toEqual([true, true]);
			child.kill(signal);
			await output;
			await allGone(ids);
		},
	);

	it('by an error of its own leaves no process behind either', async () => {
		const { child, output } = start(code(`setTimeout(() => { throw new Error('own') }, 300);`));
		const ids = await idsOf(child);
		expect(await output).toContain('own');
		await allGone(ids);
	});

	it('ends, even when something that it should close hangs or fails', async () => {
		const { child, output } = start(
			code(`onShutdown(() => stopChild(child, 100));
				onShutdown(async () => { console.log('closed'); });
				onShutdown(() => Promise.reject(new Error('cannot close')));`),
		);
		const ids = await idsOf(child);
		child.kill('SIGTERM');
		expect(await output).toContain('closed');
		await allGone(ids);
	});
});

it('A program that cannot run on Windows says so there, before anything is installed', () => {
	const onWindows = `data:text/javascript,${encodeURIComponent(
		"Object.defineProperty(process, 'platform', { value: 'win32' })",
	)}`;
	const program = spawnSync(
		process.execPath,
		['--import', onWindows, resolve('scripts', 'run.mjs'), 'demo/main.mts', '--check'],
		{ cwd: folder, encoding: 'utf8' },
	);
	expect(program.status).toBe(1);
	expect(program.stderr).toContain('Linux and macOS. On Windows, run it in WSL.');
	expect(program.stdout).toBe('');
});

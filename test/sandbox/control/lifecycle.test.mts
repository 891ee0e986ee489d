import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { get } from '../client.mts';

const ROOT = join(__dirname, '..', '..', '..');

describe('the program', () => {
	function run(...options: string[]) {
		const child = spawn(
			process.execPath,
			['--import', 'tsx', join('sandbox', 'main.mts'), ...options],
			{ cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] },
		);
		let output = '';
		child.stdout.setEncoding('utf8').on('data', (chunk) => (output += chunk));
		child.stderr.setEncoding('utf8').on('data', (chunk) => (output += chunk));
		return { child, output: () => output, exit: once(child, 'exit') };
	}

	it('prints where it is and its keys, serves, and stops on Ctrl+C', async () => {
		const { child, output, exit } = run('--port-base', '0');
		while (!output().includes('Ctrl+C') && child.exitCode === null) await sleep(50);
		const [, control] = /^ *Control +(http:\S+)/m.exec(output()) ?? [];
		expect(output()).toContain('sandbox-order-vip-key');
		expect(output()).toContain('local simulation');
		expect(output()).toContain('1000.00 yuan');
		expect((await get(`${control}/log`)).status).toBe(200);
		child.kill('SIGINT');
		expect(await exit).toEqual([0, null]);
	});
});

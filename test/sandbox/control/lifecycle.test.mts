import { spawn } from 'node:child_process';
import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from '../../../sandbox/sandbox.mts';
import { call, get } from '../client.mts';

const ROOT = join(__dirname, '..', '..', '..');

describe('close()', () => {
	it('ends hanging, slow and delayed requests, and frees the ports', async () => {
		const sandbox = await startSandbox({ rateLimits: false, forwardProxies: false });
		sandbox.faults.add(
			{ kind: 'hang', path: '/api/getproxy' },
			{ kind: 'delay', ms: 60_000, path: '/api/getaccountbalance' },
			{ kind: 'drip', ms: 60_000, path: '/api/getorderexpiretime' },
		);
		const { baseUrl } = sandbox.hosts;
		const waiting = Promise.allSettled([
			call(baseUrl, '/api/getproxy', sandbox.keys.opsVip, { num: '1' }),
			call(baseUrl, '/api/getaccountbalance', sandbox.keys.account),
			call(baseUrl, '/api/getorderexpiretime', sandbox.keys.opsVip),
		]);
		while (sandbox.log.count() < 3) await sleep(10);

		await sandbox.close();
		const results = await waiting;
		expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);

		const again = await startSandbox({
			forwardProxies: false,
			ports: { base: Number(new URL(baseUrl).port) },
		});
		expect(again.hosts.baseUrl).toBe(baseUrl);
		await again.close();
	});
});

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
		const { child, output, exit } = run('--port-base', '0', '--catalogue-size', '100');
		while (!output().includes('Ctrl+C') && child.exitCode === null) await sleep(50);
		const [, control] = /^ *Control +(http:\S+)/m.exec(output()) ?? [];
		expect(output()).toContain('sandbox-order-vip-key');
		expect(output()).toContain('local simulation');
		expect(output()).toContain('1000.00 yuan');
		expect((await get(`${control}/ip`)).status).toBe(200);
		child.kill('SIGINT');
		expect(await exit).toEqual([0, null]);
	});

	it('says in one line that a port is in use', async () => {
		const occupier = createServer();
		await listen(occupier);
		const { output, exit } = run('--port-base', String(portOf(occupier)));
		expect(await exit).toEqual([1, null]);
		await new Promise((resolve) => occupier.close(resolve));
		expect(output().trim().split('\n')).toEqual([expect.stringContaining('in use')]);
	});
});

async function listen(server: Server): Promise<void> {
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
}

function portOf(server: Server): number {
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('It does not listen');
	return address.port;
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { READ_ENDPOINTS, EXTRACTION_ENDPOINTS, isCallable } from '../../../live/callable.mts';
import { EXTRACTION_ROWS, PROBE_ROWS } from '../../../live/probes.mts';
import { ServiceReader, type KeyPair } from '../../../live/reader.mts';
import { runLive, type LiveResult } from '../../../live/run.mts';
import { ENDPOINTS } from '../../../nodes/shared/service/endpoints/index.ts';
import { GET_SECRET_TOKEN } from '../../../nodes/shared/service/endpoints/account.ts';
import { GET_ORDER_INFO } from '../../../nodes/shared/service/endpoints/order.ts';
import type { ServiceHosts } from '../../../nodes/shared/service/hosts.ts';
import type { AnyFault } from '../../../sandbox/faults/fault.mts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox/sandbox.mts';

const OPTIONS: SandboxOptions = {
	rateLimits: false,
	forwardProxies: false,
	inapplicableParameters: 'ignore',
};

const pause = async () => undefined;

async function run(hosts: ServiceHosts, keys: KeyPair, ips: 0 | 1 = 0): Promise<LiveResult> {
	return await runLive({ hosts, keys, ips, pause, say: () => undefined });
}

async function withSandbox<T>(
	options: SandboxOptions,
	work: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
	const sandbox = await startSandbox({ ...OPTIONS, ...options });
	try {
		return await work(sandbox);
	} finally {
		await sandbox.close();
	}
}

describe('what can be called', () => {
	it('has a row of calls for each reading endpoint', () => {
		const paths = [...new Set(READ_ENDPOINTS.map(({ path }) => path))].sort();
		expect(Object.keys(PROBE_ROWS).sort()).toEqual(paths);
	});

	const forbidden = Object.values(ENDPOINTS).filter((row) => !isCallable(row, true));

	it('refuses every other path, each purchase and setting among them, before anything is sent', async () => {
		const dangerous = Object.values(ENDPOINTS).filter(
			({ kind }) => kind === 'purchase' || kind === 'setting',
		);
		expect(forbidden).toEqual(expect.arrayContaining(dangerous));
		await withSandbox({}, async ({ hosts, keys, log }) => {
			const reader = new ServiceReader({ hosts, extractions: true, pause });
			for (const endpoint of forbidden) {
				await expect(reader.call(endpoint, keys.account)).rejects.toThrow('is not called here');
			}
			expect(log.count()).toBe(0);
		});
	});

	it.each(EXTRACTION_ENDPOINTS)('calls $path once for one proxy', async (endpoint) => {
		await withSandbox({}, async ({ hosts, keys: { dps }, log }) => {
			const careful = new ServiceReader({ hosts, extractions: false, pause });
			await expect(careful.call(endpoint, dps, { num: '1' })).rejects.toThrow();
			const reader = new ServiceReader({ hosts, extractions: true, pause });
			await expect(reader.call(endpoint, dps, { num: '2' })).rejects.toThrow();
			await expect(reader.call(endpoint, dps, { num: '1', dedup: '1' })).rejects.toThrow();
			expect(log.count()).toBe(0);
			await reader.call(endpoint, dps, { num: '1' });
			await expect(reader.call(endpoint, dps, { num: '1' })).rejects.toThrow();
			expect(log.entries().length).toBeLessThanOrEqual(1);
		});
	});

	it('follows no redirect, with which a key could leave', async () => {
		let arrived = 0;
		const elsewhere = createServer((_request, response) => {
			arrived += 1;
			response.end('{}');
		});
		await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
		const { port } = elsewhere.address() as AddressInfo;
		const location = `http://127.0.0.1:${port}/`;
		await withSandbox({}, async ({ faults, hosts, keys: { dps } }) => {
			faults.add({ kind: 'status', status: 307, location });
			const reader = new ServiceReader({ hosts, extractions: false, pause });
			for (const endpoint of [GET_SECRET_TOKEN, GET_ORDER_INFO]) {
				expect(await reader.call(endpoint, dps)).toMatchObject({ status: 307 });
			}
		});
		elsewhere.closeAllConnections();
		await new Promise((resolve) => elsewhere.close(resolve));
		expect(arrived).toBe(0);
	});
});

describe('against the sandbox itself', () => {
	const QUOTA_PATHS = Object.values(ENDPOINTS)
		.filter(({ kind }) => kind === 'quota')
		.map(({ path }) => path);
	const PAIRS = ['account', 'dps'] as const;

	it.each(PAIRS)('nothing differs with the key pair %s', async (name) => {
		await withSandbox({}, async ({ hosts, keys, ledger, log }) => {
			const { report, exitCode } = await run(hosts, keys[name]);
			expect(report).not.toContain('## Differs');
			expect(report).toContain('differences: 0');
			expect(exitCode).toBe(0);
			expect(ledger.entries()).toEqual([]);
			for (const path of QUOTA_PATHS) expect(log.count(path)).toBe(0);
		});
	});

	it('takes one proxy of each product that hands them out', async () => {
		await withSandbox({}, async ({ hosts, keys, ledger, log }) => {
			const { report, exitCode } = await run(hosts, keys.account, 1);
			expect(report).not.toContain('## Differs');
			expect(exitCode).toBe(0);
			for (const path of QUOTA_PATHS) {
				expect(log.count(path)).toBe(Object.hasOwn(EXTRACTION_ROWS, path) ? 1 : 0);
			}
			expect(ledger.entries()).toEqual([]);
		});
	});
});

const answering = (data: unknown): AnyFault => ({
	kind: 'raw',
	contentType: 'application/json; charset=utf-8',
	body: JSON.stringify({ code: 0, msg: '', data }),
});

/** Each is told by one line of the report. */
const DIFFERENCES: ReadonlyArray<readonly [name: string, path: string, AnyFault, line: RegExp]> = [
	[
		'a balance that is a number',
		'/api/getaccountbalance',
		answering({ balance: 620.8 }),
		/getaccountbalance`: `data\.balance` is a number; the sandbox has an amount/,
	],
	[
		'a new field',
		'/api/getmyip',
		answering({ ip: '192.0.2.1', api_domain: 'https://x.example' }),
		/getmyip`: `data\.api_domain` \(text\) is a field that the sandbox lacks/,
	],
	[
		'a code that no table has',
		'/api/getorderexpiretime',
		{ kind: 'code', code: -9, msg: 'x' },
		/getorderexpiretime` \(DPS\): code -9, which no table has; the sandbox answers 0/,
	],
	[
		'a page for people',
		'/api/tpscurrentip',
		{ kind: 'html' },
		/tpscurrentip` \(TPS\): `the body` is no JSON/,
	],
];

describe('with deliberate differences', () => {
	let result: LiveResult;

	beforeAll(async () => {
		result = await withSandbox({}, async ({ faults, hosts, keys }) => {
			for (const [, path, fault] of DIFFERENCES) faults.add({ ...fault, path });
			return await run(hosts, keys.account);
		});
	});

	it('does not end well', () => {
		expect(result.exitCode).toBe(1);
	});

	it.each(DIFFERENCES)('names %s', (_name, _path, _change, line) => {
		expect(result.report.split('## Agrees')[0]).toMatch(line);
	});
});

it('shows nothing secret of an answer, wherever it stands', async () => {
	await withSandbox({}, async ({ faults, hosts, keys, store }) => {
		const order = store.order(keys.dps.secretId);
		if (!('login' in order)) throw new Error('It has no login');
		const { login } = order;
		login.password = 'hunterhunter';
		const hostile = (data: unknown): AnyFault => ({
			kind: 'raw',
			contentType: 'text/hunterhunter',
			body: JSON.stringify({
				...{ code: 0, data },
				msg: `${keys.account.secretKey} ${order.orderId} 203.0.113.77`,
				hunterhunter: login.password,
				[keys.dps.secretKey]: 1,
				[order.orderId]: { [login.username]: login.password },
				status: 'hunterhunter',
				'203.0.113.77:8080': '203.0.113.77',
			}),
		});
		const listed = store.orders.map(({ orderId, payType, product }) => ({
			...{ orderid: orderId, pay_type: payType, product, status: 'VALID' },
			[login.password]: login.username,
		}));
		const { secretId, secretKey } = keys.dps;
		const known = new Map<string, unknown>([
			['/api/getaccountbalance', { balance: '1000.00' }],
			['/api/getaccountorders', listed],
			['/api/getordersecret', { secret_id: secretId, secret_key: secretKey }],
		]);
		for (const path of Object.keys(PROBE_ROWS)) {
			faults.add({ ...hostile(known.get(path) ?? { [login.username]: login.password }), path });
		}
		const { report, exitCode } = await run(hosts, keys.account);
		expect(exitCode).toBe(1);
		expect(report).toContain('(a name that is not shown)');
		for (const path of Object.keys(PROBE_ROWS)) expect(report).toContain(path);
		const pairs = Object.values(keys).flatMap((pair) => [pair.secretId, pair.secretKey]);
		const values = [
			...[...pairs, login.username, login.password],
			...[order.orderId, '203.0.113', '1000.00'],
		];
		expect(values.filter((value) => report.includes(value))).toEqual([]);
		expect(report).not.toMatch(/\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|\d{9}/);
	});
});

describe('without answers', () => {
	it('says so with a wrong key', async () => {
		await withSandbox({}, async ({ hosts, keys }) => {
			const wrong = [
				{ secretId: 'nobody-id', secretKey: 'nobody-key' },
				{ secretId: keys.account.secretId, secretKey: 'another-key' },
			];
			for (const pair of wrong) {
				const { report, exitCode } = await run(hosts, pair);
				expect(report).toMatch(/Nothing was asked: the key pair is refused \(code -10[24]\)/);
				expect(report).not.toContain(pair.secretId);
				expect(exitCode).toBe(2);
			}
		});
	});
});

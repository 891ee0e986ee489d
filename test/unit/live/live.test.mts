import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isRecord } from '../../../harness/outsideData.mts';
import { READ_ENDPOINTS, EXTRACTION_ENDPOINTS, isCallable } from '../../../live/callable.mts';
import { compareAnswers } from '../../../live/comparison.mts';
import { ShownNames } from '../../../live/names.mts';
import { EXTRACTION_PARAMETERS, PROBE_ROWS } from '../../../live/probes.mts';
import { QUESTIONS } from '../../../live/questions.mts';
import { ServiceReader, type Answered, type KeyPair } from '../../../live/reader.mts';
import { runLive, type LiveResult, type LiveSettings } from '../../../live/run.mts';
import { loopbackHosts } from '../../../live/testHosts.mts';
import { ENDPOINTS } from '../../../nodes/shared/service/endpoints/index.ts';
import { GET_SECRET_TOKEN } from '../../../nodes/shared/service/endpoints/account.ts';
import { GET_FPS_FLOW, GET_ORDER_INFO } from '../../../nodes/shared/service/endpoints/order.ts';
import type { ServiceHosts } from '../../../nodes/shared/service/hosts.ts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox/sandbox.mts';
import { openGateway, withData, withFields, withLastRecord, type Change } from './gateway.mts';

const OPTIONS: SandboxOptions = {
	rateLimits: false,
	forwardProxies: false,
	inapplicableParameters: 'ignore',
};

async function run(
	hosts: ServiceHosts,
	keys: KeyPair,
	settings: Partial<LiveSettings> = {},
): Promise<LiveResult> {
	const testPage = new URL('http://127.0.0.1/');
	return await runLive({
		...{ hosts, keys, testPage, ips: 0, keepsPace: false, say: () => undefined },
		...settings,
	});
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

describe('what the bridge can call', () => {
	it('is read only, by the declared kinds of all rows of a path', () => {
		expect(READ_ENDPOINTS.length).toBeGreaterThan(25);
		for (const { path } of READ_ENDPOINTS) {
			const kinds = Object.values(ENDPOINTS).filter((row) => row.path === path);
			expect(kinds.map(({ kind }) => kind)).toEqual(kinds.map(() => 'read'));
		}
	});

	it('hands out proxies with --ips only, and never changes the IP of a tunnel', () => {
		const paths = [...new Set(EXTRACTION_ENDPOINTS.map(({ path }) => path))].sort();
		expect(paths).toEqual(Object.keys(EXTRACTION_PARAMETERS).sort());
		expect(paths).not.toContain('/api/changetpsip');
	});

	it('has a row of calls for each reading endpoint', () => {
		const paths = [...new Set(READ_ENDPOINTS.map(({ path }) => path))].sort();
		expect(Object.keys(PROBE_ROWS).sort()).toEqual(paths);
	});

	const forbidden = Object.values(ENDPOINTS).filter((row) => !isCallable(row, true));

	it.each(forbidden)('refuses $path before anything is sent', async (endpoint) => {
		await withSandbox({}, async ({ hosts, keys, log }) => {
			const reader = new ServiceReader({ hosts, extractions: true, keepsPace: false });
			await expect(reader.call(endpoint, keys.account)).rejects.toThrow('is not called here');
			expect(log.count()).toBe(0);
		});
	});

	it('knows every purchase and setting as forbidden', () => {
		const dangerous = Object.values(ENDPOINTS).filter(
			({ kind }) => kind === 'purchase' || kind === 'setting',
		);
		expect(dangerous.length).toBeGreaterThan(5);
		expect(dangerous.filter((row) => isCallable(row, true))).toEqual([]);
	});

	it.each(EXTRACTION_ENDPOINTS)('calls $path once for one proxy', async (endpoint) => {
		await withSandbox({}, async ({ hosts, keys: { dps }, log }) => {
			const careful = new ServiceReader({ hosts, extractions: false, keepsPace: false });
			await expect(careful.call(endpoint, dps, { num: '1' })).rejects.toThrow();
			const reader = new ServiceReader({ hosts, extractions: true, keepsPace: false });
			await expect(reader.call(endpoint, dps, { num: '2' })).rejects.toThrow();
			await expect(reader.call(endpoint, dps, { num: '1', dedup: '1' })).rejects.toThrow();
			expect(log.count()).toBe(0);
			await reader.call(endpoint, dps, { num: '1' });
			await expect(reader.call(endpoint, dps, { num: '1' })).rejects.toThrow();
			expect(log.entries().length).toBeLessThanOrEqual(1);
		});
	});

	it.each(['https://example.com', 'http://10.0.0.1', 'http://127.0.0.1.example.com', ''])(
		'sends keys to no other test host: %s',
		(origin) => {
			const hosts = Object.fromEntries(
				['baseUrl', 'dpsUrl', 'kpsUrl', 'tpsUrl', 'fpsUrl', 'svipUrl', 'authUrl'].map((name) => [
					name,
					name === 'fpsUrl' ? origin : 'http://127.0.0.1:1',
				]),
			);
			expect(() => loopbackHosts(JSON.stringify(hosts))).toThrow('fpsUrl is not on this machine');
		},
	);

	it('follows no redirect, with which a key could leave', async () => {
		let arrived = 0;
		const elsewhere = createServer((_request, response) => {
			arrived += 1;
			response.end('{}');
		});
		await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
		const { port } = elsewhere.address() as AddressInfo;
		const redirect: Change = () => ({ status: 307, location: `http://127.0.0.1:${port}/` });
		const asked = [GET_SECRET_TOKEN, GET_ORDER_INFO];
		await withSandbox({}, async ({ hosts, keys: { dps } }) => {
			const changes = asked.map(({ path }) => [path, [redirect]] as const);
			const gateway = await openGateway(hosts, new Map(changes));
			const options = { hosts: gateway.hosts, extractions: false, keepsPace: false };
			const reader = new ServiceReader(options);
			for (const endpoint of asked) {
				expect(await reader.call(endpoint, dps)).toMatchObject({ status: 307 });
			}
			await gateway.close();
		});
		elsewhere.closeAllConnections();
		await new Promise((resolve) => elsewhere.close(resolve));
		expect(arrived).toBe(0);
	});

	it('keeps the documented pace', async () => {
		await withSandbox({}, async ({ hosts, keys: { fps } }) => {
			const reader = new ServiceReader({ hosts, extractions: false, keepsPace: true });
			const startedAt = performance.now();
			for (let calls = 0; calls < 2; calls += 1) await reader.call(GET_FPS_FLOW, fps);
			// Not by the limits of the sandbox, where a busy machine may let calls arrive at once
			expect(GET_FPS_FLOW.intervalMs).toBe(1000);
			expect(performance.now() - startedAt).toBeGreaterThanOrEqual(GET_FPS_FLOW.intervalMs);
		});
	});
});

describe('against the sandbox itself', () => {
	const QUOTA_PATHS = Object.values(ENDPOINTS)
		.filter(({ kind }) => kind === 'quota')
		.map(({ path }) => path);
	const PAIRS = ['account', 'dps', 'kps', 'opsVip', 'tpsMinute', 'tpsPro', 'fps', 'sfps'] as const;

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

	it('answers what reading tells', async () => {
		await withSandbox({}, async ({ hosts, keys, store, clock }) => {
			const order = store.order(keys.opsExpired.secretId);
			order.expiresAt = new Date(clock.now().getTime() - 3600_000);
			const { report } = await run(hosts, keys.account);
			expect(report).toContain('8, the time zone of expire_time: it is China time.');
			expect(report).toContain('a time 600 s ago is refused, one 300 s ago accepted');
			expect(report).toContain('- 24, words before a status.');
		});
	});

	it('takes one proxy of each product, and opens a page through it', async () => {
		await withSandbox({ forwardProxies: true }, async (sandbox) => {
			const { hosts, keys, pages, ledger, log, proxyLog } = sandbox;
			const { http } = await pages.open();
			const testPage = new URL('/ip', http);
			const { report, exitCode } = await run(hosts, keys.account, { ips: 1, testPage });
			expect(report).not.toContain('## Differs');
			expect(exitCode).toBe(0);
			// No name leads to the sandbox's tunnels on every machine
			expect(
				report
					.split('## Not compared')[1]
					?.split('##')[0]
					.match(/`data\.\w+_host`/g),
			).toEqual([...['`data.tunnel_host`', '`data.tunnel_host`', '`data.fps_host`']]);
			for (const product of ['DPS', 'KPS', 'OPS', 'TPS', 'TPS_PRO', 'FPS', 'SFPS']) {
				expect(report).toContain(`${product} a page through it`);
			}
			for (const path of QUOTA_PATHS) {
				const expected = Object.hasOwn(EXTRACTION_PARAMETERS, path) ? 1 : 0;
				expect(log.count(path)).toBe(expected);
			}
			expect(ledger.entries()).toEqual([]);
			expect(proxyLog.last()).toBeDefined();
		});
	});
});

/** Each is told by one line of the report. */
const DIFFERENCES: ReadonlyArray<readonly [name: string, path: string, Change, line: RegExp]> = [
	[
		'a balance that is a number',
		'/api/getaccountbalance',
		withFields({ balance: 620.8 }),
		/getaccountbalance`: `data\.balance` is a number; the sandbox has an amount/,
	],
	[
		'an order number that is a number',
		'/api/getaccountorders',
		withLastRecord({ orderid: 1234567890123 }),
		/getaccountorders` \(active\): `data\[\]\.orderid` is a number/,
	],
	[
		'a status that nobody knows',
		'/api/getaccountorders',
		(answer, query) =>
			query.get('status') === 'ALL'
				? withLastRecord({ status: 'RENEWING' })(answer, query)
				: undefined,
		/\(all\): `data\[\]\.status` is another word/,
	],
	[
		'a time in another form',
		'/api/getaccountorders',
		(answer, query) =>
			query.get('status') === 'ALL'
				? withLastRecord({ expire_time: '2026-12-01T10:00:00Z' })(answer, query)
				: undefined,
		/\(all\): `data\[\]\.expire_time` is a date and time in another form/,
	],
	[
		'a new field',
		'/api/getordersecret',
		withFields({ api_domain: 'https://x.example' }),
		/getordersecret`: `data\.api_domain` \(text\) is a field that the sandbox lacks/,
	],
	[
		'a number as text',
		'/api/get_secret_token',
		withFields({ expire: '3600' }),
		/get_secret_token`: `data\.expire` is 4 digits; the sandbox has a number/,
	],
	[
		'a field with another name',
		'/api/getua',
		withData((data) => (isRecord(data) ? { count: data.count, list: data.ua_list } : data)),
		/getua`: `data\.ua_list` is missing/,
	],
	[
		'a text in place of an object',
		'/api/getmyip',
		withData(() => '203.0.113.9'),
		/getmyip`: `data` is an IP address; the sandbox has an object/,
	],
	[
		'the other spelling',
		'/api/getareacode',
		withData(() => ({ area_name: '杭州市', area_code: '3301' })),
		/getareacode` \(a city\): `data\.are_code` is missing/,
	],
	[
		'a list in place of a map',
		'/api/getfpscountrycode',
		withData(() => [{ code: 'US', name: '美国' }]),
		/getfpscountrycode`: `data` is a list; the sandbox has an object/,
	],
	[
		'a map in place of a list',
		'/api/getfpsareacode',
		withData(() => ({ Arizona: 'AZ' })),
		/getfpsareacode`: `data` is an object; the sandbox has a list/,
	],
	[
		'codes of another length',
		'/api/gettpsprovcode',
		withData(() => ({ 北京: '110000' })),
		/gettpsprovcode`: `data\{\}` is 6 digits; the sandbox has 2 digits/,
	],
	[
		'keys that are codes',
		'/api/gettpscitycode',
		withData(() => ({ 330100: '杭州市' })),
		/gettpscitycode`: `data\{key\}` is 6 digits; the sandbox has Chinese text/,
	],
	[
		'another HTTP status',
		'/api/querysfpsarea',
		() => ({ status: 203 }),
		/querysfpsarea` \(retail\): HTTP status 203; the sandbox has 200/,
	],
	[
		'a count as text',
		'/api/querykpscity',
		withLastRecord({ count: '12' }),
		/querykpscity` \(shared\): `data\[\]\.count` is 2 digits; the sandbox has a number/,
	],
	[
		'a flag as a number',
		'/api/getorderinfo',
		withFields({ is_auto_renew: 1 }),
		/getorderinfo` \(DPS\): `data\.is_auto_renew` is a number; the sandbox has a boolean/,
	],
	[
		'an address in place of the name of a tunnel',
		'/api/getorderinfo',
		withData((data) =>
			isRecord(data) && 'tunnel_host' in data ? { ...data, tunnel_host: '203.0.113.9' } : data,
		),
		/getorderinfo` \(TPS\): `data\.tunnel_host` is an IP address; the sandbox has a host name/,
	],
	[
		'a code that no table has',
		'/api/getorderexpiretime',
		() => ({ body: { code: -9, msg: 'x', data: '' } }),
		/getorderexpiretime` \(DPS\): code -9, which no table has; the sandbox answers 0/,
	],
	[
		'another way of authentication',
		'/api/getproxyauthorization',
		withFields({ type: 'Digest' }),
		/getproxyauthorization` \(DPS, encoded\): `data\.type` is another word/,
	],
	[
		'another content type',
		'/api/getipwhitelist',
		() => ({ contentType: 'text/html' }),
		/getipwhitelist` \(DPS\): content type text\/html; the sandbox has application\/json/,
	],
	[
		'a null',
		'/api/getipbalance',
		withFields({ balance: null }),
		/getipbalance` \(DPS\): `data\.balance` is null; the sandbox has a number/,
	],
	[
		'a documented code',
		'/api/dpsresources',
		() => ({ body: { code: -3, msg: '', data: '' } }),
		/dpsresources` \(DPS\): code -3; the sandbox answers 0/,
	],
	[
		'entries that are objects',
		'/api/getkps',
		withFields({ proxy_list: [{ ip: '203.0.113.4' }] }),
		/getkps` \(KPS\): `data\.proxy_list\[\]` is an object; the sandbox has host:port/,
	],
	[
		'entries with a login',
		'/api/getsfps',
		withFields({ proxy_list: ['203.0.113.4:8080:u:p:US', 'x'] }),
		/getsfps` \(SFPS\): `data\.proxy_list\[\]` is text/,
	],
	[
		'a page for people',
		'/api/tpscurrentip',
		() => ({ body: '<h1>Maintenance</h1>' }),
		/tpscurrentip` \(TPS\): `the body` is no JSON/,
	],
	[
		'an envelope without a message',
		'/api/getfpsflow',
		({ body }) => (isRecord(body) ? { body: { code: body.code, data: body.data } } : undefined),
		/getfpsflow` \(FPS\): `msg` is missing/,
	],
];

it('takes a loopback address for the name of a tunnel of a stand-in only', () => {
	const answer = (host: string): Answered => ({
		...{ kind: 'answered', status: 200, contentType: 'application/json', code: 0, text: '' },
		...{ body: { code: 0, data: { tunnel_host: host } }, data: {}, clockAheadSeconds: 0 },
	});
	const compared = (host: string, isStandIn: boolean) =>
		compareAnswers(GET_ORDER_INFO, answer(host), [answer('tps121.kdlapi.com')], {
			...{ maps: [], names: new ShownNames(), isStandIn },
		});
	const notCompared = ['data.tunnel_host'];
	expect(compared('127.1.2.3', true)).toEqual({ differences: [], notCompared });
	expect(compared('127.1.2.3', false).differences).toHaveLength(1);
	expect(compared('10.1.2.3', true).differences).toHaveLength(1);
	expect(compared('', true).differences).toHaveLength(1);
});

describe('with deliberate differences', () => {
	let result: LiveResult;

	beforeAll(async () => {
		result = await withSandbox({}, async ({ hosts, keys, faults }) => {
			const changes = new Map<string, Change[]>();
			for (const [, path, change] of DIFFERENCES) {
				changes.set(path, [...(changes.get(path) ?? []), change]);
			}
			faults.add({ kind: 'dateOffset', seconds: 900 });
			faults.add({ kind: 'code', code: -120, path: '/api/gettps', times: 1 });
			const gateway = await openGateway(hosts, changes);
			try {
				return await run(gateway.hosts, keys.account);
			} finally {
				await gateway.close();
			}
		});
	});

	it('does not end well', () => {
		expect(result.exitCode).toBe(1);
	});

	it('counts each difference once', () => {
		const [, listed = ''] = result.report.split('## Differs');
		const lines = listed.split('## ')[0].match(/^- /gm) ?? [];
		expect(lines.length).toBeGreaterThanOrEqual(DIFFERENCES.length);
		expect(result.report).toContain(`differences: ${lines.length}.`);
	});

	it.each(DIFFERENCES)('names %s', (_name, _path, _change, line) => {
		expect(result.report.split('## Agrees')[0]).toMatch(line);
	});

	it('names the clock and the pace', () => {
		expect(result.report).toMatch(
			/clock: the service's clock and this machine's are (899|90[01]) s apart/,
		);
		expect(result.report).toContain('`/api/gettps` (pace): refused as too fast (-120)');
	});
});

it('says that expire_time is not China time', async () => {
	await withSandbox({}, async ({ hosts, keys }) => {
		const utc = (offsetHours: number) =>
			new Date(Date.now() + offsetHours * 3600_000).toISOString().slice(0, 19).replace('T', ' ');
		// It ends in an hour by UTC, so that as China time it would be over
		const change = withLastRecord({ status: 'VALID', expire_time: utc(1) });
		const gateway = await openGateway(hosts, new Map([['/api/getaccountorders', [change]]]));
		const { report, exitCode } = await run(gateway.hosts, keys.account);
		await gateway.close();
		expect(report).toContain(
			'question 8: the time zone of expire_time: it is UTC, not China time.',
		);
		expect(exitCode).toBe(1);
	});
});

it('shows nothing secret of an answer, wherever it stands', async () => {
	await withSandbox({}, async ({ hosts, keys, store }) => {
		const order = store.order(keys.dps.secretId);
		const { login } = order as { login: { username: string; password: string } };
		login.password = 'hunterhunter';
		const orderNumber = order.orderId;
		const hostile: Change = ({ body }) =>
			isRecord(body)
				? {
						contentType: 'text/hunterhunter',
						body: {
							...body,
							msg: `${keys.account.secretKey} ${orderNumber} 203.0.113.77`,
							hunterhunter: login.password,
							[keys.dps.secretKey]: 1,
							[orderNumber]: { [login.username]: login.password },
							status: 'hunterhunter',
							'203.0.113.77:8080': '203.0.113.77',
						},
					}
				: undefined;
		const paths = Object.keys(PROBE_ROWS).map((path) => [path, [hostile]] as const);
		const gateway = await openGateway(hosts, new Map(paths));
		const { report, exitCode } = await run(gateway.hosts, keys.account);
		await gateway.close();
		expect(exitCode).toBe(1);
		expect(report).toContain('(a name that is not shown)');
		const pairs = Object.values(keys).flatMap(({ secretId, secretKey }) => [secretId, secretKey]);
		const values = [...pairs, login.username, login.password, orderNumber, '203.0.113', '1000.00'];
		expect(values.filter((value) => report.includes(value))).toEqual([]);
		expect(report).not.toMatch(/\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|\d{9}/);
	});
});

it('lets no key out, wherever else one got into the report', () => {
	const report = 'an answer with some-key';
	expect(new ShownNames().conceal(report, ['some-key'])).toBe('an answer with ***');
});

describe('without answers', () => {
	it('says so without a network', async () => {
		const nowhere = Object.fromEntries(
			['baseUrl', 'dpsUrl', 'kpsUrl', 'tpsUrl', 'fpsUrl', 'svipUrl', 'authUrl'].map((name) => [
				name,
				'http://127.0.0.1:1',
			]),
		) as unknown as ServiceHosts;
		const { report, exitCode } = await run(nowhere, { secretId: 'some-id', secretKey: 'some-key' });
		expect(report).toContain('Nothing was asked: no answer');
		expect(exitCode).toBe(2);
	});

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

	it('does not end well where one endpoint gives none', async () => {
		await withSandbox({}, async ({ hosts, keys, faults }) => {
			faults.add({ kind: 'cut', path: '/api/getua' });
			const { report, exitCode } = await run(hosts, keys.account);
			expect(report).toContain('## Not answered');
			expect(exitCode).toBe(2);
		});
	});
});

it('knows each question of docs/uncertainties.md by its number, and which of them it asks', async () => {
	const text = await readFile('docs/uncertainties.md', 'utf8');
	const listed = [...text.matchAll(/^(\d{1,3})\. (.*)$/gm)].map(([, number, words]) => ({
		number: Number(number),
		isAsked: words.includes('•'),
	}));
	const known = QUESTIONS.map(({ number, ask }) => ({ number, isAsked: ask !== undefined }));
	expect(listed).toEqual(known);
});

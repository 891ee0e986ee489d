import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';

import type { Fault, KeyPair } from '../../../sandbox/sandbox.mts';
import { DAY } from '../../durations.mts';
import { uniqueName } from '../../uniqueName.mts';
import { until } from '../../virtualTime.mts';
import { API } from '../support/api.mts';
import { Customer, picked, WEEK } from '../support/customer.mts';
import type { RunResult } from '../support/engine.mts';
import { logFile } from '../support/environment.mts';
import { n8nLogger } from '../support/n8nLogger.mts';
import { type Extraction, TestBed } from '../support/testBed.mts';
import { useWorkbench } from '../support/workbench.mts';

/** With marks that look different in an address and in a form. */
const SECRET_KEY = 'k3y/with+marks=&密';

const SIGN_TYPES = ['hmacsha1', 'token'] as const;
const SETTINGS = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;

interface Evidence {
	source: string;
	text: string;
}

/** How a secret may look where somebody finds it. */
function appearances(secret: string): string[] {
	const inJson = JSON.stringify(secret).slice(1, -1);
	return [
		secret,
		encodeURIComponent(secret),
		new URLSearchParams({ secret }).toString().slice('secret='.length),
		inJson,
		JSON.stringify(inJson).slice(1, -1),
		Buffer.from(secret).toString('base64'),
		Buffer.from(secret).toString('hex'),
	];
}

/** Where one of the secrets is to be read. */
function findings(evidence: readonly Evidence[], secrets: readonly string[]): string[] {
	const wanted = secrets.flatMap(appearances);
	return evidence
		.filter(({ text }) => wanted.some((secret) => text.includes(secret)))
		.map(({ source }) => source);
}

/** All of a result that anybody could look at, and what shows only on a closer look. */
function evidenceOf(name: string, result: RunResult): Evidence[] {
	return [
		{ source: `${name}: saved`, text: result.saved },
		{ source: `${name}: stack`, text: String(result.error?.stack) },
		{
			source: `${name}: result`,
			text: inspect(result, { depth: 12, showHidden: true, maxStringLength: null }),
		},
	];
}

const TOKEN_HOST = 'the token host';

type Scenario = [name: string, extraction: Extraction];

const SCENARIOS: Scenario[] = [
	['success', { num: 3 }],
	['success with extra fields', { num: 3, extraFields: { fLoc: true, fSp: true } }],
	['nothing found', { filters: { area: '火星' } }],
	['refused before anything is sent', { num: 0 }],
	['refused by the host', { plan: 'vip', num: 2, credential: { baseUrl: 'http://localhost:1' } }],
	['a host that cannot be used', { credential: { svipUrl: 'http://example.com' } }],
];

/** What something on the way may make of a request: it has seen the secret and repeats it. */
const ECHOES: Array<[name: string, status: number, body: (secret: string) => string]> = [
	['a gateway with the address', 502, (secret) => `GET /?a=${encodeURIComponent(secret)} HTTP/1.1`],
	['a page', 200, (secret) => `<html>${secret}</html>`],
	['a text', 200, (secret) => `unknown ${secret}`],
	['a message', 200, (secret) => JSON.stringify({ code: -4, msg: `bad ${secret}`, data: '' })],
	['a list', 200, (secret) => JSON.stringify({ code: 0, data: { proxy_list: [secret] } })],
	['data', 200, (secret) => JSON.stringify({ code: 0, data: { secret } })],
];

describe('the Secret Key and the token', () => {
	let bed: TestBed;
	const evidence: Evidence[] = [];
	const secrets = [SECRET_KEY];
	const METHODS = ['log', 'info', 'warn', 'error', 'debug'] as const;
	const printed = METHODS.map((method) => jest.spyOn(console, method));

	/** With a key pair of its own each time, so that nothing has to wait. */
	function newKeys() {
		const keys = { secretId: uniqueName('id'), secretKey: SECRET_KEY };
		const order = bed.newOrder('svip', { keys, account: bed.newAccount() });
		return order.keys;
	}

	/** The same with the key pair of an order that is fetched with that of its account. */
	async function collectOfOrder(
		name: string,
		signType: string,
		onError: (typeof SETTINGS)[number],
		prepared: () => { keys: KeyPair },
	): Promise<void> {
		const { account, orderId } = bed.sandbox.store.order(prepared().keys.secretId);
		const credentialId = bed.addCredential(account.keys, { keyType: 'account', signType });
		const result = await bed.engine.run({
			credentialId,
			settings: { onError },
			parameters: { resource: 'autoRenewal', operation: 'enable', orderid: picked(orderId) },
		});
		const source = `${name}, chosen order, ${signType}, ${onError}`;
		const stored = JSON.stringify(bed.engine.credentials.data(credentialId));
		evidence.push(...evidenceOf(source, result), { source, text: stored });
	}

	/** One execution for each setting, and one test of the credential. */
	async function collect(
		name: string,
		extraction: Extraction,
		signType: string,
		repeat?: (secret: string) => void,
		which: 'key' | 'token' = 'key',
	): Promise<void> {
		const prepared = () => {
			const keys = newKeys();
			const token = bed.sandbox.tokens.obtain(keys.secretId).value;
			secrets.push(token);
			bed.sandbox.faults.clear();
			repeat?.(which === 'key' ? SECRET_KEY : token);
			return { keys, changes: { signType, ...extraction.credential } };
		};
		for (const onError of SETTINGS) {
			const { keys, changes } = prepared();
			const credentialId = bed.addCredential(keys, changes);
			const result = await bed.extract({ ...extraction, credentialId, settings: { onError } });
			evidence.push(...evidenceOf(`${name}, ${signType}, ${onError}`, result));
		}
		// That host is asked with the account's key pair first, and has not seen the order's
		if (!name.includes(TOKEN_HOST)) {
			for (const onError of SETTINGS) await collectOfOrder(name, signType, onError, prepared);
		}
		const { keys, changes } = prepared();
		const { message } = await bed.engine.testCredential(bed.credentialData(keys, changes));
		evidence.push({ source: `${name}, ${signType}: credential test`, text: message });
	}

	beforeAll(async () => {
		bed = await TestBed.start();
		for (const signType of SIGN_TYPES) {
			for (const [name, extraction] of SCENARIOS) await collect(name, extraction, signType);
			for (const [name, status, body] of ECHOES) {
				// Without sign type token there is none that anything on the way could have seen
				const seen = signType === 'token' ? (['key', 'token'] as const) : (['key'] as const);
				for (const which of seen) {
					const repeat = (secret: string) => {
						for (const path of [API.getproxy, '/api/getorderexpiretime', '/api/setautorenew']) {
							bed.sandbox.faults.add({ kind: 'status', path, status, body: body(secret) });
						}
					};
					await collect(`${name} repeats the ${which}`, {}, signType, repeat, which);
				}
			}
		}
		for (const [name, status, body] of ECHOES) {
			const repeat = (secret: string) =>
				bed.sandbox.faults.add({
					kind: 'status',
					path: API.get_secret_token,
					status,
					body: body(secret),
				});
			await collect(`${name} of ${TOKEN_HOST} repeats the key`, {}, 'token', repeat);
		}
	});

	afterAll(async () => {
		await bed.close();
		jest.restoreAllMocks();
	});

	it('occur in nothing that is saved, shown or thrown', () => {
		expect(evidence.length).toBeGreaterThan(450);
		expect(findings(evidence, secrets)).toEqual([]);
	});

	it('occur in nothing that is printed', () => {
		const texts = printed.flatMap(({ mock }) => mock.calls).map((parts) => inspect(parts));
		expect(
			findings(
				texts.map((text) => ({ source: text, text })),
				secrets,
			),
		).toEqual([]);
	});

	it('occur nowhere in the log of n8n, which has every error', async () => {
		const log = () => readFileSync(logFile, 'utf8');
		await until(() => log().includes('HTTP status 502'));
		const lines = log()
			.split('\n')
			.map((text) => ({ source: text, text }));
		expect(lines.length).toBeGreaterThan(100);
		expect(findings(lines, secrets)).toEqual([]);
	});

	it('were really at work in all of these', () => {
		const used = bed.sandbox.log.entries().map(({ parameters }) => parameters.signature);
		const tokens = secrets.slice(1);
		expect(used.filter((signature) => tokens.includes(signature)).length).toBeGreaterThan(50);
		expect(evidence.filter(({ text }) => text.includes('[hidden]')).length).toBeGreaterThan(50);
	});
});

describe('the search itself', () => {
	it('finds a secret in what is saved, when an input item brings it', async () => {
		const bed = await TestBed.start();
		const result = await bed.extract({ items: [{ note: `it is ${SECRET_KEY}` }] });
		await bed.close();
		const found = findings(evidenceOf('control', result), [SECRET_KEY]);
		expect(found).toContain('control: saved');
	});

	it('finds a secret in an error, also where it does not show', async () => {
		const bed = await TestBed.start();
		const result = await bed.extract({ num: 'none' });
		await bed.close();
		expect(findings(evidenceOf('control', result), [SECRET_KEY])).toEqual([]);
		const cause = new Error('inner', { cause: { signature: SECRET_KEY } });
		Object.defineProperty(result.error, 'hidden', { value: cause, enumerable: false });
		expect(findings(evidenceOf('control', result), [SECRET_KEY])).toEqual(['control: result']);
	});

	it.each(appearances(SECRET_KEY))('finds %s', (text) => {
		expect(findings([{ source: 'control', text: `a ${text} b` }], [SECRET_KEY])).toEqual([
			'control',
		]);
	});
});

const { bed } = useWorkbench();

/** What runs leave in n8n's log at debug level. No secret of these key pairs may be in it, nor a signature. */
async function loggedBy(work: () => Promise<unknown>, keys: readonly KeyPair[]) {
	const log = jest.spyOn(n8nLogger, 'debug').mockReturnValue();
	await work();
	const texts: readonly string[] = log.mock.calls.map(([text]) => text);
	log.mockRestore();
	const all = texts.join();
	for (const { secretId, secretKey } of keys) {
		for (const secret of [secretId, secretKey]) expect(all).not.toContain(secret);
	}
	for (const { parameters } of bed().sandbox.log.entries()) {
		if (parameters.signature !== undefined) expect(all).not.toContain(parameters.signature);
	}
	return texts.filter((text) => text.startsWith('Kuaidaili '));
}

/** What an extraction leaves there. */
async function logged(faults: readonly Fault[], extraction: Extraction = {}) {
	const { keys } = bed().newOrder(extraction.plan === 'regular' ? 'regular' : 'svip');
	const credentialId = bed().addCredential(keys, extraction.credential);
	bed().sandbox.faults.add(...faults);
	const run = async () => {
		const { error } = await bed().extract({ credentialId, ...extraction });
		expect(error).toBeUndefined();
	};
	return await loggedBy(run, [keys]);
}

const ONCE = { times: 1 };

describe('at debug level, n8n logs', () => {
	it.each<[name: string, fault: Fault, line: RegExp]>([
		['"too fast"', { kind: 'code', code: -22 }, /in 0\.\d s\. .*too (often|fast)/i],
		[
			'a lost connection',
			{ kind: 'cut' },
			/in [12]\.\d s\. The connection to 127\.0\.0\.1:\d+ was/,
		],
		['HTTP status 502', { kind: 'status', status: 502 }, /in [12]\.\d s\. .*HTTP status 502/],
	])('why a call is repeated: %s', async (_name, fault, line) => {
		const texts = await logged([{ ...fault, ...ONCE }]);
		expect(texts[0]).toMatch(/^Kuaidaili \/api\/getproxy: another attempt /);
		expect(texts[0]).toMatch(line);
	});

	it('a call that is sent again without a pause', async () => {
		expect(await logged([{ kind: 'code', code: -112, ...ONCE }])).toEqual([
			expect.stringMatching(/^Kuaidaili \/api\/getproxy: another attempt at once\. /),
		]);
	});

	it('a wait of more than a second for the rate limit', async () => {
		const texts = await logged([], { plan: 'regular', items: [{}, {}, {}] });
		expect(texts).toEqual([
			'Kuaidaili /api/getproxy: a wait of 5.3 s for the rate limit',
			'Kuaidaili /api/getproxy: a wait of 5.3 s for the rate limit',
		]);
	});

	it('a wait for the token host', async () => {
		const code = { kind: 'code', code: -107, path: '/api/getproxy', ...ONCE } as const;
		const texts = await logged([code], { credential: { signType: 'token' } });
		expect(texts).toEqual([
			expect.stringMatching(/^Kuaidaili \/api\/getproxy: another attempt at once\. .*token/),
			`Kuaidaili ${API.get_secret_token}: a wait of 1.1 s for the rate limit`,
		]);
	});

	it('nothing about calls that need no wait', async () => {
		expect(await logged([], { items: [{}, {}, {}] })).toEqual([]);
	});
});

describe('at debug level, n8n logs the wait', () => {
	it('until an earlier change of the whitelist is in effect', async () => {
		const { keys } = new Customer(bed(), { kind: 'dps' });
		const path = '/api/setipwhitelist';
		bed().sandbox.faults.add({ kind: 'code', code: -1, msg: '正在生效', path, ...ONCE });
		const run = async () =>
			await bed().engine.run({
				credentialId: bed().addCredential(keys),
				parameters: { resource: 'whitelist', operation: 'replace', iplist: '123.35.67.46' },
			});
		expect(await loggedBy(run, [keys])).toEqual([
			expect.stringMatching(
				/^Kuaidaili \/api\/setipwhitelist: another attempt in 1[0-5]\.\d s\. .*still applying/,
			),
		]);
	});

	it.each(['hmacsha1', 'token'])(
		'for what a renewal without an answer did, with sign type %s',
		async (signType) => {
			const customer = new Customer(bed());
			const order = customer.tunnel(DAY);
			bed().sandbox.faults.add({ kind: 'cut', when: 'before', path: API.reneworder, ...ONCE });
			const run = async () => await customer.renew(order, WEEK, { credential: { signType } });
			const texts = await loggedBy(run, [order.keys, customer.account.keys]);
			expect(texts).toContain(
				`Kuaidaili ${API.reneworder}: a wait of 2.0 s until Kuaidaili shows what a request did`,
			);
		},
	);

	it('for what a refused renewal did that is sent again', async () => {
		const customer = new Customer(bed());
		const order = customer.tunnel(DAY);
		bed().sandbox.faults.add({ kind: 'code', code: -120, path: API.reneworder, ...ONCE });
		const texts = await loggedBy(async () => await customer.renew(order, WEEK), [order.keys]);
		// It looks before it sends the renewal again
		expect(texts.slice(0, 3)).toEqual([
			`Kuaidaili ${API.reneworder}: a wait of 2.0 s until Kuaidaili shows what a request did`,
			`Kuaidaili ${API.reneworder}: a wait of 8.0 s until Kuaidaili shows what a request did`,
			expect.stringMatching(/^Kuaidaili \/api\/reneworder: another attempt in [12]\.\d s\. /),
		]);
		expect(customer.paid).toBe(1);
	});

	it('for another renewal of the same order', async () => {
		const customer = new Customer(bed());
		const order = customer.tunnel(DAY);
		bed().sandbox.faults.add({ kind: 'delay', ms: 3000, path: API.reneworder, ...ONCE });
		const renew = async () => await customer.renew(order, WEEK);
		const texts = await loggedBy(async () => await Promise.all([renew(), renew()]), [order.keys]);
		expect(texts).toContainEqual(
			expect.stringMatching(
				/reneworder: a wait of \d\.\d s for another purchase of the same order or kind$/,
			),
		);
		expect(customer.paid).toBe(1);
	});

	it('for what another purchase costs', async () => {
		const customer = new Customer(bed());
		bed().sandbox.faults.add({ kind: 'delay', ms: 3000, path: API.createorder, ...ONCE });
		const fields = { options: { maxCostPerRun: 1_000_000, expectedCost: 500 } };
		const buy = async (kind = {}) =>
			await customer.buy({ ...fields, ...kind }, { settings: { id: uniqueName('node') } });
		const other = { payType: 'POST_PAY' };
		const texts = await loggedBy(
			async () => await Promise.all([buy(), buy(other)]),
			[customer.account.keys],
		);
		expect(texts).toContainEqual(
			expect.stringMatching(/createorder: a wait of \d\.\d s for what another purchase costs$/),
		);
		expect(customer.paid).toBe(2);
	});

	it('of a second click for the first one', async () => {
		const customer = new Customer(bed());
		bed().sandbox.faults.add({ kind: 'delay', ms: 5000, path: API.createorder, ...ONCE });
		const settings = { id: uniqueName('node') };
		const click = async () =>
			await customer.buy({}, { settings, executionId: uniqueName('execution') });
		const clicks = async () =>
			await Promise.all([click(), customer.asked(API.createorder).then(async () => await click())]);
		const texts = await loggedBy(clicks, [customer.account.keys]);
		expect(texts).toContainEqual(
			expect.stringMatching(
				/createorder: a wait of \d\.\d s for another purchase of the same order or kind$/,
			),
		);
		expect(customer.paid).toBe(1);
	});
});

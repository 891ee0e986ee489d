import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';

import type { KeyPair } from '../../../sandbox/sandbox.mts';
import { uniqueName } from '../../uniqueName.mts';
import { until } from '../../virtualTime.mts';
import { API } from '../support/api.mts';
import { picked } from '../support/customer.mts';
import type { RunResult } from '../support/engine.mts';
import { logFile } from '../support/environment.mts';
import { type Extraction, TestBed } from '../support/testBed.mts';

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

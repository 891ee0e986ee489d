import {
	type ICredentialDataDecryptedObject,
	type INodeCredentialTestResult,
	type INodeProperties,
	type INodePropertyOptions,
	type INodeType,
	NodeHelpers,
} from 'n8n-workflow';

import { newWorkflow } from '../../../harness/engine/workflow.mts';
import type { Fault, KeyPair, SandboxOptions } from '../../../sandbox/sandbox.mts';
import { API } from '../support/api.mts';
import { builtPackage } from '../support/builtPackage.mts';
import { picked } from '../support/customer.mts';
import { type PlanName, TestBed } from '../support/testBed.mts';
import { useWorkbench } from '../support/workbench.mts';

const { description, methods } = new builtPackage.Kuaidaili();
const { description: trigger } = new builtPackage.KuaidailiTrigger();
const credential = new builtPackage.KuaidailiApi();

/** Every text in a part of a description that the editor shows, at any depth. */
function shownTexts(part: unknown): string[] {
	if (Array.isArray(part)) return part.flatMap(shownTexts);
	if (typeof part !== 'object' || part === null) return [];
	return Object.entries(part).flatMap(([key, value]) =>
		SHOWN.has(key) && typeof value === 'string' ? [value] : shownTexts(value),
	);
}

const position: [number, number] = [0, 0];

const SHOWN = new Set(['displayName', 'name', 'description', 'placeholder', 'hint', 'action']);

function isOption(option: object): option is INodePropertyOptions {
	return 'value' in option;
}

function choices(property: INodeProperties | undefined): INodePropertyOptions[] {
	return (property?.options ?? []).filter(isOption);
}

function named(name: string): INodeProperties[] {
	return description.properties.filter((property) => property.name === name);
}

/** As the editor finds it out. */
function subtitleOf(
	type: string,
	parameters: Record<string, string>,
	nodeType: INodeType = new builtPackage.Kuaidaili(),
): unknown {
	const node = { id: '1', name: 'n', type, typeVersion: 1, position, parameters };
	const workflow = newWorkflow({
		nodes: [node],
		connections: {},
		nodeTypes: { [type]: nodeType },
	});
	return workflow.expression.getSimpleParameterValue(
		node,
		nodeType.description.subtitle,
		'internal',
		{},
	);
}

describe('the description of the node', () => {
	it('has an action text for every operation, and each operation of every resource', () => {
		const resources = choices(named('resource')[0]);
		expect(resources.length).toBeGreaterThan(0);
		for (const { value } of resources) {
			const menu = named('operation').find(({ displayOptions }) =>
				displayOptions?.show?.resource?.includes(value),
			);
			const operations = choices(menu);
			expect(operations.length).toBeGreaterThan(0);
			for (const { action } of operations) expect(action).toMatch(/^[A-Z][a-z]+ \S/);
			expect(operations.map((operation) => operation.value)).toContain(menu?.default);
		}
	});

	it.each(['kuaidaili', 'kuaidailiTool'])(
		'has under %s on the canvas what the operation does',
		(type) => {
			for (const { name, displayOptions, options } of description.properties) {
				if (name !== 'operation') continue;
				for (const { value, action } of (options ?? []).filter(isOption)) {
					const parameters = {
						resource: String(displayOptions?.show?.resource?.[0]),
						operation: String(value),
					};
					expect(action).toMatch(/./);
					expect(subtitleOf(type, parameters)).toBe(action);
				}
			}
			expect(subtitleOf(type, { resource: 'proxy', operation: 'unknown' })).toBeUndefined();
		},
	);

	it('has under the trigger on the canvas what starts the workflow, as the editor names it', () => {
		const menu = trigger.properties.find(({ name }) => name === 'event');
		for (const { name, value } of choices(menu)) {
			const parameters = { event: String(value) };
			const node = new builtPackage.KuaidailiTrigger();
			expect(subtitleOf('kuaidailiTrigger', parameters, node)).toBe(name);
		}
	});

	it('offers the node to AI agents as a tool', () => {
		expect(description.usableAsTool).toBe(true);
	});

	it('names the test of the credential, and the node has it', () => {
		const [{ name, required, testedBy }] = description.credentials ?? [];
		expect({ name, required }).toEqual({ name: credential.name, required: true });
		expect(Object.keys(methods.credentialTest)).toContain(testedBy);
	});

	it.each([
		['node', description],
		['trigger', trigger],
		['credential', credential],
	])('is English in the %s, but for the name of Kuaidaili in the description', (_name, part) => {
		const texts = shownTexts(part);
		expect(texts.length).toBeGreaterThan(10);
		const withoutBrand = texts.map((text) => text.replace('(快代理)', ''));
		expect(withoutBrand.filter((text) => /\p{Script=Han}/u.test(text))).toEqual([]);
	});

	it('says first to which operation a field belongs, as n8n stops at a value from an expression', () => {
		const conditions = description.properties.flatMap(({ displayOptions: { show } = {} }) =>
			show === undefined || !('operation' in show) ? [] : [Object.keys(show)],
		);
		expect(conditions.length).toBeGreaterThan(100);
		for (const names of conditions) expect(names.slice(0, 2)).toEqual(['resource', 'operation']);
	});

	it('fills in by itself what the editor shows, and that can be run', () => {
		const node = {
			id: '1',
			name: 'n',
			type: 'kuaidaili',
			typeVersion: 1,
			position,
			parameters: {},
		};
		expect(
			NodeHelpers.getNodeParameters(description.properties, {}, true, false, node, description),
		).toEqual({
			resource: 'page',
			operation: 'open',
			orderid: picked(''),
			product: 'DPS',
			url: '={{ $json.url }}',
			responseFormat: 'autodetect',
			options: {},
		});
	});

	it('keeps icons, credential and node together under the names of the package', () => {
		expect(description.name).toBe('kuaidaili');
		expect(credential.name).toBe('kuaidailiApi');
		expect(builtPackage.Kuaidaili.name).toBe('Kuaidaili');
		expect(builtPackage.KuaidailiApi.name).toBe('KuaidailiApi');
	});
});

describe('the description of the credential', () => {
	it('can be used by the HTTP Request node: what signs is a property of the object itself', () => {
		expect(Object.hasOwn(credential, 'authenticate')).toBe(true);
	});

	it('hides the keys, and has one hidden field for the token', () => {
		const hidden = credential.properties.filter(({ typeOptions }) => typeOptions?.password);
		expect(hidden.map(({ name }) => name)).toEqual(['secretKey', 'secretToken']);
		const expirable = credential.properties.filter(({ typeOptions }) => typeOptions?.expirable);
		expect(expirable).toEqual([
			expect.objectContaining({ name: 'secretToken', type: 'hidden', default: '' }),
		]);
	});

	it("starts with the service's own hosts, over https", () => {
		const hosts = credential.properties.filter(({ name }) => name.endsWith('Url'));
		expect(hosts.map((property) => property.default)).toEqual([
			'https://dev.kdlapi.com',
			'https://dps.kdlapi.com',
			'https://kps.kdlapi.com',
			'https://tps.kdlapi.com',
			'https://fps.kdlapi.com',
			'https://svip.kdlapi.com',
			'https://auth.kdlapi.com',
		]);
	});
});

describe("n8n's own entry for custom calls", () => {
	it.each<[resource: string, operation: string]>([
		['proxy', '__CUSTOM_API_CALL__'],
		['proxy', 'steal'],
		['proxy', 'constructor'],
	])('%s, %s ends in an error that says what to use', async (resource, operation) => {
		const { error, status } = await bed().engine.run({
			credentialId: bed().addCredential(bed().newOrder().keys),
			parameters: { resource, operation },
		});
		expect(status).toBe('error');
		expect(error?.name).toBe('NodeOperationError');
		expect(error?.message).toBe(`This node has no operation '${operation}' for '${resource}'`);
		expect(error?.description).toContain('HTTP Request node');
		expect(bed().sandbox.log.count()).toBe(0);
	});

	it.each(['__CUSTOM_API_CALL__', 'unknown'])(
		'%s as resource ends in an error',
		async (resource) => {
			const { error, status } = await bed().engine.run({
				credentialId: bed().addCredential(bed().newOrder().keys),
				parameters: { resource, operation: resource },
			});
			expect(status).toBe('error');
			expect(error?.message).toContain(`for '${resource}'`);
			expect(error?.description).toContain('HTTP Request node');
			expect(bed().sandbox.log.count()).toBe(0);
		},
	);
});

const SIGN_TYPES = ['hmacsha1', 'token'] as const;
const PROBES = ['/api/getaccountbalance', '/api/getorderexpiretime'];

const { bed } = useWorkbench();

/** Whatever else it says: no key and no token, in no form in which they are sent. */
function expectNoSecret({ message }: INodeCredentialTestResult, { secretKey }: KeyPair): void {
	expect(message).not.toContain(secretKey);
	expect(message).not.toContain(encodeURIComponent(secretKey));
	expect(message).not.toMatch(/signature=(?!\[hidden\])/);
}

async function test(
	keys: KeyPair,
	changes: ICredentialDataDecryptedObject = {},
	on: TestBed = bed(),
): Promise<INodeCredentialTestResult> {
	const result = await on.engine.testCredential(on.credentialData(keys, changes));
	expectNoSecret(result, keys);
	return result;
}

const account = { keyType: 'account' };
const order = { keyType: 'order' };

describe.each(SIGN_TYPES)('with sign type %s', (signType) => {
	it('the key pair of an account is right', async () => {
		const { keys } = bed().newAccount();
		expect(await test(keys, { ...account, signType })).toEqual({
			status: 'OK',
			message: expect.stringMatching(/./),
		});
		expect(bed().sandbox.log.last()).toMatchObject({ path: PROBES[0], code: 0 });
	});

	it.each<PlanName>(['regular', 'vip', 'svip'])(
		'the key pair of a %s order is right',
		async (plan) => {
			const { keys } = bed().newOrder(plan);
			expect(await test(keys, { ...order, signType })).toMatchObject({ status: 'OK' });
			expect(bed().sandbox.log.last()).toMatchObject({ path: PROBES[1], code: 0 });
		},
	);

	it('a wrong Secret ID is told with what to do', async () => {
		for (const keyType of ['account', 'order']) {
			const keys = { ...bed().newAccount().keys, secretId: 'not-there' };
			const { status, message } = await test(keys, { keyType, signType });
			expect(status).toBe('Error');
			expect(message).toContain("'Secret ID'");
		}
	});

	it.each([
		['t12926732052681', true],
		['d2964279696', true],
		['t2964279696-period-0.5-sid-s01', true],
		['o80lpir3hq1kug37tb5i', false],
		['t1abcdefg', false],
	])('%s in place of a Secret ID is told to be the login of a proxy: %s', async (secretId, is) => {
		for (const keyType of ['account', 'order']) {
			const { message } = await test(
				{ ...bed().newAccount().keys, secretId },
				{ keyType, signType },
			);
			const told = message.includes(
				'looks like the login of a proxy; the key pair is on the API key management page',
			);
			expect(told).toBe(is);
		}
	});

	it('a wrong Secret Key is told with what to do', async () => {
		const keys = { ...bed().newOrder().keys, secretKey: 'not-the-right-key' };
		const { status, message } = await test(keys, { ...order, signType });
		expect(status).toBe('Error');
		expect(message).toMatch(/Copy 'Secret ID' and 'Secret Key' again/);
	});

	it('a machine that the account does not admit is told to be put on the whitelist', async () => {
		const { keys } = bed().newAccount({ apiWhitelist: ['10.0.0.1'] });
		const { status, message } = await test(keys, { ...account, signType });
		expect(status).toBe('Error');
		expect(message).toMatch(/Add the public IP address .* to the API whitelist/);
		expect(message).toContain('(code -108)');
	});

	it('an order that has expired is not in order', async () => {
		const { status, message } = await test(bed().sandbox.keys.opsExpired, { ...order, signType });
		expect(status).toBe('Error');
		expect(message).toMatch(/does not exist or has expired/);
	});

	it('keys that were copied with white space around them are right', async () => {
		const { secretId, secretKey } = bed().newOrder().keys;
		const result = await test(
			{ secretId: ` ${secretId}`, secretKey: `${secretKey}\n` },
			{ ...order, signType },
		);
		expect(result.status).toBe('OK');
	});

	it('a page with status 200 is no success', async () => {
		for (const path of PROBES) bed().sandbox.faults.add({ kind: 'html', path });
		for (const keyType of ['account', 'order']) {
			const { keys } = keyType === 'account' ? bed().newAccount() : bed().newOrder();
			const { status, message } = await test(keys, { keyType, signType });
			expect(status).toBe('Error');
			expect(message).toContain('The response began with: Maintenance Back soon');
		}
	});

	it.each<[name: string, fault: Fault, words: RegExp]>([
		['is not there', { kind: 'status', status: 503 }, /unavailable .*503.*try again/i],
		['answers nothing', { kind: 'raw', body: '' }, /is empty/],
		['greets in words', { kind: 'raw', body: 'Please log in to this network' }, /Please log in/],
		['sends half an answer', { kind: 'halfBody' }, /not valid JSON/],
		['cuts the connection', { kind: 'cut' }, /was lost before the whole response arrived/],
		[
			'has a fault of its own',
			{ kind: 'code', code: -109 },
			/went wrong on Kuaidaili's side.*code -109/,
		],
		['answers a code that is not known', { kind: 'code', code: -777, msg: '怪' }, /code -777: 怪/],
		['answers another success than 0', { kind: 'code', code: 1, msg: 'ok' }, /code 1: ok/],
	])('a service that %s is told', async (_name, fault, words) => {
		bed().sandbox.faults.add({ ...fault, path: PROBES[0] });
		const { status, message } = await test(bed().newAccount().keys, { ...account, signType });
		expect(status).toBe('Error');
		expect(message).toMatch(words);
	});

	it.each([301, 302, 303, 307, 308])('a redirect by %i is not followed', async (redirect) => {
		const path = signType === 'token' ? API.get_secret_token : PROBES[0];
		const location = `${bed().sandbox.hosts.baseUrl}${path}`;
		bed().sandbox.faults.add({ kind: 'status', status: redirect, location, path });
		const { status, message } = await test(bed().newAccount().keys, { ...account, signType });
		expect(status).toBe('Error');
		expect(message).toContain(`HTTP status ${redirect}`);
		expect(bed().sandbox.log.count(path)).toBe(1);
	});

	it('hosts where nobody listens are told', async () => {
		const nowhere = { baseUrl: 'http://localhost:1', authUrl: 'http://localhost:1' };
		const { status, message } = await test(bed().newAccount().keys, {
			...account,
			signType,
			...nowhere,
		});
		expect(status).toBe('Error');
		expect(message).toMatch(/localhost:1 refused the connection.*hosts in the credential/);
	});
});

it('an account that takes no tokens is told to choose the other sign type', async () => {
	const { keys } = bed().newAccount({ requiresHmacSha1: true });
	const { status, message } = await test(keys, { ...account, signType: 'token' });
	expect(status).toBe('Error');
	expect(message).toMatch(/Set 'Sign Type' in the credential to 'HMAC-SHA1'.*code -121/);
	expect(await test(keys, { ...account, signType: 'hmacsha1' })).toMatchObject({ status: 'OK' });
});

it('a wrong Secret Key is not sent, and the token that was fetched is not told', async () => {
	const { keys } = bed().newAccount();
	const token = bed().sandbox.tokens.obtain(keys.secretId).value;
	bed().sandbox.faults.add({
		kind: 'status',
		status: 502,
		path: PROBES[0],
		body: `/api/getaccountbalance?signature=${token}`,
	});
	const { message } = await test(keys, { ...account, signType: 'token' });
	expect(message).toContain('signature=[hidden]');
	expect(message).not.toContain(token);
});

it('the stored token has no part in it: the key pair itself is tested', async () => {
	const { keys } = bed().newOrder();
	const credentialId = bed().addCredential(keys, { signType: 'token' });
	await bed().extract({ credentialId });
	const data = { ...bed().engine.credentials.data(credentialId), secretKey: 'a-wrong-key' };
	const { status, message } = await bed().engine.testCredential(data);
	expect(status).toBe('Error');
	expect(message).toContain('code -2');
});

async function withFaults(
	...faults: readonly Fault[]
): Promise<INodeCredentialTestResult & { requests: number }> {
	const other = await TestBed.start();
	for (const fault of faults) other.sandbox.faults.add({ path: PROBES[0], ...fault });
	const result = await test(other.newAccount().keys, account, other);
	const requests = other.sandbox.log.count(PROBES[0]);
	await other.close();
	return { ...result, requests };
}

describe('the wrong kind of key pair', () => {
	const ofWrongKeyCode = (wrongKeyCode: NonNullable<SandboxOptions['wrongKeyCode']>) => {
		const { bed: other } = useWorkbench({ wrongKeyCode });
		describe.each([
			[
				'an order key called an account key',
				account,
				/belongs to an order.*Set 'Key Type' to 'Order'/,
			],
			[
				'an account key called an order key',
				order,
				/belongs to the account.*Set 'Key Type' to 'Account'/,
			],
		])('is told for %s', (_which, called, words) => {
			it.each(SIGN_TYPES)('with sign type %s', async (signType) => {
				const { keys } = called === account ? other().newOrder() : other().newAccount();
				const { status, message } = await test(keys, { ...called, signType }, other());
				expect(status).toBe('Error');
				expect(message).toMatch(words);
			});
		});
	};

	it.each([
		['account', account, PROBES[0], /belongs to an order/],
		['order', order, PROBES[1], /belongs to the account/],
	])(
		"is told where the service doesn't know it as that of an %s",
		async (_what, called, path, words) => {
			const { keys } = called === account ? bed().newOrder() : bed().newAccount();
			const body = JSON.stringify({ code: -102, msg: '', data: '' });
			bed().sandbox.faults.add({ kind: 'raw', body, contentType: 'application/json', path });
			const { status, message } = await test(keys, called);
			expect(status).toBe('Error');
			expect(message).toMatch(words);
		},
	);

	describe('by the common code', () => ofWrongKeyCode('common'));
	describe("by the endpoint's own code", () => ofWrongKeyCode('endpoint'));
});

describe('a credential that cannot be used', () => {
	it.each<[name: string, changes: ICredentialDataDecryptedObject, words: string]>([
		['an empty Secret Key', { secretKey: ' ' }, "'Secret Key' in the credential is empty"],
		['a host that is no address', { authUrl: 'auth' }, "'Token URL' in the credential"],
	])('because of %s is told before anything is sent', async (_name, changes, words) => {
		const { keys } = bed().newAccount();
		const { status, message } = await bed().engine.testCredential(
			bed().credentialData(keys, changes),
		);
		expect(status).toBe('Error');
		expect(message).toContain(words);
		expect(bed().sandbox.log.count()).toBe(0);
	});

	it('because nothing is filled in is told', async () => {
		expect(await bed().engine.testCredential({})).toMatchObject({ status: 'Error' });
	});
});

describe('what has to be waited for', () => {
	it.each([
		['behind', 3600],
		['ahead', -1800],
	])('a clock that is %s is no verdict: Kuaidaili says what time it is', async (_name, seconds) => {
		const { status, requests } = await withFaults({ kind: 'clockOffset', seconds });
		expect(status).toBe('OK');
		expect(requests).toBe(2);
	});

	it.each([
		['behind', 3600, /The clock of this machine is (1 hour|59 minutes 5\d seconds) behind/],
		[
			'ahead',
			-1800,
			/The clock of this machine is (30 minutes|29 minutes 5\d seconds)( \d second)? ahead/,
		],
	])('a clock that stays %s is told with how far', async (_name, seconds, words) => {
		const { status, message, requests } = await withFaults(
			{ kind: 'dateOffset', seconds },
			{ kind: 'code', code: -112 },
		);
		expect(status).toBe('Error');
		expect(message).toMatch(words);
		expect(message).toMatch(/Correct the clock/);
		expect(requests).toBe(2);
	});

	it('an answer that says "too fast" is not the verdict', async () => {
		const { status, requests } = await withFaults({ kind: 'code', code: -120, times: 1 });
		expect(status).toBe('OK');
		expect(requests).toBe(2);
	});

	it('a service that never answers is given up', async () => {
		const { status, message } = await withFaults({ kind: 'hang' });
		expect(status).toBe('Error');
		expect(message).toMatch(/did not answer within 15 seconds/);
	}, 25_000);
});

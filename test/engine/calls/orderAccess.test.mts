import { inspect } from 'node:util';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { credentialData } from '../../../harness/credentials.mts';
import { DAY } from '../../durations.mts';
import { shareOf, triesAll } from '../../fullMatrices.mts';
import { CASES, pathOf, type Way } from '../../operations/index.mts';
import { parametersOf, proveOutcome, worldOf } from '../../operations/outcome.mts';
import { type By, ownParameters, type World } from '../../operations/world.mts';
import { uniqueKeys } from '../../uniqueName.mts';
import { until } from '../../virtualTime.mts';
import { API } from '../support/api.mts';
import { Customer, picked, typed } from '../support/customer.mts';
import type { RunResult, RunSettings } from '../support/engine.mts';
import { succeeded } from '../support/results.mts';
import { type ScriptedService, startScriptedService } from '../support/scriptedService.mts';
import { sleep } from '../support/sleep.mts';
import { useWorkbench } from '../support/workbench.mts';

const { bed, customer: me } = useWorkbench();

const ENABLE = { resource: 'autoRenewal', operation: 'enable' };

/** The plainest way of each operation on an order. */
const ON_ORDERS = CASES.filter(
	({ operation, theCase }) => operation.key === 'order' && theCase === operation.cases[0],
).map((way, row) => ({ name: way.operation.name, way, path: pathOf(way), row }));

/** Somebody who is about to go that way, with one of the key pairs. */
function worldBy(by: By, way: Way): World {
	return worldOf({ ...way, by }, bed().sandbox);
}

async function runIn(
	way: Way,
	world: World,
	fields: IDataObject,
	settings: Partial<RunSettings> = {},
): Promise<RunResult> {
	return await bed().engine.run({
		credentialId: bed().addCredential(world.keys, { keyType: world.by }),
		...settings,
		parameters: { ...parametersOf(way, world), ...fields } as IDataObject,
	});
}

/** With which key pairs the calls to a path were made. */
function keysAt(path: string): string[] {
	return bed()
		.sandbox.log.entries(path)
		.map(({ parameters }) => parameters.secret_id);
}

const WAYS: ReadonlyArray<[how: string, field: (orderId: string) => IDataObject[string]]> = [
	['picked from the list', picked],
	['given by its number', typed],
	['an expression beside the list', () => typed('={{ $json.orderid }}')],
	['an expression in place of the field', () => '={{ $json.orderid }}'],
];

const NO_NUMBERS: ReadonlyArray<[what: string, field: IDataObject[string]]> = [
	['nothing', typed('')],
	['an expression that gives nothing', typed('={{ $json.none }}')],
	['a number that has lost digits', typed('={{ 9900000000000001 }}')],
];

describe.each(ON_ORDERS)('$name with the key pair of the account', ({ way, path, row }) => {
	const byAccount: Way = { ...way, by: 'account' };

	it.each(shareOf(WAYS, WAYS.length / 2, row))(
		'reaches an order that is %s',
		async (_how, field) => {
			const world = worldBy('account', way);
			const { orderId, keys } = world.theOrder;
			const items = [{ orderid: orderId }];
			const { settings } = way.operation;
			const run = await runIn(way, world, { orderid: field(orderId) }, { items, settings });
			proveOutcome(byAccount, world, {
				records: succeeded(run),
				hints: run.hints.map(({ message }) => message),
			});
			expect(bed().sandbox.log.entries(API.getordersecret).map(ownParameters)).toEqual([
				{ orderid: orderId },
			]);
			expect(keysAt(API.getordersecret)).toEqual([world.account.keys.secretId]);
			expect(new Set(keysAt(path))).toEqual(new Set([keys.secretId]));
		},
	);

	// The token of an order is fetched by one function
	if (triesAll || row % 4 === 0)
		it('reaches it with tokens, which are stored nowhere', async () => {
			const world = worldBy('account', way);
			const { account, theOrder } = world;
			const credentialId = bed().addCredential(account.keys, {
				keyType: 'account',
				signType: 'token',
			});
			const run = await runIn(way, world, {}, { credentialId, settings: way.operation.settings });
			expect(run.error).toBeUndefined();
			expect(bed().sandbox.log.count(API.get_secret_token)).toBe(2);
			const tokens = {
				account: bed().sandbox.tokens.obtain(account.keys.secretId).value,
				order: bed().sandbox.tokens.obtain(theOrder.keys.secretId).value,
			};
			expect(bed().sandbox.log.last(path)?.parameters).toMatchObject({
				secret_id: theOrder.keys.secretId,
				// A purchase is signed whatever the sign type, and the order is looked at with its token
				...(path === '/api/reneworder'
					? { sign_type: 'hmacsha1' }
					: { sign_type: 'token', signature: tokens.order }),
			});
			const stored = JSON.stringify([...bed().engine.credentials.stored.values()]);
			for (const secret of Object.values(tokens)) {
				expect(stored).not.toContain(secret);
				expect(run.saved).not.toContain(secret);
			}
			expect(stored).not.toContain(theOrder.keys.secretKey.concat('"'));
		});

	it('asks for an order where none is chosen, and sends nothing', async () => {
		const { error } = await runIn(way, worldBy('account', way), { orderid: picked('') });
		expect(error?.message).toBe("'Order' is empty");
		expect(error?.description).toContain('Choose an order from the list, or enter its number');
		expect(bed().sandbox.log.count()).toBe(0);
	});

	it.each(shareOf(NO_NUMBERS, NO_NUMBERS.length, row))(
		'refuses %s as number, and sends nothing',
		async (_what, orderid) => {
			const { error } = await runIn(way, worldBy('account', way), { orderid });
			expect(error?.message).toMatch(/^'Order' (is empty|can't be .*)$/);
			expect(bed().sandbox.log.count()).toBe(0);
		},
	);

	const unreached: ReadonlyArray<[string, () => string]> = [
		['that nobody has', () => '123456789012345'],
		['of another account', () => worldBy('order', way).theOrder.orderId],
	];

	it.each(shareOf(unreached, 2, row))('does not reach an order %s', async (_whose, orderOf) => {
		const world = worldBy('account', way);
		const orderId = orderOf();
		const { error, items } = await runIn(way, world, { orderid: picked(orderId) });
		expect(items).toEqual([]);
		expect(error?.message).toBe(`Order ${orderId} isn't one of the account's orders`);
		expect(error).toMatchObject({ httpCode: '-2' });
		expect(bed().sandbox.log.count('/api/getordersecret')).toBe(1);
		expect(bed().sandbox.log.count(path)).toBe(0);
	});
});

// One function decides it for all
describe.each(shareOf(ON_ORDERS, 4, 0))('$name with the key pair of an order', ({ way, path }) => {
	it.each<[string, IDataObject]>([
		['nothing in the list', { orderid: picked('') }],
		['no such field, as in a workflow from before', {}],
	])('is about that order with %s', async (_what, field) => {
		const world = worldBy('order', way);
		const { error } = await runIn(way, world, field, { settings: way.operation.settings });
		expect(error).toBeUndefined();
		expect(new Set(keysAt(path))).toEqual(new Set([world.theOrder.keys.secretId]));
		expect(bed().sandbox.log.count(API.getordersecret)).toBe(0);
	});

	it.each(['itself', 'another one'])('is refused for %s by its number', async (which) => {
		const world = worldBy('order', way);
		const { orderId } = which === 'itself' ? world.theOrder : worldBy('order', way).theOrder;
		const { error } = await runIn(way, world, { orderid: typed(orderId) });
		expect(error?.message).toBe(`'Order' can't be "${orderId}"`);
		expect(error?.description).toContain('Leave the field empty');
		expect(bed().sandbox.log.count()).toBe(0);
	});
});

describe('the key pair of an order', () => {
	it('is fetched once for all items with that order', async () => {
		const [first, second] = [me.tunnel(), me.tunnel()];
		const items = [first, second, first, second].map(({ orderId }) => ({ orderid: orderId }));
		const orderid = typed('={{ $json.orderid }}');
		const run = await me.run({ ...ENABLE, orderid }, { items });
		expect(succeeded(run).map((record) => record.orderid)).toEqual(
			items.map((item) => item.orderid),
		);
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual(
			items.map((_item, index) => ({ item: index })),
		);
		expect(bed().sandbox.log.count(API.getordersecret)).toBe(2);
	});

	it('is fetched once for executions that start at once, and again for a later one only after a day', async () => {
		const { orderId } = me.tunnel();
		const parameters = { resource: 'order', operation: 'get', orderid: picked(orderId) };
		const runs = await Promise.all(Array.from({ length: 10 }, () => me.run(parameters)));
		expect(runs.map((run) => succeeded(run)[0].orderid)).toEqual(runs.map(() => orderId));
		expect(bed().sandbox.log.count(API.getordersecret)).toBe(1);
		const started = performance.now.bind(performance);
		const clock = jest.spyOn(performance, 'now');
		const fetchedAfter = async (milliseconds: number): Promise<number> => {
			clock.mockImplementation(() => started() + milliseconds);
			await sleep(1100);
			succeeded(await me.run(parameters));
			return bed().sandbox.log.count(API.getordersecret);
		};
		try {
			expect(await fetchedAfter(DAY - 60_000)).toBe(1);
			expect(await fetchedAfter(DAY + 1000)).toBe(2);
		} finally {
			clock.mockRestore();
		}
	});

	it('that one account was given is given to no other credential', async () => {
		const { orderId } = me.tunnel();
		succeeded(await me.run({ ...ENABLE, orderid: picked(orderId) }));
		const { error } = await new Customer(bed()).run({ ...ENABLE, orderid: picked(orderId) });
		expect(error).toMatchObject({ httpCode: '-2' });
		const wrong = bed().addCredential(
			{ ...me.account.keys, secretKey: 'wrong' },
			{ keyType: 'account' },
		);
		await sleep(1100);
		const run = await me.run({ ...ENABLE, orderid: picked(orderId) }, { credentialId: wrong });
		expect(run.error).toMatchObject({ httpCode: '-104' });
	});

	it('that one host gave is not used for another', async () => {
		const parameters = { ...ENABLE, orderid: picked(me.tunnel().orderId) };
		succeeded(await me.run(parameters));
		const { dpsUrl } = bed().sandbox.hosts;
		const elsewhere = bed().addCredential(me.account.keys, {
			keyType: 'account',
			dpsUrl: `${dpsUrl}/`,
		});
		const another = bed().addCredential(me.account.keys, {
			keyType: 'account',
			dpsUrl: dpsUrl.replace('127.0.0.1', 'localhost'),
		});
		for (const credentialId of [elsewhere, another]) {
			await sleep(1100);
			succeeded(await me.run(parameters, { credentialId }));
		}
		expect(bed().sandbox.log.count(API.getordersecret)).toBe(2);
	});

	it('is waited for no longer by an execution that is cancelled while another one fetches it', async () => {
		const parameters = { ...ENABLE, orderid: picked(me.tunnel().orderId) };
		bed().sandbox.faults.add({ kind: 'delay', ms: 2500, path: API.getordersecret, times: 1 });
		const first = me.run(parameters);
		await until(() => bed().sandbox.log.count(API.getordersecret) === 1);
		const begin = performance.now();
		const second = await me.run(parameters, { cancelWhen: sleep(200) });
		expect(performance.now() - begin).toBeLessThan(1000);
		expect(second.status).not.toBe('success');
		expect(succeeded(await first)).toHaveLength(1);
		expect(bed().sandbox.log.count(API.setautorenew)).toBe(1);
	});
});

describe('an answer that contains no key pair for the order', () => {
	const KEY = 'the-key-of-the-order';

	it('is told without its beginning', async () => {
		const body = JSON.stringify({ code: 0, data: { secret_key: KEY } });
		bed().sandbox.faults.add({ kind: 'raw', body, path: API.getordersecret });
		const { orderId } = me.tunnel();
		const run = await me.run({ ...ENABLE, orderid: picked(orderId) });
		expect(run.error?.message).toMatch(/contains no key pair for the order/);
		const told = `${run.error?.message} ${run.error?.description}`;
		expect(told).toMatch(new RegExp(`key pair (?:for|of) order ${orderId}\\b`));
		expect(run.error?.description).not.toContain('began with');
		expect(run.saved + inspect(run, { depth: 12, showHidden: true })).not.toContain(KEY);
		expect(bed().sandbox.log.count(API.setautorenew)).toBe(0);
	});
});
const REDIRECTS = [302, 307] as const;
const METHODS = ['GET', 'POST'] as const;

interface Sent {
	readonly method: (typeof METHODS)[number];
	readonly url: string;
	readonly fields?: IDataObject;
}

type Send = (context: IExecuteFunctions, request: Sent) => Promise<unknown>;

const HELPERS: Readonly<Record<string, Send>> = {
	'the HTTP Request node': async (context, { method, url, fields }) =>
		await context.helpers.requestWithAuthentication.call(
			context,
			'kuaidailiApi',
			{
				method,
				uri: url,
				form: fields,
				// As version 4.2 of the node asks when nothing is set in its options
				gzip: true,
				rejectUnauthorized: true,
				followRedirect: true,
				followAllRedirects: true,
				maxRedirects: undefined,
				sendCredentialsOnCrossOriginRedirect: true,
				resolveWithFullResponse: true,
				json: false,
				encoding: null,
			},
			undefined,
			0,
		),
	'another node': async (context, { method, url, fields }) =>
		await context.helpers.httpRequestWithAuthentication.call(context, 'kuaidailiApi', {
			method,
			url,
			body: fields,
			headers: fields && { 'content-type': 'application/x-www-form-urlencoded' },
			maxRedirects: 5,
			sendCredentialsOnCrossOriginRedirect: true,
			returnFullResponse: true,
		}),
};

/** What came back, or the error. */
async function send(credentialId: string, helper: string, request: Sent): Promise<unknown> {
	let result: unknown;
	await bed().engine.run({
		credentialId,
		parameters: {},
		async agent(context) {
			result = await HELPERS[helper](context, request).catch((error: unknown) => error);
		},
	});
	return result;
}

/** A server that notes what comes to it. */
async function startServer(status = 200, location?: string): Promise<ScriptedService> {
	const headers: Record<string, string> = location === undefined ? {} : { location };
	return await startScriptedService(() => ({ status, headers, body: '{"code":0}' }));
}

describe.each(Object.keys(HELPERS))('a request of %s', (helper) => {
	it.each(REDIRECTS.flatMap((status) => METHODS.map((method) => [status, method] as const)))(
		'does not follow a %d after %s to another host',
		async (status, method) => {
			const foreign = await startServer();
			const service = await startServer(status, `${foreign.hosts.baseUrl}/collect`);
			const data = credentialData(service.hosts, uniqueKeys(), 'order');
			const result = await send(bed().engine.addCredential(data), helper, {
				method,
				url: `${service.hosts.baseUrl}${API.getorderexpiretime}`,
				...(method === 'POST' && { fields: { num: '1' } }),
			});
			expect(service.calls.map(({ parameters }) => parameters)).toEqual([
				expect.objectContaining({ signature: expect.any(String) }),
			]);
			expect(foreign.calls).toEqual([]);
			expect(result).toBeInstanceOf(Error);
		},
	);

	it.each(METHODS)('that fails after %s leaves no signature in what n8n saves', async (method) => {
		const service = await startServer(500);
		const keys = uniqueKeys();
		const data = credentialData(service.hosts, keys, 'order');
		const error = await send(bed().engine.addCredential(data), helper, {
			method,
			url: `${service.hosts.baseUrl}${API.getorderexpiretime}`,
			...(method === 'POST' && { fields: { num: '1' } }),
		});
		expect(error).toBeInstanceOf(Error);
		const { signature } = service.calls[0].parameters;
		expect(signature).toMatch(/=$/);
		const saved = JSON.stringify(error);
		for (const text of ['signature', signature, keys.secretKey]) {
			expect(saved).not.toContain(text);
			expect(saved).not.toContain(encodeURIComponent(text));
		}
	});

	it('succeeds with sign type Token after the service forgot the token', async () => {
		const { keys } = bed().newOrder();
		const credentialId = bed().addCredential(keys, { signType: 'token' });
		expect((await bed().extract({ credentialId })).error).toBeUndefined();
		bed().sandbox.tokens.expireAll(keys.secretId);
		await send(credentialId, helper, {
			method: 'GET',
			url: `${bed().sandbox.hosts.baseUrl}${API.getorderexpiretime}`,
		});
		expect(bed().sandbox.log.last(API.getorderexpiretime)).toMatchObject({
			code: 0,
			parameters: { sign_type: 'hmacsha1' },
		});
	});
});

import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import type { IDataObject } from 'n8n-workflow';

import type { Fault, KeyPair } from '../../../sandbox/sandbox.mts';
import { shareOf } from '../../fullMatrices.mts';
import { CASES, pathOf, type Way } from '../../operations/index.mts';
import { parametersOf, proveOutcome, worldOf } from '../../operations/outcome.mts';
import type { By, World } from '../../operations/world.mts';
import type { RunResult, RunSettings } from '../support/engine.mts';
import { logFile } from '../support/environment.mts';
import { ORDER_KEYS, picked, records, typed } from '../support/owner.mts';
import { ownParameters } from '../support/ownParameters.mts';
import { TOKENS, uniqueName } from '../support/testBed.mts';
import { until } from '../../virtualTime.mts';
import { AUTO_RENEWAL, bed, ENABLE, owner } from './chosenOrder.mts';

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
	['given by its number with spaces', (orderId) => typed(` ${orderId}\n`)],
	['an expression beside the list', () => typed('={{ $json.orderid }}')],
	['a number from an expression', () => typed('={{ Number($json.orderid) }}')],
	['an expression in place of the field', () => '={{ $json.orderid }}'],
];

const NO_NUMBERS: ReadonlyArray<[what: string, field: IDataObject[string]]> = [
	['nothing', typed('')],
	['an expression that gives nothing', typed('={{ $json.none }}')],
	['a word', typed('mine')],
	['a number that has lost digits', typed('={{ 9900000000000001 }}')],
	['a list', typed('={{ [1] }}')],
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
				records: records(run),
				hints: run.hints.map(({ message }) => message),
			});
			expect(bed().sandbox.log.entries(ORDER_KEYS).map(ownParameters)).toEqual([
				{ orderid: orderId },
			]);
			expect(keysAt(ORDER_KEYS)).toEqual([world.account.keys.secretId]);
			expect(new Set(keysAt(path))).toEqual(new Set([keys.secretId]));
		},
	);

	it('reaches it with tokens, which are stored nowhere', async () => {
		const world = worldBy('account', way);
		const { account, theOrder } = world;
		const credentialId = bed().addCredential(account.keys, {
			keyType: 'account',
			signType: 'token',
		});
		const run = await runIn(way, world, {}, { credentialId, settings: way.operation.settings });
		expect(run.error).toBeUndefined();
		expect(bed().sandbox.log.count(TOKENS)).toBe(2);
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

describe.each(ON_ORDERS)('$name with the key pair of an order', ({ way, path }) => {
	it.each<[string, IDataObject]>([
		['nothing in the list', { orderid: picked('') }],
		['no such field, as in a workflow from before', {}],
	])('is about that order with %s', async (_what, field) => {
		const world = worldBy('order', way);
		const { error } = await runIn(way, world, field, { settings: way.operation.settings });
		expect(error).toBeUndefined();
		expect(new Set(keysAt(path))).toEqual(new Set([world.theOrder.keys.secretId]));
		expect(bed().sandbox.log.count(ORDER_KEYS)).toBe(0);
	});

	it.each(['itself', 'another one'])('is refused for %s by its number', async (which) => {
		const world = worldBy('order', way);
		const { orderId } = which === 'itself' ? world.theOrder : worldBy('order', way).theOrder;
		const { error } = await runIn(way, world, { orderid: typed(orderId) });
		expect(error?.message).toBe(`'Order' can't be "${orderId}"`);
		expect(error?.description).toContain('Leave the field empty');
		expect(bed().sandbox.log.count()).toBe(0);
	});

	it('is refused by a number that is missing', async () => {
		const { error } = await runIn(way, worldBy('order', way), { orderid: typed('') });
		expect(error?.message).toMatch(/^'Order' (?:is empty|can't be )/);
		expect(error?.description).toContain("choose 'From list'");
		expect(bed().sandbox.log.count()).toBe(0);
	});
});

describe('the secrets of an order', () => {
	const SECRET_KEY = 'k3y-of-the-order/with+marks=';
	const SIGN_TYPES = ['hmacsha1', 'token'] as const;
	const SETTINGS = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;

	function appearances(secret: string): string[] {
		const bytes = Buffer.from(secret);
		return [secret, encodeURIComponent(secret), bytes.toString('base64'), bytes.toString('hex')];
	}

	/** What something on the way may repeat of what it has seen. */
	function echoes(secret: string): Fault[] {
		const inJson = JSON.stringify({ code: -3, msg: `bad ${secret}`, data: '' });
		return [
			{ kind: 'raw', path: AUTO_RENEWAL, body: inJson },
			{ kind: 'raw', path: AUTO_RENEWAL, body: JSON.stringify({ code: 0, msg: secret }) },
			{ kind: 'raw', path: AUTO_RENEWAL, body: `text ${secret}` },
			{
				kind: 'status',
				path: AUTO_RENEWAL,
				status: 502,
				body: `GET /?a=${encodeURIComponent(secret)}`,
			},
			{ kind: 'html', path: AUTO_RENEWAL, body: `<html>${secret}</html>` },
		];
	}

	it('are in nothing that is saved, shown, thrown, printed, logged or stored', async () => {
		const printed = (['log', 'info', 'warn', 'error', 'debug'] as const).map((method) =>
			jest.spyOn(console, method),
		);
		const secrets = new Set([SECRET_KEY]);
		const evidence: string[] = [];
		let hidden = 0;

		async function collect(signType: string, faultsFor: (keys: KeyPair, token: string) => Fault[]) {
			for (const onError of SETTINGS) {
				const me = owner({}, { signType });
				const keys = { secretId: uniqueName('id'), secretKey: SECRET_KEY };
				const { orderId } = me.tunnel({ keys });
				const token = bed().sandbox.tokens.obtain(keys.secretId).value;
				secrets.add(token);
				bed().sandbox.faults.clear();
				bed().sandbox.faults.add(...faultsFor(keys, token));
				const run: RunResult = await me.run(
					{ ...ENABLE, orderid: picked(orderId) },
					{ settings: { onError } },
				);
				if (run.saved.includes('[hidden]')) hidden++;
				evidence.push(
					run.saved,
					String(run.error?.stack),
					inspect(run, { depth: 12, showHidden: true, maxStringLength: null }),
					JSON.stringify(bed().engine.credentials.data(me.credentialId)),
				);
			}
		}

		for (const signType of SIGN_TYPES) {
			await collect(signType, () => []);
			for (const index of echoes('').keys()) {
				await collect(signType, ({ secretKey }) => [echoes(secretKey)[index]]);
				if (signType === 'token') await collect(signType, (_keys, token) => [echoes(token)[index]]);
			}
		}
		// All that was written until now is in the log with this
		bed().sandbox.faults.clear();
		bed().sandbox.faults.add({ kind: 'status', path: ORDER_KEYS, status: 503 });
		const last = owner();
		await last.run({ ...ENABLE, orderid: picked(last.tunnel().orderId) });
		const log = () => readFileSync(logFile, 'utf8');
		await until(() => log().includes('HTTP status 503'));
		evidence.push(log(), ...printed.flatMap(({ mock }) => mock.calls).map((line) => inspect(line)));
		for (const spy of printed) spy.mockRestore();

		expect(evidence.length).toBeGreaterThan(150);
		expect(hidden).toBeGreaterThan(20);
		const wanted = [...secrets].flatMap(appearances);
		expect(evidence.filter((text) => wanted.some((secret) => text.includes(secret)))).toEqual([]);
	}, 120_000);
});

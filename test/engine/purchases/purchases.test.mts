import type { IDataObject, INode } from 'n8n-workflow';

import { credentialData } from '../../../harness/credentials.mts';
import {
	newAccount,
	newPrivateProxyOrder,
	newTunnelProxyOrder,
	startSandbox,
	type Account,
	type KeyPair,
	type Sandbox,
} from '../../../sandbox/sandbox.mts';
import { Engine, type RunSettings } from '../support/engine.mts';
import { n8nLogger } from '../support/n8nLogger.mts';
import { NEW_TUNNEL } from '../support/newTunnel.mts';

let sandbox: Sandbox;
const engine = new Engine();
let lastName = 0;

jest.setTimeout(20_000);

beforeAll(async () => {
	sandbox = await startSandbox({ seed: 1, catalogueSize: 1, forwardProxies: false });
});
afterAll(async () => await sandbox.close());
afterEach(() => {
	sandbox.faults.clear();
	sandbox.settings.orderNumbers = '15 digits';
});

/** An account of its own for each test, so that none waits for the pace of another. */
function newRichAccount(settings: Partial<Account> = {}): Account {
	const name = `purchases-${++lastName}`;
	return sandbox.store.addAccount(newAccount(name, { balanceInFen: 1_000_000_00, ...settings }));
}

function credentialFor(keys: KeyPair, keyType: 'account' | 'order'): string {
	return engine.addCredential(credentialData(sandbox.hosts, keys, keyType));
}

async function buy(account: Account, settings: Partial<RunSettings> = {}) {
	const result = await engine.run({
		credentialId: credentialFor(account.keys, 'account'),
		parameters: NEW_TUNNEL,
		...settings,
	});
	const own = ({ secretId }: { secretId: string }) => secretId === account.keys.secretId;
	const requests = sandbox.log
		.entries()
		.filter(({ parameters }) => parameters.secret_id === account.keys.secretId);
	return {
		result,
		payments: sandbox.ledger.entries().filter(own),
		requests,
		/** Those that buy. */
		orders: requests.filter(({ path }) => path === '/api/createorder'),
	};
}

const items = (count: number): IDataObject[] =>
	Array.from({ length: count }, (_none, n) => ({ n }));
const RETRY: Partial<INode> = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

describe('Order: Create', () => {
	it('hints that several items were several purchases, and links each', async () => {
		const { result, payments } = await buy(newRichAccount(), { items: items(3) });
		expect(payments).toHaveLength(3);
		expect(result.items.map(({ json }) => json.orderid)).toEqual(
			payments.map((each) => each.orderId),
		);
		expect(result.items.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
		expect(result.hints.map(({ message }) => message)).toEqual([
			'3 orders were placed for 3 input items.',
		]);
	});

	it('gives no hint about a single purchase', async () => {
		expect((await buy(newRichAccount())).result.hints).toEqual([]);
	});

	it.each([
		['1 by itself', 2, {}, 1],
		['as many as the option says', 3, { maxOrdersPerRun: 2 }, 2],
	])(
		'allows %s, and refuses a larger run before any request',
		async (_name, count, options, max) => {
			const { result, requests } = await buy(newRichAccount(), {
				items: items(count),
				parameters: { ...NEW_TUNNEL, options },
			});
			expect(requests).toEqual([]);
			expect(result.error?.message).toContain(
				`would make ${count} purchases, and 'Max Orders per Run' allows ${max}`,
			);
			expect(result.error?.description).toMatch(/Nothing was bought in this run\.$/);
			expect(result.error?.description).not.toContain('for this item');
			expect(result.error?.description?.match(/Nothing was bought/g)).toHaveLength(1);
		},
	);

	it('buys anew in every run of a loop, and counts them all for the limit', async () => {
		const { result, payments } = await buy(newRichAccount(), {
			runs: 4,
			parameters: { ...NEW_TUNNEL, options: { maxOrdersPerRun: 3 } },
		});
		expect(payments).toHaveLength(3);
		const shown = result.itemsOfRuns.slice(0, 3).map(([item]) => item.json.orderid);
		expect(shown).toEqual(payments.map(({ orderId }) => orderId));
		expect(result.error?.message).toContain(
			"would make 4 purchases, and 'Max Orders per Run' allows 3",
		);
		expect(result.error?.description).toContain('this execution has made 3 of them before');
	}, 15_000);

	it('checks all items before it buys for the first one', async () => {
		const units = [...Array.from({ length: 9 }, () => 'DAY'), 'CENTURY'];
		const { result, requests } = await buy(newRichAccount(), {
			items: units.map((unit) => ({ unit })),
			parameters: { ...NEW_TUNNEL, prepayTimeType: '={{ $json.unit }}' },
		});
		expect(requests).toEqual([]);
		expect(result.error?.message).toContain('CENTURY');
		expect(result.error?.context?.itemIndex).toBe(9);
		expect(result.error?.description).toContain('Nothing was bought in this run.');
	});

	it('fails only the wrong items with the setting "continue"', async () => {
		const { result, payments } = await buy(newRichAccount(), {
			items: [{ unit: 'CENTURY' }, { unit: 'DAY' }, { unit: 'AGE' }],
			parameters: { ...NEW_TUNNEL, prepayTimeType: '={{ $json.unit }}' },
			settings: { onError: 'continueRegularOutput' },
		});
		expect(payments).toHaveLength(1);
		expect(result.items.map(({ json }) => json)).toEqual([
			{ error: expect.stringContaining('CENTURY') },
			expect.objectContaining({ orderid: payments[0].orderId }),
			{ error: expect.stringContaining('AGE') },
		]);
	});

	/** The service refuses what comes after so many purchases. */
	async function refusedAfter(account: Account, count: number, code: number): Promise<void> {
		await until(() => paidBy(account) === count);
		sandbox.faults.add({ kind: 'code', code, path: '/api/createorder', times: 1 });
	}

	it('names the purchases before the item that stops the run', async () => {
		const account = newRichAccount();
		const [{ result, payments }] = await Promise.all([
			buy(account, { items: items(3) }),
			refusedAfter(account, 2, -4),
		]);
		expect(payments).toHaveLength(2);
		expect(result.error?.description).toContain('(code -4)');
		const [first, second] = payments.map(({ orderId }) => orderId);
		expect(result.error?.description).toContain(
			`Bought and paid for in this run: order ${first}, Tunnel Proxy (TPS), Prepaid (item 0); order ${second}, Tunnel Proxy (TPS), Prepaid (item 1).`,
		);
	});

	it('asks again for what was refused, when n8n runs the node again', async () => {
		sandbox.faults.add({ kind: 'code', code: -61, path: '/api/createorder', times: 1 });
		const { result, orders, payments } = await buy(newRichAccount(), { settings: RETRY });
		expect(orders).toHaveLength(2);
		expect(payments).toHaveLength(1);
		expect(result.items.map(({ json }) => json.orderid)).toEqual([payments[0].orderId]);
	});

	it('asks once per try only for what is refused', async () => {
		sandbox.faults.add({ kind: 'code', code: -61, path: '/api/createorder' });
		const { result, orders } = await buy(newRichAccount(), { settings: RETRY });
		expect(orders).toHaveLength(3);
		expect(result.error?.message).toBe('No IPs are available for this order [item 0]');
	});

	it('gives what was bought even if its values have become wrong on the retry', async () => {
		const wrongFrom = Date.now() + 1500;
		const account = newRichAccount();
		void refusedAfter(account, 1, -4);
		const { result, payments } = await buy(account, {
			items: [{ n: 0 }, { n: 1 }],
			parameters: {
				...NEW_TUNNEL,
				prepayTimeType: `={{ $now.toMillis() > ${wrongFrom} ? 'GONE' : 'DAY' }}`,
			},
			settings: { ...RETRY, maxTries: 2, waitBetweenTries: 3000 },
		});
		expect(payments).toHaveLength(1);
		expect(result.error?.context?.itemIndex).toBe(1);
		expect(result.error?.description).toContain(payments[0].orderId);
	});

	it('keeps all digits of an order number that comes as a number', async () => {
		sandbox.settings.orderNumbers = 'unsafe number';
		const { result, payments } = await buy(newRichAccount());
		expect(payments[0].orderId).toMatch(/^\d{16}$/);
		expect(result.items[0].json.orderid).toBe(payments[0].orderId);
	});

	it('passes on the warning about a coupon', async () => {
		const { result } = await buy(newRichAccount(), {
			parameters: { ...NEW_TUNNEL, options: { isCoupon: true } },
		});
		expect(result.items[0].json.warning).toBe('no available coupon');
	});

	it.each([
		[-4, 'The account balance is too low for the order', { balanceInFen: 1 }],
		[
			-71,
			'The account does not meet the requirements for a pay-as-you-go tunnel order',
			{ payAsUsed: 'conditions not met' },
		],
	])('tells the refusal %i with what to do', async (code, message, settings) => {
		const { result } = await buy(newRichAccount(settings as Partial<Account>), {
			parameters: code === -71 ? { ...NEW_TUNNEL, payType: 'POST_PAY' } : NEW_TUNNEL,
		});
		expect(result.error?.message).toBe(`${message} [item 0]`);
		expect(result.error?.description).toContain(`(code ${code})`);
	});

	it('treats a tunnel that could not be opened as unclear, since the order may be there', async () => {
		sandbox.faults.add({ kind: 'code', code: -72, path: '/api/createorder', times: 1 });
		const { result, orders } = await buy(newRichAccount(), { settings: RETRY });
		expect(orders).toHaveLength(1);
		expect(result.error?.message).toContain('The order may have been placed');
	});

	it('says which key is needed before any request, for a credential of the other kind', async () => {
		const { keys } = newRichAccount();
		const result = await engine.run({
			credentialId: credentialFor(keys, 'order'),
			parameters: NEW_TUNNEL,
		});
		expect(
			sandbox.log.entries().some(({ parameters }) => parameters.secret_id === keys.secretId),
		).toBe(false);
		expect(result.error?.message).toContain("needs the account's key pair");
		expect(result.error?.description).toContain('API page');
	});

	it.each([-3, -123])(
		'gives the same advice when the service finds the key wrong (%i)',
		async (code) => {
			sandbox.faults.add({ kind: 'code', code, path: '/api/createorder', times: 1 });
			const { result } = await buy(newRichAccount());
			expect(result.error?.description).toContain(
				"Use a credential with the account's key pair, which you find on the API page of the member center",
			);
		},
	);

	it('refuses to buy as a tool that n8n would call again', async () => {
		const { result, requests } = await buy(newRichAccount(), {
			settings: { ...RETRY, type: 'kuaidailiTool' },
		});
		expect(requests).toEqual([]);
		expect(result.error?.message).toContain("Turn off 'Retry On Fail'");
	});

	it('buys as a tool without Retry On Fail', async () => {
		const { payments } = await buy(newRichAccount(), { settings: { type: 'kuaidailiTool' } });
		expect(payments).toHaveLength(1);
	});

	it.each([
		['refused', 'http://127.0.0.1:1', '127.0.0.1:1 refused the connection'],
		// The system refuses to connect to a broadcast address
		['impossible', 'https://255.255.255.255', 'No connection to 255.255.255.255 could be made'],
	])(
		'connects again when the connection was %s, three times at most',
		async (_how, baseUrl, told) => {
			const { keys } = newRichAccount();
			const started = performance.now();
			const result = await engine.run({
				credentialId: engine.addCredential(
					credentialData({ ...sandbox.hosts, baseUrl }, keys, 'account'),
				),
				parameters: NEW_TUNNEL,
			});
			expect(performance.now() - started).toBeGreaterThan(5900);
			expect(result.error?.message).toContain(told);
			expect(result.error?.message).not.toContain('may have been');
		},
	);

	it('sends nothing more after a cancellation while items wait for the pace', async () => {
		const account = newRichAccount();
		// The answer has to be back; the second item then waits most of a second for its turn
		const firstAnswered = until(() => paidBy(account) === 1).then(
			async () => await new Promise((resolve) => setTimeout(resolve, 400)),
		);
		const log = jest.spyOn(n8nLogger, 'warn').mockReturnValue();
		const { payments, orders } = await buy(account, {
			items: items(3),
			cancelWhen: firstAnswered,
		});
		await new Promise((resolve) => setTimeout(resolve, 2500));
		const logged = log.mock.calls.map(([text]) => text).join('');
		log.mockRestore();
		expect(logged).toContain(`Bought and paid for in this run: order ${payments[0].orderId}`);
		expect(payments).toHaveLength(1);
		expect(orders).toHaveLength(1);
		expect(paidBy(account)).toBe(1);
	});

	it('remembers a purchase that was on its way at a cancellation as unclear', async () => {
		const account = newRichAccount();
		sandbox.faults.add({ kind: 'hang', when: 'after', path: '/api/createorder', times: 1 });
		const paid = until(() => paidBy(account) === 1);
		const log = jest.spyOn(n8nLogger, 'warn').mockReturnValue();
		const { result } = await buy(account, { items: items(2), cancelWhen: paid });
		await new Promise((resolve) => setTimeout(resolve, 1500));
		const logged = log.mock.calls.map(([text]) => text).join('');
		log.mockRestore();
		expect(paidBy(account)).toBe(1);
		// n8n saves nothing of a cancelled node, so the log has to tell it
		expect(logged).toContain('The order may have been placed: The execution was canceled');
		expect(result.saved).toContain('The order may have been placed: The execution was canceled');
	});
});

function paidBy({ keys }: Account): number {
	return sandbox.ledger.entries().filter(({ secretId }) => secretId === keys.secretId).length;
}

async function until(condition: () => boolean): Promise<void> {
	while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('Order: Renew', () => {
	async function renew(order: { keys: KeyPair }, parameters: IDataObject) {
		const result = await engine.run({
			credentialId: credentialFor(order.keys, 'order'),
			parameters: { resource: 'order', operation: 'renew', renewWhen: 'always', ...parameters },
		});
		const requests = sandbox.log
			.entries('/api/reneworder')
			.filter((each) => each.parameters.secret_id === order.keys.secretId);
		return { result, requests };
	}

	function newTunnel() {
		const account = newRichAccount();
		return sandbox.store.addOrder(
			newTunnelProxyOrder(`purchases-${++lastName}`, account, sandbox.clock.now()),
		);
	}

	it('renews a prepaid order, and gives its expiry for n8n as well', async () => {
		const order = newTunnel();
		const { result, requests } = await renew(order, { timeType: 'WEEK', timeNumber: 2 });
		expect(requests[0].parameters).toMatchObject({ time_type: 'WEEK', time_number: '2' });
		// What is not chosen stays as it is
		expect(requests[0].parameters).not.toHaveProperty('is_auto_renew');
		const [{ json }] = result.items;
		expect(json.orderid).toBe(order.orderId);
		expect(json.expiresAt).toBe(`${String(json.expire_time).replace(' ', 'T')}+08:00`);
		expect(Date.parse(String(json.expiresAt))).toBe(
			Math.floor((order.expiresAt?.getTime() ?? 0) / 1000) * 1000,
		);
	});

	it('adds IPs to a pay-per-IP order', async () => {
		const account = newRichAccount();
		const order = sandbox.store.addOrder(
			newPrivateProxyOrder(`purchases-${++lastName}`, account, sandbox.clock.now(), {
				payType: 'PRE_PAY_IP',
			}),
		);
		const { result, requests } = await renew(order, { renewalOf: 'perIp', dpsIpCount: 3000 });
		expect(requests[0].parameters['dps.ip_count']).toBe('3000');
		expect(requests[0].parameters).not.toHaveProperty('time_type');
		expect(result.items[0].json.ip_balance).toEqual(expect.any(Number));
	});

	it.each([
		['minutes', 1500],
		['minutes', 1_001_000],
		['hours', 150],
		['hours', 100_100],
	])('checks the number of IPs by lifetime: %s, %i', async (proxyLifetime, dpsIpCount) => {
		const order = newTunnel();
		const { result, requests } = await renew(order, {
			renewalOf: 'perIp',
			proxyLifetime,
			dpsIpCount,
		});
		expect(requests).toEqual([]);
		expect(result.error?.message).toContain(`'Number of IPs' is ${dpsIpCount}`);
	});

	it('refuses traffic that is not sold', async () => {
		const { result, requests } = await renew(newTunnel(), { renewalOf: 'traffic', fpsFlow: 2 });
		expect(requests).toEqual([]);
		expect(result.error?.message).toContain("'Traffic' is 2");
	});

	it.each([1, 6, 10, 35, 110, 200, 500, 1000])('sends %i GB of traffic', async (fpsFlow) => {
		const { requests } = await renew(newTunnel(), { renewalOf: 'traffic', fpsFlow });
		expect(requests[0].parameters['fps.flow']).toBe(String(fpsFlow));
	});

	it('says which key is needed before any request', async () => {
		const { keys } = newRichAccount();
		const result = await engine.run({
			credentialId: credentialFor(keys, 'account'),
			parameters: { resource: 'order', operation: 'renew' },
		});
		expect(result.error?.message).toContain("'Order' is");
		expect(result.error?.description).toContain(
			'Choose an order from the list, or enter its number',
		);
		expect(
			sandbox.log.entries().some(({ parameters }) => parameters.secret_id === keys.secretId),
		).toBe(false);
	});
});

describe('Auto-Renewal', () => {
	async function set(operation: string, parameters: IDataObject = {}) {
		const account = newRichAccount();
		const order = sandbox.store.addOrder(
			newTunnelProxyOrder(`purchases-${++lastName}`, account, sandbox.clock.now()),
		);
		const result = await engine.run({
			credentialId: credentialFor(order.keys, 'order'),
			parameters: { resource: 'autoRenewal', operation, ...parameters },
		});
		return { order, result, request: sandbox.log.last('/api/setautorenew') };
	}

	it.each(['DAY', 'WEEK', 'MONTH', 'YEAR'])('is enabled by %s', async (timeType) => {
		const { result, request } = await set('enable', { timeType });
		expect(request?.parameters).toMatchObject({ autorenew: '1', time_type: timeType });
		expect(result.items[0].json).toEqual({
			enabled: true,
			unit: timeType,
			message: `autorenew by ${timeType.toLowerCase()} enabled`,
		});
	});

	it('is disabled with a 0 that is really sent', async () => {
		const { result, request } = await set('disable');
		expect(request?.parameters.autorenew).toBe('0');
		expect(request?.parameters).not.toHaveProperty('time_type');
		expect(result.items[0].json).toEqual({ enabled: false, message: 'autorenew disabled' });
	});

	it('refuses an unknown unit before any request', async () => {
		sandbox.log.clear();
		const { result } = await set('enable', { timeType: 'HOUR' });
		expect(sandbox.log.count('/api/setautorenew')).toBe(0);
		expect(result.error?.message).toContain(`'Time Unit' is "HOUR"`);
	});

	it('tells that an order cannot renew itself', async () => {
		const account = newRichAccount();
		const order = sandbox.store.addOrder(
			newTunnelProxyOrder(`purchases-${++lastName}`, account, sandbox.clock.now(), {
				payType: 'POST_PAY',
			}),
		);
		const result = await engine.run({
			credentialId: credentialFor(order.keys, 'order'),
			parameters: { resource: 'autoRenewal', operation: 'enable' },
		});
		expect(result.error?.message).toBe('This order cannot be renewed automatically [item 0]');
	});
});

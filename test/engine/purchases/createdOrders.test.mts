import type { IDataObject } from 'n8n-workflow';

import { credentialData } from '../../../harness/credentials.mts';
import type { Account } from '../../../sandbox/sandbox.mts';
import { n8nLogger } from '../support/n8nLogger.mts';
import { NEW_TUNNEL } from '../support/newTunnel.mts';
import { RETRY } from '../support/nodeSettings.mts';
import { until } from '../../virtualTime.mts';
import {
	buy,
	credentialFor,
	engine,
	items,
	newRichAccount,
	paidBy,
	sandbox,
} from './purchaseBed.mts';

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
		expect(result.hints.map(({ message }) => message)).toEqual(['3 created (16.5 yuan).']);
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
				`would make ${count} purchases, and 'Max Orders per Execution' allows ${max}`,
			);
			expect(result.error?.description).toMatch(/^Nothing was bought in this run\. /);
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
			"would make 4 purchases, and 'Max Orders per Execution' allows 3",
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
			expect.objectContaining({ error: expect.stringContaining('CENTURY'), created: false }),
			expect.objectContaining({ orderid: payments[0].orderId }),
			expect.objectContaining({ error: expect.stringContaining('AGE'), created: false }),
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
		expect(result.error?.message).toBe(`${message}`);
		expect(result.error?.description).toContain(`(code ${code})`);
		if (code === -4) expect(result.error?.description).toContain('It has 0.01 yuan.');
	});

	it('says how to order for longer than a unit allows', async () => {
		const { result, requests } = await buy(newRichAccount(), {
			parameters: { ...NEW_TUNNEL, prepayTimeType: 'MONTH', prepayTimeNumber: 12 },
		});
		expect(requests).toEqual([]);
		expect(result.error?.description).toContain("For longer, set 'Time Unit' to 'Year'.");
	});

	it('treats a tunnel that could not be opened as unclear, since the order may be there', async () => {
		sandbox.faults.add({ kind: 'code', code: -72, path: '/api/createorder', times: 1 });
		const { result, orders } = await buy(newRichAccount(), { settings: RETRY });
		expect(orders).toHaveLength(1);
		expect(result.error?.message).toContain('The order may have been placed');
	});

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

	it('asks again for what was refused, when n8n runs the node again', async () => {
		sandbox.faults.add({ kind: 'code', code: -61, path: '/api/createorder', times: 1 });
		const { result, orders, payments } = await buy(newRichAccount(), { settings: RETRY });
		expect(orders).toHaveLength(2);
		expect(payments).toHaveLength(1);
		expect(result.items.map(({ json }) => json.orderid)).toEqual([payments[0].orderId]);
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
		expect(result.error?.description).toContain('API key management page');
	});

	it.each([-3, -123])(
		'gives the same advice when Kuaidaili finds the key wrong (%i)',
		async (code) => {
			sandbox.faults.add({ kind: 'code', code, path: '/api/createorder', times: 1 });
			const { result } = await buy(newRichAccount());
			expect(result.error?.description).toContain(
				"Use a credential with the account's key pair, and set its 'Key Type' to 'Account'.",
			);
		},
	);

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
});

describe('Skip Validation', () => {
	async function send(fields: IDataObject) {
		const parameters = { ...NEW_TUNNEL, ...fields, options: { skipLocalChecks: true } };
		return await buy(newRichAccount(), { parameters });
	}

	it.each<[string, IDataObject, IDataObject]>([
		[
			'a model of an exclusive proxy',
			{
				...{ product: 'KPS', kpsSerie: 1, kpsModel: '={{ "STD" }}', kpsMaxBandwidth: 10 },
				...{ kpsIpCount: 3, prepayTimeType: 'MONTH' },
			},
			{ 'kps.model': 'STD', 'kps.max_bandwidth': '10', 'kps.ip_count': '3' },
		],
		['a period of a tunnel', { tpsPeriod: '={{ 1200 }}' }, { 'tps.period': '1200' }],
		[
			'a unit of time',
			{ prepayTimeType: '={{ "QUARTER" }}', prepayTimeNumber: 2 },
			{ 'prepay.time_type': 'QUARTER', 'prepay.time_number': '2' },
		],
	])('sends what was entered for %s that the node does not know', async (_name, fields, sent) => {
		const { orders } = await send(fields);
		expect(orders).toMatchObject([{ parameters: sent }]);
	});

	it('refuses a product that the node does not know, before any request', async () => {
		const { result, orders } = await send({ product: '={{ "TPS_PRO" }}' });
		expect(orders).toEqual([]);
		expect(result.error?.message).toContain('TPS_PRO');
	});
});

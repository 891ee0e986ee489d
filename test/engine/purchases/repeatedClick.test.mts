import {
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type IExecuteFunctions,
	type IRequestOptions,
	NodeConnectionTypes,
} from 'n8n-workflow';

import { credentialData } from '../../../harness/credentials.mts';
import { DAY } from '../../durations.mts';
import { uniqueKeys, uniqueName } from '../../uniqueName.mts';
import { API } from '../support/api.mts';
import { Customer, NEW_TUNNEL, WEEK, WEEK_ALWAYS } from '../support/customer.mts';
import { Engine, type RunResult, type RunSettings } from '../support/engine.mts';
import { missed } from '../support/faults.mts';
import { records, textOf } from '../support/results.mts';
import { CONTINUE, RETRY, scheduled } from '../support/runSettings.mts';
import {
	envelope,
	hangUp,
	refusal,
	type ScriptedAnswer,
	type ScriptedCall,
	type ScriptedService,
	startScriptedService,
	success,
} from '../support/scriptedService.mts';
import { sleep } from '../support/sleep.mts';
import { useWorkbench } from '../support/workbench.mts';
import { ALWAYS } from './guardedRenewals.mts';

/*
 * n8n has ways of its own to send or to run something again. How often the service was asked to sell is
 * what it counted itself.
 */

const engine = new Engine();
const UNCLEAR = /^The order may have been placed: /;

/** No two orders have the same number, also of different services. */
function orderNumber({ number }: ScriptedCall): string {
	return String(965102959536478 + number);
}

const sell = (call: ScriptedCall) => success({ orderid: orderNumber(call) });

const TOKEN_ANSWER = success({ secret_token: 'token0n0g59h7wcdyvz2uo68ph2s', expire: 3600 });

interface Shop {
	service: ScriptedService;
	/** Requests to createorder. */
	readonly orders: readonly ScriptedCall[];
	credential: ICredentialDataDecryptedObject;
	credentialId: string;
	buy(settings?: Partial<RunSettings>): Promise<RunResult>;
}

/** A service of its own for each test, and keys of its own, so that none waits for the pace of another. */
async function openShop(
	signType: 'hmacsha1' | 'token',
	answer: (call: ScriptedCall) => ScriptedAnswer,
	token: ScriptedAnswer = TOKEN_ANSWER,
): Promise<Shop> {
	const service = await startScriptedService((call) =>
		call.path === API.get_secret_token ? token : answer(call),
	);
	const credential = credentialData(service.hosts, uniqueKeys(), 'account', signType);
	const credentialId = engine.addCredential(credential);
	const node = uniqueName('node');
	return {
		service,
		get orders() {
			return service.callsTo(API.createorder);
		},
		credential,
		credentialId,
		async buy({ executionId, ...settings } = {}) {
			const ids = executionId === undefined ? {} : { executionId: `${node}-${executionId}` };
			const own = { settings: { id: node }, ...ids };
			return await engine.run({ credentialId, parameters: NEW_TUNNEL, ...own, ...settings });
		},
	};
}

const SIGN_TYPES = ['hmacsha1', 'token'] as const;

/** As n8n's agent does for each of its items: every time it asks for its tools, it gets new ones. */
async function connectTool(context: IExecuteFunctions): Promise<() => Promise<unknown>> {
	const tools: unknown = await context.getInputConnectionData(NodeConnectionTypes.AiTool, 0);
	const [tool] = tools as Array<{ invoke(input: object): Promise<unknown> }>;
	return async () => await tool.invoke({});
}

describe('A request that n8n would sign and send again', () => {
	// n8n's helper takes them for rejected signatures
	const BROKEN: ReadonlyArray<[string, ScriptedAnswer]> = [
		[
			'is cut',
			(response) => {
				response.writeHead(401, { 'content-length': '100' }).write('partial');
				setTimeout(() => response.destroy(), 30);
			},
		],
		[
			'cannot be decoded',
			{ status: 401, headers: { 'content-encoding': 'gzip' }, body: 'not gzip' },
		],
	];

	it.each(BROKEN)('is sent once when the body of a 401 %s', async (_what, answer) => {
		const shop = await openShop('hmacsha1', () => answer);
		const { error } = await shop.buy();
		expect(shop.orders).toHaveLength(1);
		expect(error?.message).toMatch(UNCLEAR);
	});

	it.each([
		...SIGN_TYPES.map((signType) => [signType, '/api/createorder'] as const),
		...[
			'/api/createorder/',
			'//api/createorder',
			'/api//createorder',
			'/API/CreateOrder',
			'/api/create%6frder',
			'/%61pi/reneworder',
			'/api%2Freneworder%2F',
			'/x/../api/reneworder',
		].map((path) => ['token', path] as const),
	])('%s: is sent once by the HTTP Request node as %s', async (signType, path) => {
		const shop = await openShop(signType, () => () => {
			// Never answers
		});
		let failure: unknown;
		await shop.buy({
			async agent(context) {
				const request: IRequestOptions = {
					method: 'GET',
					uri: `${shop.service.hosts.baseUrl}${path}`,
					timeout: 1000,
				};
				failure = await context.helpers.requestWithAuthentication
					.call(context, 'kuaidailiApi', request, undefined, 0)
					.catch((error: unknown) => error);
			},
		});
		const sent = shop.service.calls.filter(({ path }) => path !== API.get_secret_token);
		expect(sent).toHaveLength(1);
		expect(sent[0].parameters).toHaveProperty('signature');
		expect(failure).toBeInstanceOf(Error);
	});
});

describe('As a tool of an agent', () => {
	it('buys once per call, though n8n numbers the calls anew', async () => {
		const shop = await openShop('hmacsha1', sell);
		const answers: unknown[] = [];
		const { error } = await shop.buy({
			async agent(context) {
				const first = await connectTool(context);
				const second = await connectTool(context);
				answers.push(await first(), await second());
			},
		});
		expect(error).toBeUndefined();
		expect(shop.orders).toHaveLength(2);
		expect(answers).toHaveLength(2);
		for (const [index, call] of shop.orders.entries()) {
			expect(answers[index]).toContain(orderNumber(call));
		}
	});

	it.each(['the same tool', 'a tool connected anew'])(
		'does not send an unclear purchase again when the model calls %s',
		async (which) => {
			const shop = await openShop('hmacsha1', () => hangUp);
			const messages: string[] = [];
			await shop.buy({
				async agent(context) {
					let call = await connectTool(context);
					for (let n = 0; n < 3; n++) {
						messages.push(String(await call().catch((error: unknown) => error)));
						if (which !== 'the same tool') call = await connectTool(context);
					}
				},
			});
			expect(shop.orders).toHaveLength(1);
			expect(messages).toHaveLength(3);
			for (const message of messages) {
				expect(message).toContain('The order may have been placed');
				expect(message).toContain('Do not buy it again');
			}
		},
	);
});

describe('Later runs', () => {
	it('do not send an unclear purchase again when its error comes back in a loop', async () => {
		const shop = await openShop('hmacsha1', () => hangUp);
		const { itemsOfRuns } = await shop.buy({
			runs: 3,
			settings: { onError: 'continueRegularOutput' },
		});
		expect(shop.orders).toHaveLength(1);
		expect(itemsOfRuns).toHaveLength(3);
		for (const items of itemsOfRuns) {
			expect(items.map(({ json }) => json.error)).toEqual([expect.stringMatching(UNCLEAR)]);
		}
	});

	it('give what is paid and ask for the refused rest alone, in a retried execution', async () => {
		const shop = await openShop('hmacsha1', (call) =>
			call.nth === 1 ? refusal(-4, '余额不足') : sell(call),
		);
		const first = await shop.buy({ executionId: '1', items: [{ n: 0 }, { n: 1 }] });
		expect(first.error?.description).toContain(orderNumber(shop.orders[0]));
		expect(shop.orders).toHaveLength(2);
		const again = await shop.buy({ executionId: '2', retryOf: first.saved });
		expect(shop.orders).toHaveLength(3);
		expect(again.items.map(({ json }) => json.orderid)).toEqual([
			orderNumber(shop.orders[0]),
			orderNumber(shop.orders[2]),
		]);
	});

	it('buy nothing in an execution that another version of the node has saved', async () => {
		const shop = await openShop('hmacsha1', (call) =>
			call.nth === 1 ? refusal(-4, '余额不足') : sell(call),
		);
		const { saved } = await shop.buy({ executionId: '1', items: [{ n: 0 }, { n: 1 }] });
		const changed = saved.replaceAll('"purchases":{"version":2', '"purchases":{"version":0');
		expect(changed).not.toBe(saved);
		const again = await shop.buy({ executionId: '2', retryOf: changed });
		expect(shop.orders).toHaveLength(2);
		expect(again.error?.message).toContain("can't read what this execution has bought");
	});

	it('buy once for an item where a failed execution is retried again and again', async () => {
		const shop = await openShop('hmacsha1', (call) =>
			call.nth === 0 ? refusal(-4, '余额不足') : sell(call),
		);
		const { saved: retryOf } = await shop.buy({ executionId: '1' });
		const both = ['2', '3'].map(async (executionId) => await shop.buy({ executionId, retryOf }));
		const results = [...(await Promise.all(both)), await shop.buy({ executionId: '4', retryOf })];
		expect(shop.orders).toHaveLength(2);
		expect(results.map(({ items }) => items[0].json.created)).toEqual([true, false, false]);
		// Whatever the fields are now, the item has what it was to get
		const changed = retryOf.replaceAll('"prepayTimeType":"DAY"', '"prepayTimeType":"WEEK"');
		await shop.buy({ executionId: '5', retryOf: changed });
		expect(shop.orders).toHaveLength(2);
	});

	it('do not send an unclear purchase again in a retried execution', async () => {
		const shop = await openShop('hmacsha1', (call) => (call.nth === 0 ? hangUp : sell(call)));
		const first = await shop.buy({ executionId: '1' });
		const again = await shop.buy({ executionId: '2', retryOf: first.saved });
		expect(shop.orders).toHaveLength(1);
		expect(first.error?.message).toMatch(UNCLEAR);
		expect(again.error?.message).toBe(first.error?.message);
	});
});

describe('Broken answers', () => {
	const TOKEN = 'oxf0n0g59h7wcdyvz2uo68ph2s';
	it.each([
		['is cut', `{"code": 0, "msg": "success", "data": {"secret_token": "${TOKEN}", "exp`],
		['has a text for a code', envelope(0, '', { secret_token: TOKEN }).replace(':0,', ':"0",')],
		['is plain text', `secret_token=${TOKEN}`],
	])('of the token endpoint show no token: one that %s', async (_name, body) => {
		const shop = await openShop('token', sell, { body });
		// Purchases are signed, and what they depend on is read with the token
		const parameters = { ...NEW_TUNNEL, createWhen: 'fewerThan', fewerThan: 1 };
		const { error, saved } = await shop.buy({ parameters });
		expect(shop.orders).toEqual([]);
		expect(error).toBeDefined();
		expect(`${error?.message} ${error?.description} ${saved}`).not.toContain(TOKEN);
	});

	it.each([
		['the beginning of a cut answer', '{"code":0,"msg":"","data":{"orderid":"965102959536478"'],
		['what Kuaidaili says with -109', envelope(-109, '系统故障,请联系客服 965102959536478')],
	])('show %s for an unclear purchase', async (_name, body) => {
		const shop = await openShop('hmacsha1', () => ({ body }));
		const { error } = await shop.buy();
		expect(shop.orders).toHaveLength(1);
		expect(error?.message).toMatch(UNCLEAR);
		expect(error?.description).toContain('965102959536478');
	});
});

it('An unclear purchase names the time at which it left, not that at which it joined the line', async () => {
	const shop = await openShop('hmacsha1', (call) => (call.nth < 2 ? sell(call) : hangUp));
	const joined = Date.now();
	const elsewhere = () => ({ settings: { id: uniqueName('node') } });
	const results = await Promise.all([1, 2, 3].map(async () => await shop.buy(elsewhere())));
	const { description } = results.find(({ error }) => error !== undefined)?.error ?? {};
	const [, day, time] = / at .*; (\S+) (\S+) in China\)/.exec(description ?? '') ?? [];
	const leftAt = Date.parse(`${day}T${time}+08:00`);
	expect(shop.orders).toHaveLength(3);
	// The pace lets one purchase per second leave, so this one left two seconds later, told without milliseconds;
	// a timer may be a little early
	expect(leftAt - joined).toBeGreaterThan(950);
	expect(leftAt).toBeLessThanOrEqual(shop.orders[2].arrivalTime);
});

const { bed, customer } = useWorkbench({ withRecords: true });

/** Of renewals and of new orders. */
const AUTOMATIC: IDataObject = {
	isAutoRenew: true,
	autoRenewUnit: 'MONTH',
	prepayIsAutoRenew: true,
	prepayAutoRenewUnit: 'MONTH',
};

describe('A double click on Execute step', () => {
	const twice = async (
		customer: Customer,
		fields: IDataObject,
		pauseMs: number,
		others: Partial<RunSettings> = {},
	) => {
		const settings = { id: uniqueName('node') };
		const first = customer.buy(fields, { settings, executionId: uniqueName('execution') });
		await new Promise((resolve) => setTimeout(resolve, pauseMs));
		const second = customer.buy(fields, {
			settings,
			executionId: uniqueName('execution'),
			...others,
		});
		return await Promise.all([first, second]);
	};

	it.each([0, 590_000])(
		'%i ms later buys nothing, and succeeds with the order of the first',
		async (pauseMs) => {
			const [first, second] = await twice(customer, {}, pauseMs);
			expect(customer.paid).toBe(1);
			const [{ orderId }] = customer.payments;
			expect(first.items[0].json).toMatchObject({ orderid: orderId, created: true });
			expect(second.items[0].json).toMatchObject({ orderid: orderId, created: false });
			expect(first.items[0].json).toHaveProperty('purchasedAt');
			// A table of purchases is not to get it once more, without its cost
			expect(second.items[0].json).not.toHaveProperty('purchasedAt');
			expect(second.items[0].json.reason).toMatch(
				/^This node bought it .* ago, in another run \(order \d+\), so nothing was bought\. To buy it once more on purpose, run it again after \S+ \S+.*\.$/,
			);
		},
	);

	it.each([
		['paid', []],
		['unclear', [missed(API.reneworder)]],
	])(
		'that only changes to the key pair of the order or of the account buys nothing: %s',
		async (_state, faults) => {
			for (const isOrderFirst of [true, false]) {
				const customer = new Customer(bed());
				const order = customer.tunnel(DAY);
				const fields = { ...WEEK, ...ALWAYS };
				const settings = { id: uniqueName('node') };
				const renew = async (withOrderKey: boolean) => {
					const run = { settings, executionId: uniqueName('execution') };
					return withOrderKey
						? await customer.renew(order, fields, run)
						: await customer.renewByNumber(order, fields, run);
				};
				customer.sandbox.faults.add(...faults);
				const first = await renew(isOrderFirst);
				const second = await renew(!isOrderFirst);
				expect(customer.requests(API.reneworder)).toHaveLength(1);
				const [text] = [first, second].map(textOf);
				if (faults.length > 0) expect(textOf(second)).toBe(text);
				else expect(second.items[0].json).toMatchObject({ renewed: false, orderid: order.orderId });
			}
		},
	);

	it.each<[string, IDataObject]>([
		['that Kuaidaili notifies', { options: { isNotify: true } }],
		['that no coupon is used', { options: { isCoupon: false } }],
		['what Kuaidaili does by itself', { isAutoRenew: false, prepayIsAutoRenew: false }],
		['to renew the order automatically', AUTOMATIC],
	])('that only adds %s buys nothing', async (_what, changed) => {
		const order = customer.tunnel(DAY);
		for (const buy of [
			async (fields: IDataObject, settings: Partial<RunSettings>) =>
				await customer.buy(fields, settings),
			async (fields: IDataObject, settings: Partial<RunSettings>) =>
				await customer.renewByNumber(order, { renewWhen: 'always', ...fields }, settings),
		]) {
			const before = customer.paid;
			const settings = { id: uniqueName('node') };
			const click = async (fields: IDataObject) =>
				await buy(fields, { settings, executionId: uniqueName('execution') });
			const runs = [await click({}), await click(changed), await click({})];
			for (const run of runs) expect(run.error).toBeUndefined();
			for (const { items } of runs.slice(1)) {
				expect(items[0].json.reason).toContain('This node bought it ');
			}
			expect(customer.paid).toBe(before + 1);
		}
	});

	it('says what is unclear, as the first one did', async () => {
		customer.sandbox.faults.add({ kind: 'cut', when: 'before', path: API.createorder, times: 1 });
		const [first, second] = await twice(customer, {}, 2000);
		expect(textOf(first)).toContain('The order may have been placed: ');
		expect(textOf(second)).toContain(String(first.error?.description));
		expect(customer.requests(API.createorder)).toHaveLength(1);
	});

	it('fails where the first one was canceled before it could look whether a refusal was one', async () => {
		const settings = { id: uniqueName('node') };
		// Done, but refused for the pace, such as the second delivery of a request
		customer.sandbox.faults.add({
			kind: 'code',
			code: -120,
			when: 'after',
			path: API.createorder,
			times: 1,
		});
		const cancelWhen = customer.asked(API.createorder).then(async () => await sleep(500));
		const click = async (more = {}) =>
			await customer.buy({}, { settings, executionId: uniqueName('execution'), ...more });
		await click({ cancelWhen });
		expect(customer.paid).toBe(1);
		expect(textOf(await click())).toContain('The order may have been placed: ');
		expect(customer.paid).toBe(1);
	});

	it('fails, and is not filed under Canceled, where the first one was canceled on its way', async () => {
		customer.sandbox.faults.add({ kind: 'hang', when: 'after', path: API.createorder, times: 1 });
		const settings = { id: uniqueName('node') };
		const click = async (cancelWhen?: Promise<unknown>) =>
			await customer.buy({}, { settings, cancelWhen, executionId: uniqueName('execution') });
		const first = await click(customer.asked(API.createorder));
		expect(first.status).toBe('canceled');
		const second = await click();
		expect(second.status).toBe('error');
		expect(textOf(second)).toContain('The order may have been placed: The execution was stopped');
		expect(customer.requests(API.createorder)).toHaveLength(1);
	});

	it('gives each item its own order, and refuses one more with the same goods', async () => {
		const settings = { id: uniqueName('node'), ...CONTINUE };
		const click = async (items: IDataObject[]) =>
			await customer.buy({}, { settings, items, executionId: uniqueName('execution') });
		await click([{}, {}]);
		const { items } = await click([{}, {}, {}]);
		expect(items.map(({ json }) => json.created)).toEqual([false, false, false]);
		expect(new Set(items.map(({ json }) => json.orderid)).size).toBe(3);
		expect(items[2].json.error).toContain(
			'This node bought the same for another item in the last 10 minutes',
		);
		expect(customer.paid).toBe(2);
	});

	it('renews an order once that several items name', async () => {
		const order = customer.tunnel(DAY);
		const node = { settings: { id: uniqueName('node') }, items: [{}, {}] };
		const click = async () => {
			const settings = { ...node, executionId: uniqueName('execution') };
			return records(await customer.renewByNumber(order, WEEK_ALWAYS, settings));
		};
		const renewed = [...(await click()), ...(await click())].map((record) => record.renewed);
		expect(renewed).toEqual([true, false, false, false]);
		expect(customer.paid).toBe(1);
	});

	it('buys nothing with Retry On Fail, either', async () => {
		const settings = { id: uniqueName('node'), ...RETRY };
		const click = async (items: IDataObject[]) =>
			await customer.buy({}, { settings, items, executionId: uniqueName('execution') });
		await click([{}]);
		expect(textOf(await click([{}, {}]))).toContain('bought the same for another item');
		expect(customer.paid).toBe(1);
	});

	it('is none after more than 10 minutes', async () => {
		const results = await twice(customer, {}, 640_000);
		expect(results.map(({ items }) => items[0].json.created)).toEqual([true, true]);
		expect(customer.paid).toBe(2);
	});

	it('is none for another order, nor for another node', async () => {
		const results = [
			await customer.buy({ tpsMaxRps: 5 }, { executionId: '1', settings: { id: 'a' } }),
			await customer.buy({ tpsMaxRps: 6 }, { executionId: '2', settings: { id: 'a' } }),
			await customer.buy({ tpsMaxRps: 5 }, { executionId: '3', settings: { id: 'b' } }),
		];
		expect(results.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
		expect(customer.paid).toBe(3);
	});

	it('is none after a purchase that was refused', async () => {
		customer.sandbox.faults.add({ kind: 'code', code: -4, path: API.createorder, times: 1 });
		const [first, second] = await twice(customer, {}, 2000);
		expect(first.error).toBeDefined();
		expect(second.error).toBeUndefined();
		expect(customer.paid).toBe(1);
	});
});

it.each([0, 1])(
	'An unclear renewal with the key pair of its order keeps others from being sent, where its number could not be read %i',
	async (nth) => {
		const order = customer.tunnel(DAY);
		const { faults } = customer.sandbox;
		faults.add({ kind: 'delay', ms: 60_000, when: 'before', path: API.reneworder, times: 1 });
		for (const time of [0, 1]) {
			if (time === nth)
				faults.add({ kind: 'status', status: 503, path: API.getorderinfo, times: 3 });
			const fields = { ...WEEK_ALWAYS, options: { timeout: 10 } };
			expect((await customer.renew(order, fields, scheduled())).error).toBeDefined();
		}
		await sleep(120_000);
		expect(customer.paid).toBe(1);
	},
);

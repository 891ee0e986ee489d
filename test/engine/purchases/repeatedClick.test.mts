import type { IDataObject, IRequestOptions } from 'n8n-workflow';

import { credentialData } from '../../../harness/credentials.mts';
import type { Fault } from '../../../sandbox/sandbox.mts';
import { DAY } from '../../durations.mts';
import { uniqueKeys, uniqueName } from '../../uniqueName.mts';
import { API } from '../support/api.mts';
import { type CustomerRun, NEW_TUNNEL, WEEK_ALWAYS, WITHOUT_REPORT } from '../support/customer.mts';
import type { RunSettings } from '../support/engine.mts';
import { records, textOf } from '../support/results.mts';
import { CONTINUE, elsewhere, RETRY, scheduled } from '../support/runSettings.mts';
import {
	envelope,
	type ScriptedAnswer,
	startScriptedService,
	success,
} from '../support/scriptedService.mts';
import { sleep } from '../support/sleep.mts';
import { toolCalls } from '../support/toolCalls.mts';
import { useWorkbench } from '../support/workbench.mts';

/* n8n has ways of its own to send or to run something again. */

const UNCLEAR = /^The order may have been placed: /;

const { bed, customer } = useWorkbench({ withRecords: true });

/** Every request to buy is cut, or one is refused. */
const HANG_UP: Fault = { kind: 'cut', when: 'before', path: API.createorder };
const REFUSAL = { kind: 'code', code: -4, path: API.createorder, times: 1 } as const;

const paidNumbers = () => customer.payments.map(({ orderId }) => orderId);

describe('A request that n8n would sign and send again', () => {
	/** A service of its own, and a credential for it. */
	async function serviceOf(signType: 'hmacsha1' | 'token', answer: ScriptedAnswer) {
		const token = success({ secret_token: 'token0n0g59h7wcdyvz2uo68ph2s', expire: 3600 });
		const service = await startScriptedService(({ path }) =>
			path === API.get_secret_token ? token : answer,
		);
		const data = credentialData(service.hosts, uniqueKeys(), 'account', signType);
		return { service, credentialId: bed().engine.addCredential(data) };
	}

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
		const { credentialId, service } = await serviceOf('hmacsha1', answer);
		const { error } = await bed().engine.run({ credentialId, parameters: NEW_TUNNEL });
		expect(service.callsTo(API.createorder)).toHaveLength(1);
		expect(error?.message).toMatch(UNCLEAR);
	});

	it.each([
		...(['hmacsha1', 'token'] as const).map((signType) => [signType, '/api/createorder'] as const),
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
		const { credentialId, service } = await serviceOf(signType, () => {
			// Never answers
		});
		let failure: unknown;
		await bed().engine.run({
			credentialId,
			parameters: NEW_TUNNEL,
			async agent(context) {
				const request: IRequestOptions = {
					method: 'GET',
					uri: `${service.hosts.baseUrl}${path}`,
					timeout: 1000,
				};
				failure = await context.helpers.requestWithAuthentication
					.call(context, 'kuaidailiApi', request, undefined, 0)
					.catch((error: unknown) => error);
			},
		});
		const sent = service.calls.filter(({ path }) => path !== API.get_secret_token);
		expect(sent).toHaveLength(1);
		expect(sent[0].parameters).toHaveProperty('signature');
		expect(failure).toBeInstanceOf(Error);
	});
});

describe('As a tool of an agent', () => {
	it('buys once per call, though n8n numbers the calls anew', async () => {
		const outputs: string[] = [];
		await customer.buy({}, { agent: toolCalls(2, outputs, 'oneByOne') });
		expect(customer.paid).toBe(2);
		expect(outputs).toEqual(paidNumbers().map((number) => expect.stringContaining(number)));
	});

	it('does not send an unclear purchase again when the model calls once more', async () => {
		customer.sandbox.faults.add(HANG_UP);
		const outputs: string[] = [];
		await customer.buy({}, { agent: toolCalls(3, outputs, 'oneByOne') });
		expect(customer.requests(API.createorder)).toHaveLength(1);
		expect(outputs).toHaveLength(3);
		for (const output of outputs) {
			expect(output).toMatch(/The order may have been placed.*Do not buy it again/);
		}
	});
});

describe('Later runs', () => {
	it('do not send an unclear purchase again when its error comes back in a loop', async () => {
		customer.sandbox.faults.add(HANG_UP);
		const { itemsOfRuns } = await customer.buy({}, { runs: 3, settings: CONTINUE });
		expect(customer.requests(API.createorder)).toHaveLength(1);
		const unclear = [expect.stringMatching(UNCLEAR)];
		expect(itemsOfRuns.map((items) => items.map(({ json }) => json.error))).toEqual([
			unclear,
			unclear,
			unclear,
		]);
	});

	it('buy nothing in an execution that another version of the node has saved', async () => {
		customer.sandbox.faults.add(REFUSAL);
		const node = { settings: { id: uniqueName('node') } };
		const { saved } = await customer.buy({}, { ...node, executionId: uniqueName('execution') });
		const retryOf = saved.replaceAll('"purchases":{"version":2', '"purchases":{"version":0');
		expect(retryOf).not.toBe(saved);
		const again = await customer.buy(
			{},
			{ ...node, retryOf, executionId: uniqueName('execution') },
		);
		expect(customer.requests(API.createorder)).toHaveLength(1);
		expect(again.error?.message).toContain("can't read what this execution has bought");
	});

	it('buy once for an item where a failed execution is retried again and again', async () => {
		customer.sandbox.faults.add(REFUSAL);
		const settings = { id: uniqueName('node') };
		const run = async (retryOf?: string) =>
			await customer.buy({}, { settings, retryOf, executionId: uniqueName('execution') });
		const { saved } = await run();
		const results = [...(await Promise.all([run(saved), run(saved)])), await run(saved)];
		expect(results.flatMap(records).map(({ created }) => created)).toEqual([true, false, false]);
		// Whatever the fields are now, the item has what it was to get
		await run(saved.replaceAll('"prepayTimeType":"DAY"', '"prepayTimeType":"WEEK"'));
		expect(customer.paid).toBe(1);
	});
});

it.each([
	['the beginning of a cut answer', '{"code":0,"msg":"","data":{"orderid":"965102959536478"'],
	['what Kuaidaili says with -109', envelope(-109, '系统故障,请联系客服 965102959536478')],
])('An unclear purchase shows %s', async (_name, body) => {
	customer.sandbox.faults.add({ kind: 'raw', body, path: API.createorder });
	const { error } = await customer.buy();
	expect(customer.requests(API.createorder)).toHaveLength(1);
	expect(error?.message).toMatch(UNCLEAR);
	expect(error?.description).toContain('965102959536478');
});

it('An unclear purchase names the time at which it left, not that at which it joined the line', async () => {
	void customer.asked(API.createorder, 2).then(() => customer.sandbox.faults.add(HANG_UP));
	const joined = Date.now();
	const results = await Promise.all(
		[1, 2, 3].map(async () => await customer.buy(WITHOUT_REPORT, elsewhere())),
	);
	const { description } = results.find(({ error }) => error !== undefined)?.error ?? {};
	const [, day, time] = / at .*; (\S+) (\S+) in China\)/.exec(description ?? '') ?? [];
	const leftAt = Date.parse(`${day}T${time}+08:00`);
	expect(customer.requests(API.createorder)).toHaveLength(3);
	// The pace lets one purchase per second leave, so this one left two seconds later, told without milliseconds;
	// a timer may be a little early. What it did is looked for until ten seconds later
	expect(leftAt - joined).toBeGreaterThan(950);
	expect(leftAt).toBeLessThanOrEqual(Date.now() - 9000);
});

/** Of renewals and of new orders. */
const AUTOMATIC: IDataObject = {
	isAutoRenew: true,
	autoRenewUnit: 'MONTH',
	prepayIsAutoRenew: true,
	prepayAutoRenewUnit: 'MONTH',
};

describe('A double click on Execute step', () => {
	/** Somebody clicks on one node. */
	function oneNode(own: CustomerRun['settings'] = {}) {
		const settings = { id: uniqueName('node'), ...own };
		return async (more: CustomerRun = {}) =>
			await customer.buy({}, { settings, executionId: uniqueName('execution'), ...more });
	}

	it('buys nothing, and succeeds with the order of the first', async () => {
		const click = oneNode();
		const [first, second] = (await Promise.all([click(), click()])).flatMap(records);
		expect(customer.paid).toBe(1);
		const [{ orderId }] = customer.payments;
		expect(first).toMatchObject({ orderid: orderId, created: true });
		expect(second).toMatchObject({ orderid: orderId, created: false });
		expect(first).toHaveProperty('purchasedAt');
		// A table of purchases is not to get it once more, without its cost
		expect(second).not.toHaveProperty('purchasedAt');
		expect(second.reason).toMatch(
			/^This node bought it .* ago, in another run \(order \d+\), so nothing was bought\. To buy it once more on purpose, run it again after \S+ \S+.*\.$/,
		);
	});

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

	it('fails where the first one was canceled before it could look whether a refusal was one', async () => {
		const click = oneNode();
		// Done, but refused for the pace, such as the second delivery of a request
		customer.sandbox.faults.add({ ...REFUSAL, code: -120, when: 'after' });
		await click({ cancelWhen: customer.asked(API.createorder).then(async () => await sleep(500)) });
		expect(customer.paid).toBe(1);
		expect(textOf(await click())).toContain('The order may have been placed: ');
		expect(customer.paid).toBe(1);
	});

	it('fails, and is not filed under Canceled, where the first one was canceled on its way', async () => {
		customer.sandbox.faults.add({ kind: 'hang', when: 'after', path: API.createorder, times: 1 });
		const click = oneNode();
		const first = await click({ cancelWhen: customer.asked(API.createorder) });
		expect(first.status).toBe('canceled');
		const second = await click();
		expect(second.status).toBe('error');
		expect(textOf(second)).toContain('The order may have been placed: The execution was stopped');
		expect(customer.requests(API.createorder)).toHaveLength(1);
	});

	it('gives each item its own order, and refuses one more with the same goods', async () => {
		const click = oneNode(CONTINUE);
		await click({ items: [{}, {}] });
		const { items } = await click({ items: [{}, {}, {}] });
		expect(items.map(({ json }) => json.created)).toEqual([false, false, false]);
		expect(new Set(items.map(({ json }) => json.orderid)).size).toBe(3);
		expect(items[2].json.error).toContain(
			'This node bought the same for another item in the last 10 minutes',
		);
		expect(customer.paid).toBe(2);
	});

	it('buys nothing with Retry On Fail, either', async () => {
		const click = oneNode(RETRY);
		await click();
		expect(textOf(await click({ items: [{}, {}] }))).toContain('bought the same for another item');
		expect(customer.paid).toBe(1);
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

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { OrderKind } from '../operations/world.mts';
import { Engine } from './engine.mts';
import { sleep } from './sleep.mts';
import { list, LOGIN, openShop, privateEntries, refusal, success } from './scriptedShop.mts';
import type { ScriptedAnswer, ScriptedCall } from './scriptedService.mts';
import { productOwner } from './productOwner.mts';
import { useTestBed } from './testBed.mts';
import { until } from './until.mts';

const engine = new Engine();
const bed = useTestBed();

const GET_DPS = '/api/getdps';
const AS_TOOL = { type: 'kuaidailiTool' };
const CONTINUE = { onError: 'continueErrorOutput' } as const;
const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

type Shop = Awaited<ReturnType<typeof openShop>>;

async function inShop(
	answer: (call: ScriptedCall) => ScriptedAnswer | Promise<ScriptedAnswer>,
	work: (shop: Shop) => Promise<void>,
): Promise<void> {
	const shop = await openShop(engine, answer);
	try {
		await work(shop);
	} finally {
		await shop.close();
	}
}

/** Hands out as many as are asked for, never the same twice. */
function supply(): (call: ScriptedCall) => ScriptedAnswer {
	let given = 0;
	return ({ parameters }) => {
		const count = Number(parameters.num);
		given += count;
		return list(privateEntries(given - count, count));
	};
}

const owner = (kind: OrderKind) => productOwner(bed(), kind);

const used = (me: ReturnType<typeof owner>) =>
	bed().sandbox.extractions.total({ orderId: me.order.orderId });

describe('a login', () => {
	it.each<[string, OrderKind, IDataObject]>([
		['DPS', 'dps', { num: 2 }],
		['KPS', 'kps', {}],
		['TPS', 'tps', { session: 'abc' }],
		['SFPS', 'sfps', {}],
	])('of %s does not reach the model of an agent', async (product, kind, fields) => {
		const me = owner(kind);
		const { items, hints, error } = await me.run(
			{ product, ...fields },
			{ settings: AS_TOOL, executionId: kind },
		);
		expect(error).toBeUndefined();
		expect(items.length).toBeGreaterThan(0);
		for (const { json } of items) {
			expect(json.proxyUrl).toBe(`http://${String(json.address)}`);
			expect(json).not.toHaveProperty('password');
			expect(json).not.toHaveProperty('username');
		}
		expect(hints.map(({ message }) => message).join()).toContain("'Include Secrets'");
	});

	it('does not reach a model through another item that shares the extraction', async () => {
		const me = owner('dps');
		const { items } = await me.run(
			{
				product: 'DPS',
				output: 'forEachInput',
				options: { includeSecrets: '={{ $json.mayRead }}' },
			},
			{ settings: AS_TOOL, items: [{ mayRead: true }, { mayRead: false }] },
		);
		const [first, second] = items.map(({ json }) => json);
		expect(first.proxyDetails).toHaveProperty('password');
		expect(second.proxyDetails).not.toHaveProperty('password');
		expect(second.proxyUrl).not.toContain('@');
	});

	it('that came in an unknown layout is put out only where logins are wanted', async () => {
		const entry = '113.120.61.166:22989,user:secretword,1200';
		await inShop(
			() => list([entry]),
			async (shop) => {
				const hidden = await shop.run({ product: 'DPS', num: 1, login: 'none' });
				expect(hidden.error).toBeUndefined();
				expect(hidden.saved).not.toContain('secretword');
				const shown = await shop.run({ product: 'DPS', num: 1 });
				expect(shown.items[0].json.raw).toBe(entry);
			},
		);
	});

	it.each([
		['getsfps', { product: 'SFPS' }, list(['garbage:user:secretword:US'])],
		['getsfps as text', { product: 'SFPS' }, { body: '1.2.3.4:80\ngarbage user:secretword' }],
		['gettps', { product: 'TPS' }, success({ proxy_list: { user: 'secretword' } })],
		['getfpsip', { product: 'FPS', connection: 'extraction', num: 1 }, list(['x:secretword'])],
	])('is in no error about an answer of %s that cannot be read', async (_, fields, answer) => {
		await inShop(
			() => answer,
			async (shop) => {
				const { error, saved } = await shop.run(fields);
				expect(error?.message).toMatch(/^The service's response contains/);
				expect(saved).not.toContain('secretword');
			},
		);
	});

	it('that two runs wait for still comes to one when the other is cancelled', async () => {
		const me = owner('tps');
		bed().sandbox.faults.add({ kind: 'delay', ms: 3000, path: '/api/getproxyauthorization' });
		const cancelWhen = sleep(1000);
		const [cancelled, other] = await Promise.all([
			me.run({ product: 'TPS' }, { cancelWhen }),
			me.run({ product: 'TPS' }),
		]);
		expect(cancelled.status).toBe('canceled');
		expect(other.error).toBeUndefined();
		expect(other.items).toHaveLength(1);
	});
});

describe('quota', () => {
	it('is not used at all by a run that another item will stop', async () => {
		const me = owner('dpsPerIp');
		const fields = { product: 'DPS', num: '={{ $json.num }}' };
		const items = [{ num: 2 }, { num: 'many' }];
		const stopped = await me.run(fields, { items });
		expect(stopped.error?.message).toMatch(/'Number of Proxies' is "many".*\[item 1\]/);
		expect(used(me)).toBe(0);
		const went = await me.run(fields, { items, settings: CONTINUE });
		expect(went.items).toHaveLength(2);
		expect(went.errorItems).toHaveLength(1);
		expect(used(me)).toBe(2);
	});

	it('of all items together is kept to the limit of the run', async () => {
		const me = owner('dpsPerIp');
		const fields = { product: 'DPS', num: 4, options: { maxExtractionsPerRun: 10 } };
		const items = [{}, {}, {}];
		const stopped = await me.run(fields, { items });
		expect(stopped.error?.message).toMatch(/'Max Extractions per Run' is 10.*\[item 2\]/);
		expect(stopped.error?.description).toMatch(/needs 4 proxies.*asked for 8 before/);
		expect(used(me)).toBe(0);
		const went = await me.run(fields, { items, settings: CONTINUE });
		expect(went.items).toHaveLength(8);
		expect(went.errorItems).toHaveLength(1);
		expect(used(me)).toBe(8);
	});

	it('of groups of items is kept to the limit, which 0 switches off', async () => {
		const me = owner('dpsPerIp');
		const fields = {
			product: 'DPS',
			output: 'forEachInput',
			filters: { carrier: '={{ $json.carrier }}' },
		};
		const items = [1, 2, 1, 2, 1].map((carrier) => ({ carrier }));
		const run = async (maxExtractionsPerRun: number) =>
			await me.run({ ...fields, options: { maxExtractionsPerRun } }, { items });
		expect((await run(4)).error?.message).toMatch(/\[item 1\]/);
		expect(used(me)).toBe(0);
		expect((await run(5)).items).toHaveLength(5);
		expect((await run(0)).items).toHaveLength(5);
		expect(used(me)).toBe(10);
	});

	it('that was refused does not count for the limit, what is unclear does', async () => {
		const answers = [refusal(-4), refusal(3), { status: 502, body: '' }];
		await inShop(
			({ index, parameters }) =>
				answers[index] ?? list(privateEntries(index, Number(parameters.num))),
			async (shop) => {
				const options = { maxExtractionsPerRun: 5 };
				const { items, errorItems } = await shop.run(
					{ product: 'DPS', num: 3, login: 'none', options },
					{ items: [{}, {}, {}, {}], settings: CONTINUE },
				);
				// Refused, none found, unclear, beyond the limit
				expect([items, errorItems].map(({ length }) => length)).toEqual([0, 3]);
				expect(shop.nums).toEqual(['3', '3', '3']);
				expect(errorItems[2].json.error).toMatch(/'Max Extractions per Run' is 5/);
			},
		);
	});

	it('is not used again for items that went well when Retry On Fail asks for the others', async () => {
		const give = supply();
		let refusals = 0;
		await inShop(
			(call) => (call.parameters.num === '3' && ++refusals < 3 ? refusal(-4) : give(call)),
			async (shop) => {
				const { items, error } = await shop.run(
					{ product: 'DPS', num: '={{ $json.num }}' },
					{ items: [{ num: 2 }, { num: 3 }], settings: RETRY },
				);
				expect(error).toBeUndefined();
				expect(items).toHaveLength(5);
				expect(shop.nums).toEqual(['2', '3', '3', '3']);
			},
		);
	});

	it('is used again by each turn of a loop, with a limit of its own', async () => {
		const me = owner('dpsPerIp');
		const { itemsOfRuns } = await me.run(
			{ product: 'DPS', num: 2, options: { maxExtractionsPerRun: 8 } },
			{ runs: 3 },
		);
		expect(itemsOfRuns.map(({ length }) => length)).toEqual([2, 4, 8]);
		expect(new Set(itemsOfRuns.flat().map(({ json }) => json.address)).size).toBe(14);
	});

	it('is not used for more than was asked for where some come twice', async () => {
		await inShop(
			({ parameters }) => list(privateEntries(0, Number(parameters.num))),
			async (shop) => {
				const { items, hints } = await shop.run({ product: 'DPS', num: 250 });
				expect(shop.nums).toEqual(['100', '100', '50']);
				expect(items).toHaveLength(100);
				expect(hints[0].message).toBe(
					'Only 100 of 250 proxies were found. The service handed out some of them twice.',
				);
			},
		);
	});

	it('is not lost with a later call that fails, for many proxies or many items', async () => {
		for (const fields of [{ num: 150 }, { output: 'forEachInput' }]) {
			const answers = [list(privateEntries(0, 100)), refusal(1)];
			await inShop(
				(call) => answers[call.index - 1] ?? refusal(-1),
				async (shop) => {
					const items = Array.from({ length: 'num' in fields ? 1 : 150 }, () => ({}));
					const run = await shop.run({ product: 'DPS', ...fields }, { items });
					expect(run.error).toBeUndefined();
					expect(new Set(run.items.map(({ json }) => json.proxyUrl)).size).toBe(100);
					expect(run.hints[0].message).toMatch(
						/100 of 150 proxies were found before a call failed.*Today's quota/,
					);
				},
			);
		}
	});

	it('is not used twice where n8n would sign a broken 401 again', async () => {
		await inShop(
			() => ({ status: 401, headers: { 'content-encoding': 'gzip' }, body: 'not gzip' }),
			async (shop) => {
				const { error } = await shop.run({ product: 'DPS', num: 1 });
				expect(error?.description).toMatch(/counted all the same/);
				expect(shop.extractions).toHaveLength(1);
			},
		);
	});
});

describe('reuse', () => {
	const REUSE = { product: 'DPS', reuse: true };

	it('makes one call for six runs within the life of the proxies', async () => {
		const me = owner('dpsPerIp');
		const outputs: unknown[] = [];
		for (let run = 0; run < 6; run += 1) {
			const { items } = await me.run({ ...REUSE, num: 1, minimumSecondsLeft: 0 });
			outputs.push(items[0].json.address);
			await sleep(5000);
		}
		expect(new Set(outputs).size).toBe(1);
		expect(bed().sandbox.log.count(GET_DPS)).toBe(1);
	});

	it('counts down what is left, and extracts anew what lives too shortly', async () => {
		const give = supply();
		await inShop(give, async (shop) => {
			const run = async () => (await shop.run({ ...REUSE, num: 1 })).items[0].json;
			const first = await run();
			await sleep(20_000);
			const again = await run();
			expect(again).toMatchObject({ address: first.address, expiresAt: first.expiresAt });
			expect([38, 39, 40]).toContain(again.secondsLeft);
			await sleep(11_000);
			expect((await run()).address).not.toBe(first.address);
			expect(shop.nums).toEqual(['1', '1']);
		});
	});

	it('goes by the time that the service says, whatever the clock of this machine', async () => {
		const ahead = Date.now() + 3_600_000;
		const date = new Date(ahead).toUTCString();
		await inShop(
			() => ({ ...list(privateEntries(0, 1)), headers: { date } }),
			async (shop) => {
				const { items } = await shop.run({ ...REUSE, num: 1 });
				const expiresAt = Date.parse(String(items[0].json.expiresAt));
				expect(Math.abs(expiresAt - (Date.parse(date) + 60_000))).toBeLessThan(1500);
				expect((await shop.run({ ...REUSE, num: 1 })).items[0].json.secondsLeft).toBeGreaterThan(
					55,
				);
				expect(shop.nums).toEqual(['1']);
			},
		);
	});

	it('does not mind the format, and does mind the extra fields', async () => {
		const me = owner('dpsPerIp');
		await me.run({ ...REUSE, num: 2 });
		await me.run({ ...REUSE, num: 2, options: { format: 'text', sep: 2 } });
		expect(bed().sandbox.log.count(GET_DPS)).toBe(1);
		const { items } = await me.run({ ...REUSE, num: 2, extraFields: { fLoc: true } });
		expect(items[0].json).toHaveProperty('region');
		expect(bed().sandbox.log.count(GET_DPS)).toBe(2);
	});

	it('says so when the service gives one again that is there already', async () => {
		await inShop(
			({ parameters }) => list(privateEntries(0, Number(parameters.num))),
			async (shop) => {
				await shop.run({ ...REUSE, num: 2 });
				const { items, hints } = await shop.run({ ...REUSE, num: 3 });
				expect(shop.nums).toEqual(['2', '1']);
				expect(items).toHaveLength(2);
				expect(hints[0].message).toMatch(/^Only 2 of 3 proxies were found/);
			},
		);
	});

	it('does not make one run wait for ever for another that is cancelled', async () => {
		const give = supply();
		await inShop(
			async (call) => {
				if (call.index === 1) await sleep(20_000);
				return give(call);
			},
			async (shop) => {
				const cancelWhen = sleep(2000);
				const [cancelled, other] = await Promise.all([
					shop.run({ ...REUSE, num: 1 }, { cancelWhen }),
					sleep(500).then(async () => await shop.run({ ...REUSE, num: 1 })),
				]);
				expect(cancelled.status).toBe('canceled');
				expect(other.items).toHaveLength(1);
				expect(shop.nums).toEqual(['1', '1']);
			},
		);
	});

	it('keeps to the limit of the run for what is missing only', async () => {
		const me = owner('dpsPerIp');
		const options = { maxExtractionsPerRun: 3 };
		await me.run({ ...REUSE, num: 3, options });
		const { items } = await me.run({ ...REUSE, num: 5, options });
		expect(items).toHaveLength(5);
		const { error } = await me.run({ ...REUSE, num: 9, options });
		expect(error?.description).toMatch(/needs 4 proxies/);
		expect(used(me)).toBe(5);
	});

	it('is shared by runs at once, for input items as well', async () => {
		const me = owner('dpsPerIp');
		const items = Array.from({ length: 5 }, () => ({}));
		const fields = { ...REUSE, output: 'forEachInput' };
		const runs = await Promise.all([me.run(fields, { items }), me.run(fields, { items })]);
		for (const run of runs) {
			expect(new Set(run.items.map(({ json }) => json.proxyUrl)).size).toBe(5);
		}
		expect(used(me)).toBe(5);
	});
});

describe('a new order', () => {
	/** The order can be used after so many seconds. */
	function newOwner(seconds: number) {
		bed().sandbox.settings.newOrdersWaitSeconds = seconds;
		const me = owner('dpsPerIp');
		me.order.createdAt = bed().sandbox.clock.now();
		return me;
	}

	afterEach(() => {
		bed().sandbox.settings.newOrdersWaitSeconds = 0;
	});

	const WAIT = { product: 'DPS', num: 1, options: { waitForNewOrder: true } };

	it('is waited for until it can be used', async () => {
		const me = newOwner(50);
		const begin = performance.now();
		const { items, error } = await me.run(WAIT);
		expect(error).toBeUndefined();
		expect(items).toHaveLength(1);
		expect((performance.now() - begin) / 1000).toBeLessThan(66);
		expect(used(me)).toBe(1);
	});

	it('is let go of at once when the run is cancelled meanwhile', async () => {
		const me = newOwner(600);
		let cancelledAt = NaN;
		const cancelWhen = sleep(20_000).then(() => (cancelledAt = performance.now()));
		const { status } = await me.run(WAIT, { cancelWhen });
		expect(status).toBe('canceled');
		expect(performance.now() - cancelledAt).toBeLessThan(1000);
		const calls = bed().sandbox.log.count(GET_DPS);
		await sleep(60_000);
		expect(bed().sandbox.log.count(GET_DPS)).toBe(calls);
	});

	it('is waited for once, however many items there are', async () => {
		const me = newOwner(100_000);
		const begin = performance.now();
		const { errorItems } = await me.run(WAIT, {
			items: Array.from({ length: 5 }, () => ({})),
			settings: CONTINUE,
		});
		expect(errorItems).toHaveLength(5);
		expect((performance.now() - begin) / 1000).toBeLessThan(75);
	});
});

describe('an address', () => {
	const ADDRESSES = ['113.120.61.166:22989', '[2001:db8::1]:8080', 'us.x000.kdlfps.com:18866'];

	/** The same list as the service writes it in that format. */
	function written(format: string, entries: readonly string[]): ScriptedAnswer {
		if (format === 'json') return list(entries);
		if (format === 'text') return { body: entries.join('\r\n') };
		const proxies = entries.map((entry) => `<proxy>${entry}</proxy>`).join('');
		return {
			body: `<result><code>0</code><msg></msg><data><count>${entries.length}</count><proxy_list>${proxies}</proxy_list></data></result>`,
		};
	}

	it.each(
		['json', 'text', 'xml'].flatMap((format) =>
			(
				[
					[{ product: 'DPS', num: 3 }, ',60'],
					[{ product: 'KPS' }, ''],
					[{ product: 'FPS', connection: 'extraction', num: 3 }, ''],
					[{ product: 'SFPS' }, ':u1:p1:US'],
				] as const
			).map(([fields, behind]) => [fields.product, format, fields, behind] as const),
		),
	)('of %s may be IPv6 or a name, as %s', async (_, format, fields, behind) => {
		const entries = ADDRESSES.map((address) => `${address}${behind}`);
		await inShop(
			() => written(format, entries),
			async (shop) => {
				const { items, error } = await shop.run({ ...fields, options: { format } });
				expect(error).toBeUndefined();
				const login = fields.product === 'SFPS' ? 'u1:p1' : 'd1:p%3Aa%40ss';
				expect(items.map(({ json }) => json.proxyUrl)).toEqual(
					ADDRESSES.map((address) => `http://${login}@${address}`),
				);
				expect(items.map(({ json }) => json.host)).toEqual([
					'113.120.61.166',
					'2001:db8::1',
					'us.x000.kdlfps.com',
				]);
			},
		);
	});

	it.each(['TPS', 'TPS_PRO', 'FPS'])('of the tunnel %s may be IPv6', async (product) => {
		for (const format of ['json', 'text', 'xml']) {
			await inShop(
				() => written(format, ['[2001:db8::1]:15818']),
				async (shop) => {
					const { items } = await shop.run({ product, options: { format } });
					expect(items[0].json).toMatchObject({ ...LOGIN, host: '2001:db8::1', port: 15_818 });
				},
			);
		}
	});

	it.each<[string, ScriptedAnswer, IDataObject]>([
		['JSON', success({ ip: '218.95.37.135', port: '10272' }), { host: '218.95.37.135' }],
		['IPv6', success({ ip: '2001:db8::1', port: 10_272 }), { address: '[2001:db8::1]:10272' }],
		[
			'an exit of its own',
			success({ ip: '218.95.37.135', port: '10272', public_ip: '175.160.149.129' }),
			{ publicIp: '175.160.149.129' },
		],
		['text', { body: '218.95.37.135:10272' }, { host: '218.95.37.135', port: 10_272 }],
		[
			'XML',
			{
				body: '<result><code>0</code><msg></msg><data><ip>218.95.37.135</ip><port>10272</port></data></result>',
			},
			{ port: 10_272 },
		],
	])('of a dedicated proxy by its ID is read from %s', async (_, answer, expected) => {
		await inShop(
			() => answer,
			async (shop) => {
				const { items, error } = await shop.run({ product: 'KPS', kpsBy: 'id', fId: 'lrps-1' });
				expect(error).toBeUndefined();
				expect(items[0].json).toMatchObject({ ...LOGIN, ...expected });
			},
		);
	});
});

describe('one proxy for each of many input items', () => {
	const FOR_EACH = { product: 'DPS', output: 'forEachInput' };

	it('leaves 25 items as they are, with binary data, links and other fields', async () => {
		const input: INodeExecutionData[] = Array.from({ length: 25 }, (_, n) => ({
			json: { n, nested: { list: [n] } },
			binary: {
				file: { data: Buffer.from(`file ${n}`).toString('base64'), mimeType: 'text/plain' },
			},
			pairedItem: { item: 0 },
		}));
		const me = owner('dpsPerIp');
		const { items, error } = await me.run(FOR_EACH, { input });
		expect(error).toBeUndefined();
		expect(
			items.map(({ json: { proxyUrl, proxyDetails, ...json }, ...others }) => ({
				json,
				...others,
			})),
		).toEqual(input.map((item, index) => ({ ...item, pairedItem: { item: index } })));
		expect(new Set(items.map(({ json }) => json.proxyUrl)).size).toBe(25);
		expect(used(me)).toBe(25);
	});

	it('makes one extraction for each setting, and gives each item one of its own setting', async () => {
		const me = owner('dpsPerIp');
		const items = Array.from({ length: 12 }, (_, n) => ({ carrier: (n % 3) + 1 }));
		const filters = { carrier: '={{ $json.carrier }}' };
		const run = await me.run({ ...FOR_EACH, filters }, { items });
		expect(run.error).toBeUndefined();
		const calls = bed().sandbox.log.entries(GET_DPS);
		expect(calls.map(({ parameters: { carrier, num } }) => [carrier, num])).toEqual([
			['1', '4'],
			['2', '4'],
			['3', '4'],
		]);
		expect(run.items.map(({ json }) => json.carrier)).toEqual(items.map(({ carrier }) => carrier));
		expect(new Set(run.items.map(({ json }) => json.proxyUrl)).size).toBe(12);
	});

	it('gives items of different settings different sessions', async () => {
		const me = owner('tpsPro');
		const run = await me.run(
			{
				product: 'TPS_PRO',
				output: 'forEachInput',
				sessionPerItem: true,
				sessionMinutes: 5,
				region: '={{ $json.region }}',
			},
			{ items: ['NC', 'NC', 'EC', 'EC'].map((region) => ({ region })) },
		);
		const sids = run.items.map(({ json }) => /-sid-(\w+)/.exec(String(json.proxyUrl))?.[1]);
		expect(new Set(sids).size).toBe(4);
	});

	it('leaves the others alone when one item is wrong', async () => {
		const me = owner('dpsPerIp');
		const items = [{ each: 1 }, { each: 0 }, { each: 1 }];
		const fields = { ...FOR_EACH, itemsPerProxy: '={{ $json.each }}' };
		const run = await me.run(fields, { items, settings: CONTINUE });
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
		expect(run.errorItems.map(({ json }) => json.error)).toEqual([
			expect.stringMatching(/'Items per Proxy' is 0/),
		]);
		expect(used(me)).toBe(2);
		const stopped = await me.run(fields, { items });
		expect(stopped.error?.message).toMatch(/\[item 1\]/);
		expect(used(me)).toBe(2);
	});

	it('tells every item of a failed extraction why, and makes one call', async () => {
		const me = owner('dpsPerIp');
		bed().sandbox.faults.add({ kind: 'code', code: 1, msg: '', path: GET_DPS });
		const { errorItems } = await me.run(FOR_EACH, {
			items: [{}, {}, {}],
			settings: { onError: 'continueErrorOutput' },
		});
		expect(errorItems.map(({ json }) => json.error)).toEqual(
			Array(3).fill(expect.stringMatching(/Today's quota/)),
		);
		expect(bed().sandbox.log.count(GET_DPS)).toBe(1);
	});

	it('stops at once when the run is cancelled', async () => {
		const me = owner('dpsPerIp');
		bed().sandbox.faults.add({ kind: 'hang', path: GET_DPS });
		const cancelWhen = until(() => bed().sandbox.log.count(GET_DPS) > 0);
		const { status } = await me.run(FOR_EACH, { items: [{}, {}], settings: CONTINUE, cancelWhen });
		expect(status).toBe('canceled');
		expect(bed().sandbox.log.count(GET_DPS)).toBe(1);
	});
});

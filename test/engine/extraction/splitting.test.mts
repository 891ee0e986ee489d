import type { IDataObject } from 'n8n-workflow';

import { credentialData } from '../../../harness/credentials.mts';
import { uniqueKeys } from '../../uniqueName.mts';
import { Engine, type RunResult } from '../support/engine.mts';
import { ruledGap } from '../support/ruledGap.mts';
import { RETRY } from '../support/runSettings.mts';
import {
	refusal,
	type ScriptedAnswer,
	type ScriptedCall,
	startScriptedService,
	success,
} from '../support/scriptedService.mts';
import {
	addresses,
	list,
	LOGIN,
	openShop,
	privateEntries,
	supply,
} from '../support/scriptedShop.mts';
import { itWithOwnBed } from '../support/workbench.mts';

/** Runs one extraction of an SVIP order against scripted answers. */
async function scripted(
	num: number,
	answer: (call: ScriptedCall) => ScriptedAnswer,
	parameters: IDataObject = {},
): Promise<RunResult & { asked: number[]; arrivals: number[] }> {
	const service = await startScriptedService(answer);
	const engine = new Engine();
	const credentialId = engine.addCredential(credentialData(service.hosts, uniqueKeys(), 'order'));
	const result = await engine.run({
		credentialId,
		parameters: { resource: 'proxy', product: 'OPS', plan: 'svip', num, ...parameters },
	});
	return {
		...result,
		asked: service.calls.map(({ parameters }) => Number(parameters.num)),
		arrivals: service.calls.map(({ arrival }) => arrival),
	};
}

function found({ items }: RunResult) {
	return items.map(({ json }) => json.address);
}

describe('what was already found', () => {
	it.each<[what: string, lists: string[][], last: string, found: number, hints: RegExp[]]>([
		[
			'is put out without the rest when the service has no more',
			[addresses(0, 2000), addresses(2000, 321)],
			'',
			2321,
			[/^Only 2,321 of 4,500 proxies were found: no more match right now\.$/],
		],
		[
			'is put out when the service says in the middle that nothing matches',
			[addresses(0, 2000)],
			'ERROR(3): 没有',
			2000,
			[/^Only 2,000 of 4,500 proxies were found: no more match right now\.$/],
		],
		[
			'is put out when a later call fails, and the hint says how',
			[addresses(0, 2000), addresses(2000, 2000)],
			'ERROR(-4): broken',
			4000,
			[/^Only 4,000 of 4,500 proxies were found before a call failed\. .*broken/],
		],
	])('%s', async (_what, lists, last, count, hints) => {
		const result = await scripted(4500, ({ index }) =>
			index < lists.length ? list(lists[index]) : { body: last },
		);
		expect(result.error).toBeUndefined();
		expect(result.asked).toEqual(Array(lists.length + Number(last !== '')).fill(2000));
		expect(found(result)).toEqual(addresses(0, count));
		const messages = result.hints.map(({ message }) => message);
		expect(messages).toEqual(hints.map((hint) => expect.stringMatching(hint)));
	});

	it.each([
		[0, ''],
		[1, " With 'Sort', every call starts with the same ones."],
	])('ends the calls when two bring nothing new, sorted by %d', async (sort, because) => {
		const result = await scripted(4500, () => list(addresses(0, 2000)), {
			options: { sort },
		});
		expect(result.error).toBeUndefined();
		expect(found(result)).toEqual(addresses(0, 2000));
		expect(result.asked).toEqual([2000, 2000, 2000]);
		expect(result.hints.map(({ message }) => message)).toEqual([
			`Only 2,000 of 4,500 proxies were found: further calls returned only the same ones again.${because}`,
		]);
	});
});

function distances(arrivals: readonly number[]): number[] {
	return arrivals.slice(1).map((arrival, index) => arrival - arrivals[index]);
}

function heapInMiB(): number {
	return process.memoryUsage().heapUsed / 2 ** 20;
}

itWithOwnBed(
	{
		'comes in calls of the size and at the pace of the plan': async ({ bed }) => {
			const { items, error, hints } = await bed.extract({ plan: 'regular', num: 501 });
			expect(error).toBeUndefined();
			expect(hints).toEqual([]);
			expect(items).toHaveLength(501);
			expect(new Set(items.map(({ json }) => json.address)).size).toBe(501);
			for (const item of items.slice(-10)) bed.proxyOf(item);

			const asked = bed.extractions.map(({ parameters }) => Number(parameters.num));
			expect(asked.slice(0, 2)).toEqual([500, 500]);
			for (const each of asked) expect(each).toBeLessThanOrEqual(500);
			for (const distance of distances(bed.extractions.map(({ arrival }) => arrival))) {
				expect(distance).toBeGreaterThanOrEqual(5000);
				expect(distance).toBeLessThan(ruledGap(5000) * 1.01);
			}
		},

		'brings 100,000 proxies at the full pace and in little memory': async () => {
			const before = heapInMiB();
			let growth = 0;
			const watch = setInterval(() => (growth = Math.max(growth, heapInMiB() - before)), 50);
			const { error, items, asked, arrivals } = await scripted(100_000, ({ index, parameters }) =>
				list(addresses(index * 2000, Number(parameters.num))),
			);
			clearInterval(watch);

			expect(error).toBeUndefined();
			expect(items).toHaveLength(100_000);
			expect(new Set(items.map(({ json }) => json.address)).size).toBe(100_000);
			expect(asked).toEqual(Array.from({ length: 50 }, () => 2000));
			const took = arrivals[49] - arrivals[0];
			expect(took).toBeGreaterThanOrEqual(49 * 200);
			// One turn is left to others with the same key
			expect(took).toBeLessThan(50 * ruledGap(200) * 1.01);
			expect(growth).toBeLessThan(300);
		},
	},
	{ catalogueSize: 20_000 },
);

/* What the supply learns from failed items, from other nodes, and from time. */

const engine = new Engine();

const FOR_EACH = { product: 'DPS', output: 'forEachInput', reuse: true };

/** An item as it leaves the error output of HTTP Request. */
function failedItem(item: IDataObject, error: IDataObject | string): IDataObject {
	return { ...item, error };
}

describe('an item from an error output', () => {
	const ofStatus = (status: number) => ({ message: `${status} - "no"`, status });

	it.each<[what: string, error: IDataObject | string, gets: string, othersGet: string]>([
		['a time-out', { message: 'timeout of 10000ms exceeded', code: 'ECONNABORTED' }, 'new', 'new'],
		[
			'an ended proxy',
			{ message: '454 - "Proxy Authentication Expired"', status: 454 },
			'new',
			'new',
		],
		['a message alone', 'The connection was aborted', 'new', 'new'],
		['status 503', ofStatus(503), 'new', 'first'],
		['status 446', ofStatus(446), 'new', 'first'],
		['status 403', ofStatus(403), 'new', 'first'],
		// The page itself answered
		['status 404', ofStatus(404), 'first', 'first'],
		['status 500', ofStatus(500), 'first', 'first'],
	])('gets, after %s, the %s proxy, and others get the %s one', async (...each) => {
		const [, error, gets, othersGet] = each;
		const shop = await openShop(engine, supply());
		const [first] = (await shop.run(FOR_EACH, { items: [{ url: 'a' }] })).items;
		const again = await shop.run(FOR_EACH, { items: [failedItem(first.json, error)] });
		const [{ json }] = again.items;
		expect(json).toMatchObject({ url: 'a' });
		expect(json).not.toHaveProperty('error');
		expect(json.proxyUrl === first.json.proxyUrl).toBe(gets === 'first');
		if (othersGet === 'new') {
			const replaces: unknown = Reflect.get(Object(first.json.proxyDetails), 'address');
			expect(json.proxyDetails).toMatchObject({ replaces });
		}
		const [other] = (await shop.run(FOR_EACH, { items: [{}] })).items;
		expect(other.json.proxyUrl).toBe((othersGet === 'new' ? json : first.json).proxyUrl);
		expect(shop.nums).toEqual(gets === 'new' ? ['1', '1'] : ['1']);
	});

	it.each([0, ''])(
		'comes without its error %j, which n8n would take for its own',
		async (error) => {
			const shop = await openShop(engine, supply());
			const { items } = await shop.run(FOR_EACH, { items: [{ url: 'a', error }] });
			expect(items.map(({ json }) => Object.keys(json))).toEqual([
				['url', 'proxyUrl', 'proxyDetails'],
			]);
		},
	);

	it('that comes back again and again gets none twice that the site has blocked', async () => {
		const shop = await openShop(engine, supply());
		const seen: unknown[] = [];
		let item: IDataObject = { url: 'a' };
		for (const status of [403, 403, 454, 403]) {
			const [{ json }] = (await shop.run(FOR_EACH, { items: [item] })).items;
			seen.push(json.proxyUrl);
			item = failedItem(json, { message: `${status} - "no"`, status });
		}
		expect(new Set(seen).size).toBe(4);
		// Another item may have them
		expect(seen).toContain((await shop.run(FOR_EACH, { items: [{}] })).items[0].json.proxyUrl);
		expect(shop.nums).toEqual(['1', '1', '1', '1']);
	});

	it('gets another proxy also where somebody put the login into the URL without encoding it', async () => {
		const shop = await openShop(engine, supply());
		const proxyUrl = 'http://d1:50%off@113.9.9.9:22989';
		const item = failedItem({ proxyUrl }, 'The connection was aborted');
		const { items, error } = await shop.run(FOR_EACH, { items: [item] });
		expect(error).toBeUndefined();
		expect(items[0].json.proxyDetails).toMatchObject({ replaces: '113.9.9.9:22989' });
	});

	it.each([407, 460])('fetches the login again after %d', async (status) => {
		const shop = await openShop(engine, supply());
		const [first] = (await shop.run(FOR_EACH, { items: [{}] })).items;
		const before = shop.logins;
		const error = { message: `${status} - "Proxy Authentication Failed:"`, status };
		await shop.run(FOR_EACH, { items: [{}] });
		expect(shop.logins).toBe(before);
		await shop.run(FOR_EACH, { items: [failedItem(first.json, error)] });
		expect(shop.logins).toBe(before + 1);
		expect(shop.nums).toEqual(['1']);
	});
});

describe('an address that the service gives again after it failed', () => {
	const TIMEOUT = { message: 'timeout of 10000ms exceeded', code: 'ECONNABORTED' };
	/** The addresses of each call, by number. */
	function giving(...calls: ReadonlyArray<readonly number[]>) {
		let made = 0;
		return () =>
			list((calls[(made += 1) - 1] ?? []).flatMap((number) => privateEntries(number, 1)));
	}
	const addressOf = (number: number) => privateEntries(number, 1)[0].split(',')[0];
	const given = ({ items }: { items: ReadonlyArray<{ json: IDataObject }> }) =>
		items.map(({ json }) => Reflect.get(Object(json.proxyDetails), 'address'));

	it('is not handed out again with reuse, and counts as extracted', async () => {
		const shop = await openShop(engine, giving([1], [1], [1], [2]));
		const [first] = (await shop.run(FOR_EACH, { items: [{}] })).items;
		const again = await shop.run(FOR_EACH, { items: [failedItem(first.json, TIMEOUT)] });
		expect(given(again)).toEqual([addressOf(2)]);
		expect(again.hints.map(({ message }) => message)).toEqual(['Proxies reused: 0, extracted: 3.']);
		expect(shop.nums).toEqual(['1', '1', '1', '1']);
	});

	it('and nothing else, fails the item after three extractions, and says what helps', async () => {
		const shop = await openShop(engine, giving([1], [1], [1], [1]));
		const [first] = (await shop.run(FOR_EACH, { items: [{}] })).items;
		const { error } = await shop.run(FOR_EACH, { items: [failedItem(first.json, TIMEOUT)] });
		expect(error?.message).toMatch(/^No proxy came for this item/);
		expect(error?.description).toMatch(/had failed before\..*'Skip Already Extracted'/);
		expect(shop.nums).toHaveLength(4);
	});

	it('goes to no item where others came, without reuse', async () => {
		const fields = { ...FOR_EACH, reuse: false };
		const shop = await openShop(engine, giving([1, 2], [2, 3], [3]));
		const { items } = await shop.run(fields, { items: [{}, {}] });
		const failed = items.map(({ json }) => failedItem(json, TIMEOUT));
		const again = await shop.run(fields, { items: failed });
		expect(given(again)).toEqual([addressOf(3), addressOf(3)]);
		expect(shop.nums).toEqual(['2', '2']);
		expect(again.hints.map(({ message }) => message).join()).toMatch(
			/^Item 0: Only 1 of 2 proxies were found: the others that came had failed before\..* The items take turns\.$/,
		);
	});

	it('is better than none without reuse', async () => {
		const fields = { ...FOR_EACH, reuse: false };
		const shop = await openShop(engine, giving([1], [1]));
		const [first] = (await shop.run(fields, { items: [{}] })).items;
		const again = await shop.run(fields, { items: [failedItem(first.json, TIMEOUT)] });
		expect(given(again)).toEqual([addressOf(1)]);
	});
});

it.each([407, 460])(
	'gets another proxy where a login fetched anew got %d as well',
	async (status) => {
		const shop = await openShop(engine, supply());
		const error = { message: `${status} - "Proxy Authentication Failed:"`, status };
		const [first] = (await shop.run(FOR_EACH, { items: [{}] })).items;
		const again = await shop.run(FOR_EACH, { items: [failedItem(first.json, error)] });
		expect(again.items[0].json.proxyUrl).toBe(first.json.proxyUrl);
		const third = await shop.run(FOR_EACH, { items: [failedItem(again.items[0].json, error)] });
		expect(third.items[0].json.proxyUrl).not.toBe(first.json.proxyUrl);
		expect(shop.nums).toEqual(['1', '1']);
	},
);

describe('reuse', () => {
	const REUSE = { product: 'DPS', reuse: true };

	it('rotates over what is there', async () => {
		const shop = await openShop(engine, supply());
		await shop.run({ ...REUSE, num: 3 });
		const seen = new Set<unknown>();
		for (let run = 0; run < 3; run += 1) {
			seen.add((await shop.run({ ...REUSE, num: 1 })).items[0].json.address);
		}
		expect(seen.size).toBe(3);
		expect(shop.nums).toEqual(['3']);
	});

	it('does not mind the order of areas, nor a filter that is set to any', async () => {
		const shop = await openShop(engine, supply());
		for (const filters of [
			{ area: '北京,上海' },
			{ area: '上海,北京' },
			{ area: '上海,北京', carrier: 0 },
		]) {
			await shop.run({ ...REUSE, num: 1, filters });
		}
		expect(shop.nums.filter(Boolean)).toEqual(['1']);
	});

	it('gives no item one that another item of the run has', async () => {
		const shop = await openShop(engine, supply());
		await shop.run(FOR_EACH, { items: [{}] });
		const fields = { ...FOR_EACH, minimumSecondsLeft: '={{ $json.seconds }}' };
		const { items } = await shop.run(fields, { items: [{ seconds: 10 }, { seconds: 20 }] });
		expect(new Set(items.map(({ json }) => json.proxyUrl)).size).toBe(2);
		// One was kept, so one more is extracted
		expect(shop.nums).toEqual(['1', '1']);
	});

	it('puts out or keeps what came beyond the number', async () => {
		const shop = await openShop(engine, ({ index }) => list(privateEntries(index * 10, 3)));
		expect((await shop.run({ product: 'DPS', num: 2 })).items).toHaveLength(3);
		await shop.run({ ...REUSE, num: 2 });
		expect((await shop.run({ ...REUSE, num: 3 })).items).toHaveLength(3);
		expect(shop.nums).toEqual(['2', '2']);
	});

	it('knows how long overseas proxies work', async () => {
		const shop = await openShop(engine, () =>
			success({ count: 1, proxy_list: ['113.120.61.166:22989'] }),
		);
		const fields = { product: 'FPS', connection: 'extraction', num: 1, period: 5, reuse: true };
		const { items } = await shop.run(fields);
		expect(items[0].json.secondsLeft).toBe(300);
		expect(items[0].json).toHaveProperty('expiresAt');
		await shop.run(fields);
		expect(shop.nums).toEqual(['1']);
	});
});

it('no match is asked for again by Retry On Fail', async () => {
	const give = supply();
	const shop = await openShop(engine, (call) => (call.index === 1 ? refusal(3) : give(call)));
	const { items } = await shop.run({ ...FOR_EACH, reuse: false }, { items: [{}], settings: RETRY });
	expect(items).toHaveLength(1);
	expect(shop.nums).toEqual(['1', '1']);
});

it('open proxies that are not to come twice are not asked for again after an unclear answer', async () => {
	const shop = await openShop(engine, () => ({ status: 502, body: '' }));
	const fields = { product: 'OPS', plan: 'svip', num: 1 };
	const { error } = await shop.run({ ...fields, filters: { dedup: true } });
	expect(error?.description).toMatch(/may have been extracted/);
	expect(shop.nums).toHaveLength(1);
});

it.each([
	['a field of the user', { proxyUrl: 'my own text' }, {}, /already has a field 'proxyUrl'/],
	['details of the user', { proxyDetails: { mine: 1 } }, {}, /already has a field 'proxyDetails'/],
	['a name with a dot', {}, { proxyField: 'a.b' }, /without a dot/],
])('%s is refused rather than lost, and nothing is extracted', async (_, item, fields, text) => {
	const shop = await openShop(engine, supply());
	const { error } = await shop.run({ ...FOR_EACH, ...fields }, { items: [item] });
	expect(error?.description).toMatch(text);
	expect(shop.extractions).toHaveLength(0);
});

it('Get Login brings the new password to Extract', async () => {
	const shop = await openShop(engine, supply());
	await shop.run(FOR_EACH, { items: [{}] });
	const before = shop.logins;
	const login = await shop.run({ resource: 'proxy', operation: 'getLogin' });
	expect(login.items[0].json).toMatchObject({
		...LOGIN,
		proxyAuthorization: expect.stringMatching(/^Basic /),
	});
	const { items } = await shop.run(FOR_EACH, { items: [{}] });
	expect(shop.logins).toBe(before + 1);
	expect(items[0].json.proxyDetails).toMatchObject(LOGIN);
	expect(items[0].json.proxyDetails).not.toHaveProperty('proxyAuthorization');
});

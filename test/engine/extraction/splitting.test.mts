import type { IDataObject } from 'n8n-workflow';

import { credentialData } from '../../../harness/credentials.mts';
import { uniqueKeys } from '../../uniqueName.mts';
import { Engine, type RunResult } from '../support/engine.mts';
import { itWithOwnBed } from '../support/itWithOwnBed.mts';
import { ruledGap } from '../support/ruledGap.mts';
import {
	addresses,
	listAnswer,
	startScriptedService,
	type ScriptedAnswer,
	type ScriptedCall,
} from '../support/scriptedService.mts';

import type { PlanName, TestBed } from '../support/testBed.mts';

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
			'is left out, and each call asks for all that it gives',
			[addresses(0, 2000), addresses(1500, 2000), addresses(3400, 2000)],
			'',
			4500,
			[],
		],
		[
			'is put out without the rest when the service has no more',
			[addresses(0, 2000), addresses(2000, 321)],
			'',
			2321,
			[/^Only 2,321 of 4,500 proxies were found\. No more match right now\.$/],
		],
		[
			'is put out when the service says in the middle that nothing matches',
			[addresses(0, 2000)],
			'ERROR(3): 没有',
			2000,
			[/^Only 2,000 of 4,500 proxies were found\. No more match right now\.$/],
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
			index < lists.length ? listAnswer(lists[index]) : { body: last },
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
		const result = await scripted(4500, () => listAnswer(addresses(0, 2000)), {
			options: { sort },
		});
		expect(result.error).toBeUndefined();
		expect(found(result)).toEqual(addresses(0, 2000));
		expect(result.asked).toEqual([2000, 2000, 2000]);
		expect(result.hints.map(({ message }) => message)).toEqual([
			`Only 2,000 of 4,500 proxies were found. Further calls returned only the same ones again.${because}`,
		]);
	});

	it('is put out in one item, too', async () => {
		const result = await scripted(
			4500,
			({ index }) => (index === 0 ? listAnswer(addresses(0, 2000)) : { body: 'ERROR(-51): 上限' }),
			{ output: 'allInOne' },
		);
		expect(result.error).toBeUndefined();
		expect(result.items.map(({ json }) => json.count)).toEqual([2000]);
		expect(result.hints).toHaveLength(1);
	});

	it('is nothing when the first call fails, which is an error', async () => {
		const { error, items, hints } = await scripted(4500, () => ({ body: 'ERROR(-4): broken' }));
		expect(error?.description).toContain('broken');
		expect(items).toEqual([]);
		expect(hints).toEqual([]);
	});
});

it.each([
	['no more than was asked for when the service sends more', addresses(0, 10), addresses(0, 3), 0],
	['once what comes twice', ['1.2.3.4:80', '1.2.3.4:80'], ['1.2.3.4:80'], 1],
])('takes %s', async (_what, list, expected, hints) => {
	const result = await scripted(3, () => listAnswer(list));
	expect(found(result)).toEqual(expected);
	expect(result.asked).toEqual([3]);
	expect(result.hints).toHaveLength(hints);
});

function distances(arrivals: readonly number[]): number[] {
	return arrivals.slice(1).map((arrival, index) => arrival - arrivals[index]);
}

function heapInMiB(): number {
	return process.memoryUsage().heapUsed / 2 ** 20;
}

const PLANS: ReadonlyArray<[plan: PlanName, num: number, cap: number, intervalMs: number]> = [
	['regular', 501, 500, 5000],
	['vip', 1001, 1000, 1000],
	['svip', 4500, 2000, 200],
];

itWithOwnBed(
	{
		...Object.fromEntries(
			PLANS.map(([plan, num, cap, intervalMs]) => [
				`comes in calls of the size and at the pace of the plan ${plan}`,
				async (bed: TestBed) => {
					const { items, error, hints } = await bed.extract({ plan, num });
					expect(error).toBeUndefined();
					expect(hints).toEqual([]);
					expect(items).toHaveLength(num);
					expect(new Set(items.map(({ json }) => json.address)).size).toBe(num);
					for (const item of items.slice(-10)) bed.proxyOf(item);

					const asked = bed.extractions.map(({ parameters }) => Number(parameters.num));
					expect(asked.slice(0, 2)).toEqual([cap, cap]);
					for (const each of asked) expect(each).toBeLessThanOrEqual(cap);
					for (const distance of distances(bed.extractions.map(({ arrival }) => arrival))) {
						expect(distance).toBeGreaterThanOrEqual(intervalMs);
						expect(distance).toBeLessThan(ruledGap(intervalMs) * 1.01);
					}
				},
			]),
		),

		'is one call as long as the cap is not exceeded': async (bed) => {
			const { items } = await bed.extract({ num: 2000 });
			expect(items).toHaveLength(2000);
			expect(bed.extractions).toHaveLength(1);
		},

		'brings 100,000 proxies at the full pace and in little memory': async () => {
			const before = heapInMiB();
			let growth = 0;
			const watch = setInterval(() => (growth = Math.max(growth, heapInMiB() - before)), 50);
			const { error, items, asked, arrivals } = await scripted(100_000, ({ index, parameters }) =>
				listAnswer(addresses(index * 2000, Number(parameters.num))),
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

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
	it('is left out, and each call asks for all that it gives', async () => {
		const answers = [addresses(0, 2000), addresses(1500, 2000), addresses(3400, 2000)];
		const result = await scripted(4500, ({ index }) => listAnswer(answers[index] ?? []));
		expect(result.error).toBeUndefined();
		expect(result.asked).toEqual([2000, 2000, 2000]);
		expect(found(result)).toEqual(addresses(0, 4500));
		expect(result.hints).toEqual([]);
	});

	it('is put out without the rest when the service has no more', async () => {
		const answers = [addresses(0, 2000), addresses(2000, 321)];
		const result = await scripted(4500, ({ index }) => listAnswer(answers[index] ?? []));
		expect(result.asked).toEqual([2000, 2000]);
		expect(found(result)).toEqual(addresses(0, 2321));
		expect(result.hints.map(({ message }) => message)).toEqual([
			'Only 2,321 of 4,500 proxies were found. No more match right now.',
		]);
	});

	it('is put out too when the service says in the middle that nothing matches', async () => {
		const result = await scripted(4500, ({ index }) =>
			index === 0 ? listAnswer(addresses(0, 2000)) : { body: 'ERROR(3): 没有' },
		);
		expect(result.error).toBeUndefined();
		expect(result.asked).toEqual([2000, 2000]);
		expect(found(result)).toEqual(addresses(0, 2000));
		expect(result.hints).toHaveLength(1);
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

	it('is put out when a later call fails, and the hint says how', async () => {
		const result = await scripted(6000, ({ index }) =>
			index < 2 ? listAnswer(addresses(index * 2000, 2000)) : { body: 'ERROR(-4): broken' },
		);
		expect(result.asked).toEqual([2000, 2000, 2000]);
		expect(result.error).toBeUndefined();
		expect(found(result)).toEqual(addresses(0, 4000));
		expect(result.hints).toHaveLength(1);
		const [{ message }] = result.hints;
		expect(message).toMatch(/^Only 4,000 of 6,000 proxies were found before a call failed\. /);
		expect(message).toContain('broken');
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

it('takes no more than was asked for when the service sends more', async () => {
	const result = await scripted(3, () => listAnswer(addresses(0, 10)));
	expect(found(result)).toEqual(addresses(0, 3));
});

it('takes the same proxy once when it comes twice in one answer', async () => {
	const result = await scripted(3, () => listAnswer(['1.2.3.4:80', '1.2.3.4:80', '1.2.3.4:81']));
	expect(found(result)).toEqual(['1.2.3.4:80', '1.2.3.4:81']);
	expect(result.asked).toEqual([3]);
	expect(result.hints).toHaveLength(1);
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

import { Engine, type RunResult } from './engine.mts';
import { itWithOwnBed } from './itWithOwnBed.mts';
import {
	addresses,
	listAnswer,
	startScriptedService,
	type ScriptedAnswer,
	type ScriptedCall,
} from './scriptedService.mts';

import { uniqueName, type PlanName, type TestBed } from './testBed.mts';

/** Runs one extraction of an SVIP order against scripted answers. */
async function scripted(
	num: number,
	answer: (call: ScriptedCall) => ScriptedAnswer,
	settings: { items?: object[]; plan?: string } = {},
): Promise<RunResult & { asked: number[]; arrivals: number[] }> {
	const service = await startScriptedService(answer);
	const engine = new Engine();
	const credentialId = engine.addCredential({
		keyType: 'order',
		secretId: uniqueName('id'),
		secretKey: uniqueName('key'),
		signType: 'hmacsha1',
		customHosts: true,
		...service.hosts,
	});
	const { plan = 'svip', items } = settings;
	const result = await engine.run({
		credentialId,
		parameters: { plan, num },
		items: items?.map((json) => ({ ...json })),
	});
	await service.close();
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
	it('is left out, and no call asks for more than is missing', async () => {
		const answers = [addresses(0, 2000), addresses(1500, 2000), addresses(3400, 1000)];
		const result = await scripted(4500, ({ index }) =>
			listAnswer(answers[index] ?? addresses(4400, 100)),
		);
		expect(result.error).toBeUndefined();
		// 2,000, then 1,500 new ones, then 900 new ones, then the last 100
		expect(result.asked).toEqual([2000, 2000, 1000, 100]);
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

	it('ends the calls at some time when the service repeats itself', async () => {
		const result = await scripted(4500, () => listAnswer(addresses(0, 2000)));
		expect(result.error).toBeUndefined();
		expect(found(result)).toEqual(addresses(0, 2000));
		expect(result.asked.length).toBeGreaterThan(1);
		expect(result.asked.length).toBeLessThan(10);
		expect(result.hints).toHaveLength(1);
	});

	it('is told in the error when a later call fails', async () => {
		const { error, items, asked } = await scripted(4500, ({ index }) =>
			index < 2 ? listAnswer(addresses(index * 2000, 2000)) : { status: 502, body: 'Bad Gateway' },
		);
		expect(asked).toEqual([2000, 2000, 500]);
		expect(items).toEqual([]);
		expect(error?.message).toContain('HTTP status 502');
		expect(error?.description).toMatch(/\b4,?000 proxies\b.* not in the output/);
	});

	it('is not spoken of when the first call fails', async () => {
		const { error } = await scripted(4500, () => ({ status: 502, body: '' }));
		expect(error?.message).toContain('HTTP status 502');
		expect(error?.description).not.toContain('not in the output');
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

/** A request may leave late, or be noticed late, while other suites keep the processor busy. */
const BUSY_MACHINE_MS = 700;

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
					expect(asked.slice(0, 2)).toEqual([cap, Math.min(cap, num - cap)]);
					for (const each of asked) expect(each).toBeLessThanOrEqual(cap);
					for (const distance of distances(bed.extractions.map(({ arrival }) => arrival))) {
						expect(distance).toBeGreaterThan(intervalMs - BUSY_MACHINE_MS);
						expect(distance).toBeLessThan(intervalMs * 1.03 + BUSY_MACHINE_MS);
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
			const forced = 49 * 200;
			const took = arrivals[49] - arrivals[0];
			expect(took).toBeGreaterThan(forced - BUSY_MACHINE_MS);
			expect(took).toBeLessThan(forced * 1.03 + BUSY_MACHINE_MS);
			expect(growth).toBeLessThan(300);
		},
	},
	{ catalogueSize: 20_000 },
);

import type { Measure } from '../measure.mts';
import { quickSandbox } from '../quickSandbox.mts';
import { record } from '../recorded.mts';
import { median, ratioOf, type Pair } from '../statistics.mts';

const MOST = 10_000;
/** Each with so many runs that all of them handle equally many items. */
const COUNTS = [10, 100, 1_000, MOST];
const COMPARED = 1_000;
const ROUNDS = 7;

export const growth: Measure = {
	name: 'growth',
	compares: `Account: Get Balance, time per item with ${MOST.toLocaleString('en-US')} input items / with ${COMPARED.toLocaleString('en-US')}.`,
	goal: 1.1,
	async measure(say) {
		const { runInEngine } = await import('../engine.mts');
		const sandbox = await quickSandbox({ rateLimits: false });
		const { credential } = await record({
			host: sandbox.hosts.baseUrl,
			path: '/api/getaccountbalance',
			keyType: 'account',
			keys: sandbox.keys.account,
		});
		const perItem = async (itemCount: number, itemsInAll: number): Promise<number> => {
			let total = 0;
			for (let done = 0; done < itemsInAll; done += itemCount) {
				const { nodeMs, items } = await runInEngine({
					parameters: { resource: 'account', operation: 'getBalance' },
					credential,
					itemCount,
				});
				if (items.length !== itemCount) throw new Error(`${items.length} items came out`);
				total += nodeMs;
			}
			return total / itemsInAll;
		};
		await perItem(100, 1_000);
		const times = new Map<number, number[]>(COUNTS.map((count) => [count, []]));
		for (let round = 0; round < ROUNDS; round++) {
			say(`  growth: round ${round + 1} of ${ROUNDS}`);
			const order = round % 2 === 0 ? COUNTS : [...COUNTS].reverse();
			for (const count of order) {
				times.get(count)?.push(await perItem(count, Math.max(count, 2_000)));
			}
		}
		const of = (count: number) => times.get(count) ?? [];
		const pairs: Pair[] = of(MOST).map((ours, round) => ({
			ours,
			other: of(COMPARED)[round] ?? NaN,
		}));
		const reference = median(of(COMPARED));
		const perItemVsCompared = Object.fromEntries(
			COUNTS.map((count) => [count, median(of(count)) / reference]),
		);
		return { ...ratioOf(pairs), perItemVsCompared };
	},
};

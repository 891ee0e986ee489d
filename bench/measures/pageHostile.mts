import type { Measure } from '../measure.mts';
import { ratioOf } from '../statistics.mts';

const LONGEST_MS = 200;
const ROUNDS = 3;

export const pageHostile: Measure = {
	name: 'page-hostile',
	compares: `Pages that were made to hurt, 2 to 10 MB each, read by what reads them: the longest time for which nothing else in the process runs, in the best of ${ROUNDS} rounds / ${LONGEST_MS} ms.`,
	goal: 1,
	async measure(say) {
		const { HOSTILE_PAGES } = await import('../../harness/hostilePages/pages.mts');
		const { longestPiece, TEXT_READERS } = await import('../../harness/hostilePages/readers.mts');
		const longest = new Map<string, number>();
		for (const { name, reader, text } of HOSTILE_PAGES) {
			const content = text();
			let best = Infinity;
			for (let round = 0; round < ROUNDS; round++) {
				const read = () => TEXT_READERS[reader](content);
				best = Math.min(best, await longestPiece(read, () => performance.now()));
			}
			say(`  ${String(Math.round(best)).padStart(5)} ms  ${name}`);
			longest.set(name, best);
		}
		const worst = Math.max(...longest.values());
		const slow = [...longest].filter(([, ms]) => ms > LONGEST_MS).map(([name]) => name);
		return {
			...ratioOf([{ ours: worst, other: LONGEST_MS }]),
			pages: longest.size,
			slow: slow.join('; ') || 'none',
		};
	},
};

import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type * as Readers from '../../harness/hostilePages/readers.mts';
import type { Measure } from '../measure.mts';
import { ratioOf } from '../statistics.mts';

const LONGEST_MS = 200;
const ROUNDS = 3;

const ROOT = new URL('../../', import.meta.url);
/** Where n8n's packages are found. */
const BUNDLE = new URL('node_modules/.cache/hostilePages/readers.cjs', ROOT);

/** The readers with their libraries in one file, as the package has them: file by file, a parser takes half as long again. */
async function bundledReaders(): Promise<typeof Readers> {
	await build({
		entryPoints: [fileURLToPath(new URL('harness/hostilePages/readers.mts', ROOT))],
		outfile: fileURLToPath(BUNDLE),
		...{ bundle: true, platform: 'node', format: 'cjs', external: ['n8n-workflow'] },
	});
	try {
		const loaded: typeof Readers = createRequire(import.meta.url)(fileURLToPath(BUNDLE));
		return loaded;
	} finally {
		await rm(BUNDLE);
	}
}

export const pageHostile: Measure = {
	name: 'page-hostile',
	compares: `Pages that were made to hurt, 2 to 10 MB each, read by what reads them: the longest time for which nothing else in the process runs, in the best of ${ROUNDS} rounds / ${LONGEST_MS} ms.`,
	goal: 0.6,
	async measure(say) {
		const { HOSTILE_PAGES } = await import('../../harness/hostilePages/pages.mts');
		const { longestPiece, TEXT_READERS } = await bundledReaders();
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

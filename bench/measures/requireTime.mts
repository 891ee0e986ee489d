import { fileURLToPath } from 'node:url';
import { runToEnd } from '../../harness/realN8n/program.mts';
import type { Measure } from '../measure.mts';
import { packBoth, type PackedPackage } from '../packages.mts';
import { takePairs } from '../pairs.mts';
import { ratioOf } from '../statistics.mts';

const REQUIRE_ALL = fileURLToPath(new URL('../requireAll.cjs', import.meta.url));

async function requireAll({ folder }: PackedPackage): Promise<number> {
	const { code, output } = await runToEnd(process.execPath, [REQUIRE_ALL, folder]);
	const ms = Number(output);
	if (code !== 0 || !(ms > 0)) throw new Error(`The package does not load: ${output}`);
	return ms;
}

export const requireTime: Measure = {
	name: 'require-ms',
	compares:
		'Loading the nodes and the credential of the packed package in a new process / the same with the packed @mendable/n8n-nodes-firecrawl 2.1.2, which has one node.',
	goal: 1,
	async measure(say) {
		const { ours, other, otherName } = await packBoth(say);
		const pairs = await takePairs({
			ours: async () => await requireAll(ours),
			other: async () => await requireAll(other),
			pairs: 31,
			warmUps: 2,
		});
		return { ...ratioOf(pairs), other: otherName };
	},
};

import type { Measure } from '../measure.mts';
import { packBoth } from '../packages.mts';

export const packedSize: Measure = {
	name: 'packed-size',
	compares:
		'Bytes of the packed package / those of @mendable/n8n-nodes-firecrawl 2.1.2, as they come from the registry.',
	goal: 1,
	async measure(say) {
		const { ours, other, otherName } = await packBoth(say);
		const ratio = ours.packedBytes / other.packedBytes;
		return {
			ratio,
			low: ratio,
			high: ratio,
			pairs: 1,
			packedBytes: ours.packedBytes,
			unpackedRatio: ours.unpackedBytes / other.unpackedBytes,
			other: otherName,
		};
	},
};

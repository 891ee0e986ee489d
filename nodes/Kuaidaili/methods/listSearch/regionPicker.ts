import type { FlatParameters } from '../../../shared/credential/signature';
import { picker, type PickerMethod, type PickerSource } from '../../../shared/editor/picker';
import type { NodeCaller } from '../../../shared/transport/nodeCaller';
import { matchesSearch, regionLabel, type Region } from './regionLabel';

/** A region in a list. */
export interface RegionChoice extends Region {
	/** What is shown behind the name, such as ", 12 left". */
	readonly note?: string;
}

/** How a picker of regions gets its list. */
export interface RegionSource<T> extends Pick<PickerSource<T[]>, 'parameters' | 'nothing'> {
	readonly ask: (caller: NodeCaller, parameters: FlatParameters) => Promise<T[]>;
	readonly toRegions: (records: readonly T[]) => RegionChoice[];
}

/** A picker of regions, in the order of their names. */
export function regionPicker<T>({ toRegions, ...source }: RegionSource<T>): PickerMethod {
	return picker<T[]>({
		...source,
		toChoices: (records) =>
			toRegions(records)
				.map((region) => ({
					name: `${regionLabel(region)}${region.note ?? ''}`,
					value: region.code,
					matches: (typed: string | undefined) => matchesSearch(region, typed),
				}))
				.sort((a, b) => a.name.localeCompare(b.name, 'en')),
	});
}

import type { FlatParameters } from '../../../shared/credential/signature';
import {
	listSearchMethod,
	type ListSearchMethod,
	type ListSource,
} from '../../../shared/editor/listSearch';
import type { NodeCaller } from '../../../shared/transport/caller';
import { matchesSearch, regionLabel, type Region } from './regionLabel';

/** A region in a list. */
export interface RegionChoice extends Region {
	/** What is shown behind the name, such as ", 12 left". */
	readonly note?: string;
}

/** How a list of regions is fetched. */
export interface RegionSource<T> extends Pick<ListSource<T[]>, 'parameters' | 'nothing'> {
	readonly fetch: (caller: NodeCaller, parameters: FlatParameters) => Promise<T[]>;
	readonly toRegions: (records: readonly T[]) => RegionChoice[];
}

/** A list search of regions, in the order of their names. */
export function regionListSearch<T>({ toRegions, ...source }: RegionSource<T>): ListSearchMethod {
	return listSearchMethod<T[]>({
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

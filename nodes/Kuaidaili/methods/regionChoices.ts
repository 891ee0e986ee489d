import type { FlatParameters } from '../../shared/service/query';
import type { NodeCaller } from '../../shared/transport/caller';
import {
	listSearchMethod,
	type ListSearchMethod,
	type ListSource,
} from '../../shared/editor/listSearch';
import { simplifiedName } from '../../shared/service/areaNames';
import { englishRegionName, PROVINCES } from '../../shared/service/regionNames';

/** A region as a list shows it. */
export interface Region {
	readonly code: string;
	/** As the service names it. */
	readonly chinese: string;
}

/** Such as "Hangzhou 杭州市 (3301)". */
export function regionLabel({ code, chinese }: Region): string {
	return [englishRegionName(code), chinese, `(${code})`].filter(Boolean).join(' ');
}

function simplified(text: string): string {
	return simplifiedName(text).replace(/省$/u, '');
}

function withoutSpaces(text: string): string {
	return simplified(text).replace(/\s/gu, '');
}

/** Matches word beginnings only: Changzhou and Zhangzhou contain "hangzhou", too. */
function hasWordsLike(name: string, typed: string): boolean {
	const words = simplified(name).split(/\s+/u);
	return words.some((_word, index) => words.slice(index).join('').startsWith(typed));
}

/** Whether the search text matches a region: its name or code, or those of its province. */
export function matchesSearch(region: Region, typed = ''): boolean {
	const provinceCode = region.code.slice(0, 2);
	const province = Object.hasOwn(PROVINCES, provinceCode) ? PROVINCES[provinceCode] : undefined;
	const names = [regionLabel(region), province?.english ?? '', province?.chinese ?? ''];
	const wanted = withoutSpaces(typed);
	// Chinese has no spaces between words
	const isChinese = /\p{Script=Han}/u.test(wanted);
	return names.some((name) =>
		isChinese ? withoutSpaces(name).includes(wanted) : hasWordsLike(name, wanted),
	);
}

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

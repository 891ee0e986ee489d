import {
	askPrivateProxyResources,
	type PrivateProxyResource,
} from '../../availability/privateProxyResources';
import { regionPicker, type RegionChoice } from './regionPicker';

/** One choice per area, which has a record for each carrier. */
function areasOf(resources: readonly PrivateProxyResource[]): RegionChoice[] {
	const areas = new Map<string, RegionChoice>();
	const available = new Set(
		resources.filter((one) => one.available).map(({ area_code }) => String(area_code)),
	);
	for (const { area_code, area_name } of resources) {
		const code = String(area_code);
		const note = available.has(code) ? undefined : ', not available now';
		areas.set(code, { code, chinese: area_name, note });
	}
	return [...areas.values()];
}

/** Fills 'Area' in Private Proxy Resource: Get Many. */
export const searchPrivateProxyAreas = regionPicker<PrivateProxyResource>({
	parameters: () => ({}),
	ask: askPrivateProxyResources,
	nothing: 'The order of the credential has no resources at the moment',
	toRegions: areasOf,
});

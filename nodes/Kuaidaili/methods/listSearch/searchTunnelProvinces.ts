import { runQuery } from '../../../shared/transport/callService';
import { tunnelProProvinces, type NamedArea } from '../../availability/areaTables';
import { regionListSearch } from './regionListSearch';

/** Fills the province of Tunnel Pro. */
export const searchTunnelProvinces = regionListSearch<NamedArea>({
	parameters: () => ({}),
	fetch: async (caller) => await runQuery(caller, tunnelProProvinces),
	nothing: 'Tunnel Pro has no provinces right now',
	toRegions: (provinces) => provinces.map(({ code, name }) => ({ code, chinese: name })),
});

import { searchOrders } from '../../../shared/editor/searchOrders';
import { searchCities, searchCitiesForOrder } from './searchCities';
import { searchOverseasAreas } from './searchOverseasAreas';
import { searchOverseasCountries } from './searchOverseasCountries';
import { searchPrivateProxyAreas } from './searchPrivateProxyAreas';
import { searchTunnelProvinces } from './searchTunnelProvinces';

/** By the names that the fields use. */
export const listSearch = {
	searchCities,
	searchCitiesForOrder,
	searchOrders,
	searchOverseasAreas,
	searchOverseasCountries,
	searchPrivateProxyAreas,
	searchTunnelProvinces,
};

import { orderListSearch } from '../../../shared/editor/searchOrders';
import { findOperation } from '../../actions/resources';
import { searchCities, searchCitiesForOrder } from './searchCities';
import { searchOverseasAreas } from './searchOverseasAreas';
import { searchOverseasCountries } from './searchOverseasCountries';
import { searchPrivateProxyAreas } from './searchPrivateProxyAreas';
import { searchTunnelProvinces } from './searchTunnelProvinces';

/** Fills 'Order' with what the chosen operation can use. */
const searchOrders = orderListSearch(
	(valueOf) => findOperation(String(valueOf('resource')), String(valueOf('operation')))?.orders,
);

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

import { searchOrders } from '../../../shared/editor/searchOrders';
import { searchCities, searchCitiesForOrder } from './searchCities';
import { searchPrivateProxyAreas } from './searchPrivateProxyAreas';

/** By the names that the fields use. */
export const listSearch = {
	searchCities,
	searchCitiesForOrder,
	searchOrders,
	searchPrivateProxyAreas,
};

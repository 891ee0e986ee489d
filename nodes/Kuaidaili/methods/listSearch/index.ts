import { searchOrders } from '../../../shared/editor/searchOrders';
import { searchCities } from './searchCities';
import { searchCitiesForOrder } from './searchCitiesForOrder';
import { searchPrivateProxyAreas } from './searchPrivateProxyAreas';

/** By the names that the fields use. */
export const listSearch = {
	searchCities,
	searchCitiesForOrder,
	searchOrders,
	searchPrivateProxyAreas,
};

import { areasOfCountry } from '../catalogue/countries.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { lookUpEndpoint } from './lookUpEndpoint.mts';

export const getFpsAreaCode = lookUpEndpoint({
	path: '/api/getfpsareacode',
	host: 'base',
	rule: perSecond(1),
	parameter: 'region',
	// An empty list for a country that has none, or that does not exist: nothing is documented about it.
	find: (value) => areasOfCountry(value),
});

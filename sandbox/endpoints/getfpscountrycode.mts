import { COUNTRIES } from '../catalogue/countries.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { lookUpEndpoint } from './lookUpEndpoint.mts';

export const getFpsCountryCode = lookUpEndpoint({
	path: '/api/getfpscountrycode',
	host: 'base',
	rule: perSecond(1),
	find: () => Object.fromEntries(COUNTRIES.map(({ code, name }) => [code, name])),
});

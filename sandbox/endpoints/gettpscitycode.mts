import { tunnelCities } from '../catalogue/chineseAreas.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { lookUpEndpoint } from './lookUpEndpoint.mts';

export const getTpsCityCode = lookUpEndpoint({
	path: '/api/gettpscitycode',
	host: 'tps',
	rule: perSecond(1),
	parameter: 'prov',
	find: (value) => {
		// The parameter is described as "13,14", so several are taken; an unknown one adds nothing.
		const cities = value.split(',').flatMap(tunnelCities);
		// An object for whoever asks for what there is, a list for whoever does not.
		return cities.length === 0
			? []
			: Object.fromEntries(cities.map(({ code, name }) => [name, code]));
	},
});

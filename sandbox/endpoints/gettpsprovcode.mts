import { TUNNEL_PROVINCES } from '../catalogue/chineseAreas.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { lookUpEndpoint } from './lookUpEndpoint.mts';

export const getTpsProvCode = lookUpEndpoint({
	path: '/api/gettpsprovcode',
	host: 'tps',
	rule: perSecond(1),
	find: () => Object.fromEntries(TUNNEL_PROVINCES.map(({ code, name }) => [name, code])),
});

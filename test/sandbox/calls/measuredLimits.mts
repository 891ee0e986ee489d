import { RateLimits, type RateLimitSettings } from '../../../sandbox/limits/rateLimits.mts';
import { seededRandom } from '../../../sandbox/random.mts';

const SETTINGS = { on: true, scale: 1, toleranceMs: 1, jitterMs: 0 };
export const PROXIES = '/api/getproxy';

export function newLimits(settings: Partial<RateLimitSettings> = {}, seed = 1) {
	return new RateLimits({ ...SETTINGS, ...settings }, seededRandom(seed));
}

import { read } from '../endpoint';

/** Whether private proxies work, by a test of the last minute. The service documents no codes of its own. */
export const CHECK_DPS_VALID = read('/api/checkdpsvalid', {
	host: 'dpsUrl',
	key: 'order',
	intervalMs: 100,
});

/** How long private proxies live on; not for pay-per-IP orders. No codes of its own are documented. */
export const GET_DPS_VALID_TIME = read('/api/getdpsvalidtime', {
	host: 'dpsUrl',
	key: 'order',
	intervalMs: 100,
});

/** Whether open proxies work. The service documents neither codes of its own nor a rate limit. */
export const CHECK_OPS_VALID = read('/api/checkopsvalid', { key: 'order' });

import { quota, read } from '../endpoint';

/** Orders whose IP changes every 30 seconds or less often. */
export const TPS_CURRENT_IP = read('/api/tpscurrentip', {
	host: 'tpsUrl',
	key: 'order',
	codes: {
		// Seen by clients of the service, which does not document it
		[-4]: {
			message: "This tunnel's IP changes too often to look it up",
			description: 'Kuaidaili shows the IP only for tunnels that keep it for at least 30 seconds.',
		},
	},
});

/** The service documents no codes of its own. */
export const TPS_PRO_CURRENT_IP = read('/api/tpsprocurrentip', { host: 'tpsUrl', key: 'order' });

/**
 * Besides once per second, twice per period in which the tunnel keeps its IP. The service documents no
 * codes of its own.
 */
export const CHANGE_TPS_IP = quota('/api/changetpsip', { host: 'tpsUrl', key: 'order' });

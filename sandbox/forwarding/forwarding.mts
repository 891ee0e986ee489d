import type { Store } from '../accounts/store.mts';
import type { Whitelists } from '../accounts/whitelists.mts';
import { Places } from '../catalogue/places.mts';
import type { RateLimitSettings } from '../limits/rateLimits.mts';
import type { Random } from '../random.mts';
import type { Settings } from '../settings.mts';
import type { Clock } from '../time/clock.mts';
import { Admission, RequestRates } from './gate.mts';
import { Departures } from './targetConnections.mts';
import { ForwardProxies } from './forwardProxies.mts';
import { claimShare, TEXT_ONLY, type ProxyOpener } from './listeners.mts';
import { ProxyFaults } from './proxyFaults.mts';
import { ProxyLog } from './proxyLog.mts';
import { openEntrances, TunnelGate } from './tunnels/tunnelGate.mts';
import { Tunnels } from './tunnels/tunnels.mts';

/** Everything about the proxies themselves. */
export interface Forwarding {
	opener: ProxyOpener;
	tunnels: Tunnels;
	proxyLog: ProxyLog;
	proxyFaults: ProxyFaults;
	departures: Departures;
	/** Where proxies listen. */
	places: Places;
	/** From then on the tunnels of all orders lead somewhere. */
	openTunnels(): Promise<void>;
	close(): Promise<void>;
}

interface Surroundings {
	clock: Clock;
	store: Store;
	whitelists: Whitelists;
	settings: Settings;
	rates: RateLimitSettings;
	random: Random;
}

/** Proxies that work, or, without `forwardProxies`, that are nothing but text. */
export async function createForwarding(
	{ forwardProxies = true },
	{ clock, store, whitelists, settings, rates, random }: Surroundings,
): Promise<Forwarding> {
	const tunnels = new Tunnels(clock);
	const proxyLog = new ProxyLog();
	const proxyFaults = new ProxyFaults();
	const departures = new Departures();
	const always = { tunnels, proxyLog, proxyFaults, departures };
	if (!forwardProxies) {
		return {
			...always,
			opener: TEXT_ONLY,
			places: new Places('own addresses', random),
			openTunnels: async () => {},
			close: async () => {},
		};
	}

	const share = await claimShare();
	const places = new Places(share ? 'own addresses' : 'own ports', random, share?.part);
	const admission = new Admission(clock, whitelists, new RequestRates(rates), proxyFaults);
	const proxies = new ForwardProxies({
		...{ ownAddresses: share !== undefined },
		...{ admission, faults: proxyFaults, settings, clock, log: proxyLog, departures },
	});
	return {
		...always,
		opener: proxies,
		places,
		openTunnels: async () => {
			const entrances = await openEntrances(
				proxies,
				places,
				(product) => new TunnelGate(product, store, admission, tunnels),
			);
			store.leadTunnelsTo(entrances);
		},
		close: async () => {
			await proxies.close();
			await share?.release();
		},
	};
}

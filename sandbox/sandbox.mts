import { randomInt } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { addReadyMade, type ReadyMadeKeys } from './accounts/readyMade.mts';
import { Store } from './accounts/store.mts';
import { Whitelists } from './accounts/whitelists.mts';
import { Replays } from './authentication/authenticate.mts';
import { Tokens } from './authentication/tokens.mts';
import { HOST_NAMES, type HostName } from './http/call.mts';
import { buildCatalogue, type OpenProxy } from './catalogue/openProxies.mts';
import type { AddressPlan } from './catalogue/places.mts';
import { createControlHost } from './control/controlHost.mts';
import type { Service } from './endpoints/endpoint.mts';
import { ENDPOINTS } from './endpoints/table.mts';
import { OpenProxySupply } from './extraction/openSupply.mts';
import { ExtractionLedger, Ledger } from './orders/ledger.mts';
import type { OrderProxies } from './extraction/orderProxies.mts';
import { productSupplies } from './extraction/supplies.mts';
import { CachedAnswers, Faults, Incidents } from './faults/faults.mts';
import { createForwarding } from './forwarding/forwarding.mts';
import type { ProxyFaults } from './forwarding/proxyFaults.mts';
import type { ProxyLog } from './forwarding/proxyLog.mts';
import type { Tunnels } from './forwarding/tunnels/tunnels.mts';
import { createServiceHost } from './http/serviceHost.mts';
import { RateLimits } from './limits/rateLimits.mts';
import {
	dedicatedStock,
	type DedicatedCity,
	overseasStock,
	type OverseasStock,
	privateStock,
	type PrivateStock,
} from './orders/stock.mts';
import {
	rateLimitSettings,
	settingsFrom,
	type SandboxOptions,
	type Settings,
} from './settings.mts';
import { seededRandom } from './random.mts';
import { RequestLog } from './requestLog.mts';
import { Pages } from './pages/pages.mts';
import { Clock } from './time/clock.mts';

export { newAccount, type Account, type KeyPair } from './accounts/account.mts';
export * from './accounts/newOrder.mts';
export type {
	Order,
	OrderStatus,
	PrivateProxyOrder,
	ProxyLogin,
	ProxyOrder,
} from './accounts/order.mts';
export type { Fault } from './faults/fault.mts';
export type { DedicatedCity } from './orders/stock.mts';
export type { Payment } from './orders/ledger.mts';
export type { OverseasStock } from './orders/stock.mts';
export type { PrivateStock } from './orders/stock.mts';
export type { Extraction } from './orders/ledger.mts';
export type { OrderProxy } from './extraction/orderProxies.mts';
export type { PageFault } from './pages/visits.mts';
export type { Visit } from './pages/visits.mts';
export type { LoggedRequest } from './requestLog.mts';
export type { SandboxOptions } from './settings.mts';
export type { Settings } from './settings.mts';

export interface Sandbox {
	hosts: Record<`${HostName}Url`, string>;
	controlUrl: string;
	/** Of what is there from the start. */
	keys: ReadyMadeKeys;
	log: RequestLog;
	faults: Faults;
	clock: Clock;
	store: Store;
	/** Every time money was taken. */
	ledger: Ledger;
	/** Every time proxies were handed out. */
	extractions: ExtractionLedger;
	/** What is left of dedicated proxies. */
	stock: DedicatedCity[];
	/** Where there are private proxies, by carrier. */
	privateStock: PrivateStock;
	/** Where there are overseas static proxies. */
	overseasStock: OverseasStock;
	/** Who may use the proxies of an order without a login. */
	whitelists: Whitelists;
	/** Where the tunnels of the orders leave now. */
	tunnels: Tunnels;
	/** What came to the proxies. */
	proxyLog: ProxyLog;
	/** Refusals of the proxies that nothing else brings about. */
	proxyFaults: ProxyFaults;
	/** Web sites to visit through the proxies; nobody can before `open`. */
	pages: Pages;
	settings: Settings;
	tokens: Tokens;
	limits: RateLimits;
	catalogue: readonly OpenProxy[];
	/** What was handed out of the proxies that belong to an order. */
	orderProxies: OrderProxies;
	/** 'own ports' where the machine has no other loopback address than 127.0.0.1. */
	addressPlan: AddressPlan;
	/** Ends every connection, also of requests that were left hanging. */
	close(): Promise<void>;
}

/** Starts the stand-in of the service on loopback. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const closing = new AbortController();
	const clock = new Clock();
	const random = seededRandom(options.seed ?? randomInt(2 ** 32));
	const log = new RequestLog();
	const store = new Store();
	const ledger = new Ledger(clock);
	const stocks = {
		stock: dedicatedStock(),
		privateStock: privateStock(),
		overseasStock: overseasStock(),
	};
	const settings = settingsFrom(options);
	const whitelists = new Whitelists(clock);
	const keys = addReadyMade(store, clock.now());
	const tokens = new Tokens(clock);
	const faults = new Faults(new Incidents(store, tokens));
	const limits = new RateLimits(rateLimitSettings(options));

	const forwarding = await createForwarding(options, {
		...{ clock, store, whitelists, settings, random },
		rates: limits.settings,
	});
	const { places, opener, tunnels, proxyLog, proxyFaults } = forwarding;
	const pages = new Pages(forwarding.departures);
	const catalogue = buildCatalogue(options.catalogueSize ?? 5000, places, random);
	const surroundings = { places, opener, privateStock: stocks.privateStock, clock, random };
	const products = productSupplies(surroundings);
	const extractions = new ExtractionLedger();

	const timestampToleranceSeconds = options.timestampToleranceSeconds ?? 300;
	const service: Service = {
		authentication: {
			store,
			tokens,
			replays: new Replays(clock, 2 * timestampToleranceSeconds + 1),
			timestampToleranceSeconds,
		},
		clock,
		limits,
		supply: new OpenProxySupply(catalogue, opener, random),
		products,
		extractions,
		...stocks,
		ledger,
		whitelists,
		tunnels,
		random,
		settings,
	};

	const cachedAnswers = new CachedAnswers();
	const apps = new Map<HostName | 'control', FastifyInstance>();
	for (const name of HOST_NAMES) {
		const host = createServiceHost({
			name,
			endpoints: ENDPOINTS,
			service,
			log,
			faults,
			cachedAnswers,
			closing: closing.signal,
		});
		apps.set(name, host);
	}
	apps.set('control', createControlHost({ log, ledger, extractions }));

	const close = async () => {
		closing.abort();
		await Promise.all([...[...apps.values()].map((app) => app.close()), pages.close()]);
		await forwarding.close();
	};

	const listen = async (name: HostName | 'control') => {
		const app = apps.get(name);
		if (!app) throw new Error(`There is no host "${name}"`);
		return await app.listen({ host: '127.0.0.1', port: options.ports?.[name] ?? 0 });
	};

	try {
		const hosts = {
			baseUrl: await listen('base'),
			dpsUrl: await listen('dps'),
			svipUrl: await listen('svip'),
			authUrl: await listen('auth'),
			kpsUrl: await listen('kps'),
			tpsUrl: await listen('tps'),
			fpsUrl: await listen('fps'),
		};
		const controlUrl = await listen('control');
		await forwarding.openTunnels();
		return {
			hosts,
			controlUrl,
			keys,
			log,
			faults,
			clock,
			store,
			ledger,
			extractions,
			whitelists,
			tunnels,
			proxyLog,
			proxyFaults,
			pages,
			...stocks,
			settings,
			tokens,
			limits,
			catalogue,
			orderProxies: products.proxies,
			addressPlan: places.plan,
			close,
		};
	} catch (error) {
		await close();
		throw error;
	}
}

import { isIPv4 } from 'node:net';
import type {
	OverseasStaticProxyOrder,
	PrivateProxyOrder,
	ProxyOrder,
} from '../accounts/order.mts';
import { extracted, extractionLayout, success } from '../answers/answer.mts';
import { areaCodeOf } from '../catalogue/chineseAreas.mts';
import { COUNTRIES } from '../catalogue/countries.mts';
import {
	ACCOUNT_KEY,
	checkedOrder,
	EXTRACTION_CODES,
	type OrderOf,
} from '../extraction/checkOrder.mts';
import {
	entryOf,
	isAskedFor,
	LOGIN_LAYOUTS,
	type LoginLayout,
	placeWithLogin,
	readExtras,
} from '../extraction/entry.mts';
import { type OrderProxy, writtenPlace } from '../extraction/orderProxies.mts';
import { leftOf, useUp } from '../extraction/supplies.mts';
import type { HostName } from '../http/call.mts';
import { perMinute, type RateRule } from '../limits/rateLimits.mts';
import { OwnParameters } from '../orders/ownParameters.mts';
import type { Carrier } from '../orders/stock.mts';
import { drawFrom } from '../random.mts';
import { type Endpoint, orderEndpoint, type Use, requested } from './endpoint.mts';

type ProductCode = ProxyOrder['product'];

/** The entries of an answer, and what else its JSON form has. */
export interface Extracted {
	entries: readonly string[];
	further?: Readonly<Record<string, number>>;
	/** How many were taken from what the order has left; none by default. */
	usedUp?: number;
}

interface ExtractionSettings<P extends ProductCode, R> {
	path: string;
	host: HostName;
	product: P;
	/** Beside ten calls a second. */
	further?: readonly RateRule[];
	/** Everything but `format` and `sep`. */
	read: (own: OwnParameters, use: Use & { order: OrderOf<P> }) => R;
	extract: (use: Use & { order: OrderOf<P>; request: R }) => Extracted | Promise<Extracted>;
}

/** An endpoint that hands out the proxies of one product, in text, JSON or XML. */
function extractionEndpoint<P extends ProductCode, R>(
	settings: ExtractionSettings<P, R>,
): Endpoint {
	return orderEndpoint({
		path: settings.path,
		hosts: [settings.host],
		callsPerSecond: 10,
		rules: () => settings.further ?? [],
		layout: extractionLayout,
		codes: EXTRACTION_CODES,
		wrongKey: ACCOUNT_KEY,
		servesUnusableOrders: true,
		answer: async ({ call, order, service }) => {
			const checked = checkedOrder(order, settings.product, service);
			const use = { call, order: checked, service };
			// As with open proxies: what is missing is an invalid request, so that it can be told from a wrong value.
			const request = requested(use, EXTRACTION_CODES, { missing: -1, wrong: -3 }, (own) => {
				own.choice('format', ['text', 'json', 'xml'], 'text');
				own.choice('sep', [1, 2, 3, 4], 1);
				return settings.read(own, use);
			});

			const { entries, further, usedUp } = await settings.extract({ ...use, request });
			service.extractions.record(order, { count: entries.length, usedUp }, call);
			return extracted(entries, further);
		},
	});
}

// No maximum is documented. More than this would only show how much one machine can listen to.
const MOST_PER_CALL = 10_000;

/** How many proxies are wanted. */
function readCount(own: OwnParameters): number {
	return own.number('num', { least: 1, most: MOST_PER_CALL, step: 1 });
}

/** Whether HTTP or SOCKS is wanted: addresses of most products serve both. */
function readProtocol(own: OwnParameters): 'http' | 'socks' {
	return own.choice('pt', [1, 2], 1) === 1 ? 'http' : 'socks';
}

/** What only pay-per-IP orders can choose. For others these parameters have no effect. */
function readFilter(own: OwnParameters, { payType }: PrivateProxyOrder) {
	if (payType !== 'PRE_PAY_IP') return { areas: undefined, areasExcluded: [], carrier: 0 } as const;
	return {
		areas: readAreas(own, 'area'),
		areasExcluded: readAreas(own, 'area_ex') ?? [],
		carrier: own.choice<0 | Carrier['code']>('carrier', [0, 1, 2, 3], 0),
	};
}

/** Undefined when none is named. What the service says of unknown names is not documented: here they match nothing. */
function readAreas(own: OwnParameters, name: string): string[] | undefined {
	const text = own.optionalText(name) ?? '';
	if (text === '') return undefined;
	return text.split(',').flatMap((area) => areaCodeOf(area.trim()) ?? []);
}

/** By the transcripts, without a layout the login is a part of its own. */
function readLogin(own: OwnParameters): LoginLayout | undefined {
	const wanted = isAskedFor(own, 'f_auth');
	// Links were seen that have a layout and no login.
	const layout = own.optionalChoice('generateType', LOGIN_LAYOUTS);
	return wanted ? (layout ?? 'own part') : undefined;
}

/** What is left of what is wanted, which the documentation doesn't say. Throws when that is nothing. */
function granted(order: PrivateProxyOrder, num: number): number {
	const left = leftOf(order);
	if (left === 0) throw EXTRACTION_CODES.refusal(order.fetchType === undefined ? 2 : 1);
	return Math.min(num, left);
}

/** Even orders tell nobody what is left. */
function leftField({ fetchType, ipBalance }: PrivateProxyOrder): Record<string, number> {
	if (ipBalance === undefined) return {};
	return fetchType === undefined
		? { order_left_count: ipBalance }
		: { today_left_count: ipBalance };
}

export const getDps = extractionEndpoint({
	path: '/api/getdps',
	host: 'dps',
	product: 'DPS',
	// Only one copy of the documentation says so.
	further: [perMinute(120)],
	read: (own, { order }) => {
		// Only in older documentation; all addresses serve both protocols.
		readProtocol(own);
		return {
			num: readCount(own),
			...readFilter(own, order),
			dedup: isAskedFor(own, 'dedup'),
			extras: readExtras(own),
			login: readLogin(own),
		};
	},
	// Nothing waits before the quota is taken, so two calls at once do not get the same last address.
	extract: async ({ order, request, service }) => {
		const num = granted(order, request.num);
		const { proxies, newToday } = service.products.private.choose(order, { ...request, num });
		if (proxies.length === 0) throw EXTRACTION_CODES.refusal(3);
		useUp(order, proxies.length);
		// What dedup_count means is not documented; the sample fits the addresses that are new today.
		const further = { dedup_count: newToday, ...leftField(order) };

		await service.products.proxies.open(order, proxies);
		const entries = proxies.map((proxy) => entryOf(proxy, request, service.clock.now()));
		return { entries, further, usedUp: proxies.length };
	},
});

export const getKps = extractionEndpoint({
	path: '/api/getkps',
	host: 'kps',
	product: 'KPS',
	read: (own) => {
		readProtocol(own);
		return {
			num: readCount(own),
			inFixedOrder: own.choice('sort', [0, 1], 0) === 1,
			extras: readExtras(own),
			login: undefined,
		};
	},
	// Asked for more than there are, it lists all: nothing is documented about that.
	extract: async ({ order, request, service }) => {
		const machines = await service.products.standing.machinesOf(order);
		const proxies = machines.map(({ proxy }) => proxy);
		const chosen = request.inFixedOrder
			? proxies.slice(0, request.num)
			: drawFrom(proxies, request.num, service.random);
		if (chosen.length === 0) throw EXTRACTION_CODES.refusal(3);
		const now = service.clock.now();
		return { entries: chosen.map((proxy) => entryOf(proxy, request, now)) };
	},
});

/** Documented by examples only, so whatever could be an ID is one of a machine that the order does not have. */
const MACHINE_ID = /^[A-Za-z0-9][\w-]*$/;

export const getKpsById = orderEndpoint({
	path: '/api/getkpsbyid',
	hosts: ['kps'],
	callsPerSecond: 10,
	codes: EXTRACTION_CODES,
	wrongKey: ACCOUNT_KEY,
	servesUnusableOrders: true,
	// It is said to answer in three formats, has no parameter for them, and is shown with JSON for a
	// success and ERROR(...) for a failure. So failures come as with the others, a success as JSON.
	layout: extractionLayout,
	answer: async ({ call, order, service }) => {
		const dedicated = checkedOrder(order, 'KPS', service);
		const id = call.parameters.get('f_id');
		if (id === undefined || !MACHINE_ID.test(id)) throw EXTRACTION_CODES.refusal(-1, 'f_id');
		const machines = await service.products.standing.machinesOf(dedicated);
		const proxy = machines.find((machine) => machine.id === id)?.proxy;
		// The code for a machine that the order does not have is not documented.
		if (!proxy) throw EXTRACTION_CODES.refusal(3);

		service.extractions.record(order, { count: 1 }, call);
		const { address, port, exitAddress } = proxy;
		const data = { ip: address, port: String(port) };
		return {
			...success(exitAddress === undefined ? data : { ...data, public_ip: exitAddress }),
			fixedFormat: 'json',
		};
	},
});

/** gettps and gettpspro: the one address of a tunnel, for programs that want a list. */
function tunnelEndpoint(path: string, product: 'TPS' | 'TPS_PRO'): Endpoint {
	return extractionEndpoint({
		path,
		host: 'tps',
		product,
		read: (own) => {
			// Documented as fixed 1, but the vendor's own client sends the number that it was given
			readCount(own);
			const protocol = readProtocol(own);
			// Which parameter asks for the login is not documented. Links were seen with a layout alone.
			const withLogin = isAskedFor(own, 'f_auth');
			const layout = own.optionalChoice('generateType', LOGIN_LAYOUTS);
			return { protocol, login: layout ?? (withLogin ? (1 as const) : undefined) };
		},
		extract: ({ order: { entrance, login }, request }) => {
			const port = request.protocol === 'http' ? entrance.httpPort : entrance.socksPort;
			// What a tunnel without SOCKS says is not documented.
			if (port === '') throw EXTRACTION_CODES.refusal(3);
			return { entries: [placeWithLogin(`${entrance.host}:${port}`, login, request.login)] };
		},
	});
}

export const getTps = tunnelEndpoint('/api/gettps', 'TPS');

export const getTpsPro = tunnelEndpoint('/api/gettpspro', 'TPS_PRO');

// The examples show the base host; the list of endpoints has one for overseas proxies.
export const getFps = extractionEndpoint({
	path: '/api/getfps',
	host: 'fps',
	product: 'FPS',
	read: (own) => {
		// Clients send it, though the table does not have it.
		own.optionalChoice('num', [1]);
		return {
			protocol: readProtocol(own),
			region: own.matching('region', /^([A-Z]{2})?$/, ''),
		};
	},
	// One entrance for every country: which one is chosen by the user name is what counts.
	extract: ({ order: { entrance }, request: { protocol, region } }) => {
		const isKnown = region === '' || COUNTRIES.some(({ code }) => code === region);
		const port = protocol === 'http' ? entrance.httpPort : entrance.socksPort;
		if (!isKnown || port === '') throw EXTRACTION_CODES.refusal(3);
		return { entries: [`${entrance.host}:${port}`] };
	},
});

const MINUTES = { least: 1, most: 30, step: 1 };

const COUNTRY_CODES = /^([A-Z]{2}(,[A-Z]{2})*)?$/;

function readOverseasLogin(own: OwnParameters) {
	return isAskedFor(own, 'f_auth') ? own.choice('gt', LOGIN_LAYOUTS, 1) : undefined;
}

// The table wants it "when f_ip is 1". Here it is needed with ut=2, may come otherwise, and is one
// address. It has no effect, because what it stands for is not documented.
function readClientAddress(own: OwnParameters): void {
	const byWhitelist = own.choice('ut', [1, 2], 1) === 2;
	const address = own.optionalText('f_ip');
	if (address === undefined && byWhitelist) throw EXTRACTION_CODES.refusal(-1, 'f_ip');
	if (address !== undefined && !isIPv4(address)) throw EXTRACTION_CODES.refusal(-3, 'f_ip');
}

// The examples show the base host; the list of endpoints has one for overseas proxies.
export const getFpsIp = extractionEndpoint({
	path: '/api/getfpsip',
	host: 'fps',
	product: 'FPS',
	read: (own) => {
		const num = readCount(own);
		const minutes = own.number('period', MINUTES);
		const regions = own.matching('region', COUNTRY_CODES, '');
		readClientAddress(own);
		return {
			num,
			minutes,
			regions: regions === '' ? [] : regions.split(','),
			login: readOverseasLogin(own),
		};
	},
	extract: async ({ order, request, service }) => {
		const { overseas, proxies } = service.products;
		const chosen = overseas.choose(order, request);
		if (chosen.length === 0) throw EXTRACTION_CODES.refusal(3);
		await proxies.open(order, chosen);
		return {
			entries: chosen.map((proxy) =>
				placeWithLogin(writtenPlace(proxy), proxy.login, request.login),
			),
		};
	},
});

function overseasEntryOf(proxy: OrderProxy, { series }: OverseasStaticProxyOrder): string {
	const place = writtenPlace(proxy);
	return series === 'package' ? place : `${placeWithLogin(place, proxy.login, 1)}:${proxy.area}`;
}

export const getSfps = extractionEndpoint({
	path: '/api/getsfps',
	host: 'base',
	product: 'SFPS',
	read: () => ({}),
	extract: async ({ order, service }) => {
		const proxies = await service.products.standing.overseasOf(order);
		if (proxies.length === 0) throw EXTRACTION_CODES.refusal(3);
		return { entries: proxies.map((proxy) => overseasEntryOf(proxy, order)) };
	},
});

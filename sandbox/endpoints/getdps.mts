import type { PrivateProxyOrder } from '../accounts/order.mts';
import { areaCodeOf } from '../catalogue/chineseAreas.mts';
import { checkWhitelist, EXTRACTION_CODES } from '../extraction/checkOrder.mts';
import {
	entryOf,
	isAskedFor,
	LOGIN_LAYOUTS,
	readExtras,
	type LoginLayout,
} from '../extraction/entry.mts';
import { extractionEndpoint, readCount, readProtocol } from '../extraction/extractionEndpoint.mts';
import { leftOf, useUp } from '../extraction/supplies.mts';
import { perMinute } from '../limits/rateLimits.mts';
import type { OwnParameters } from '../orders/ownParameters.mts';
import type { Carrier } from '../orders/stock.mts';
import type { Settings } from '../settings.mts';

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

/** Throws when nothing is left, or less than is wanted if that is the setting. */
function granted(
	order: PrivateProxyOrder,
	num: number,
	{ now, settings }: { now: Date; settings: Settings },
): number {
	const left = leftOf(order, now);
	if (left === 0 || (left < num && settings.moreThanLeft === 'refuse')) {
		throw EXTRACTION_CODES.refusal(order.fetchType === undefined ? 2 : 1);
	}
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
	further: ({ service }) => [perMinute(service.settings.privateCallsPerMinute)],
	check: ({ call, order, service }) => checkWhitelist(order, call, service),
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
		const now = service.clock.now();
		const num = granted(order, request.num, { now, settings: service.settings });
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

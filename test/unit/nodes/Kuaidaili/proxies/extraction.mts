import {
	extractProxies,
	type Extracted,
} from '../../../../../nodes/Kuaidaili/proxies/extraction.ts';
import type { ProxyRequest } from '../../../../../nodes/Kuaidaili/proxies/productFields.ts';
import { GET_PROXY_SVIP } from '../../../../../nodes/shared/service/endpoints/openProxy.ts';
import type { RunExtraction } from '../../../../../nodes/shared/service/query.ts';
import { runExtraction } from '../../../../../nodes/shared/transport/callService.ts';
import { reply, type FakeCaller, type Outcome as Answer } from '../../../support/fakeCaller.mts';

/** Small, so that many calls take no time. */
export const CAP = 10;

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => jest.useRealTimers());

export function extraction(total: number, others: Partial<ProxyRequest> = {}): ProxyRequest {
	return {
		endpoint: GET_PROXY_SVIP,
		parameters: { format: 'json' },
		total,
		cap: CAP,
		intervalMs: 0,
		usesQuota: false,
		extras: [],
		waitForCallers: false,
		waitForNewOrder: false,
		wantsLogin: false,
		maxExtractions: 0,
		...others,
	};
}

export async function extractWith(caller: FakeCaller, what: ProxyRequest) {
	const run: RunExtraction = async (query, parameters) =>
		await runExtraction(caller, query, parameters);
	return await extractProxies(run, what);
}

interface Outcome {
	found: string[];
	endedBy?: Extracted['endedBy'];
	error?: unknown;
}

export async function extract(caller: FakeCaller, what: ProxyRequest): Promise<Outcome> {
	const work = extractWith(caller, what).then(
		({ proxies, endedBy }): Outcome => ({
			found: proxies.map(({ address }) => address),
			...(endedBy === undefined ? {} : { endedBy }),
		}),
		(error: unknown): Outcome => ({ found: [], error }),
	);
	await jest.advanceTimersByTimeAsync(60_000);
	return await work;
}

export function addresses(from: number, count: number): string[] {
	return Array.from({ length: Math.max(0, count) }, (_, index) => {
		const n = from + index;
		return `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}:8080`;
	});
}

export function listReply(list: readonly string[]) {
	return reply({ code: 0, msg: '', data: { count: list.length, proxy_list: list } });
}

export function nums({ requests }: FakeCaller): number[] {
	return requests.map(({ qs }) => Number(qs?.num));
}

/** A service that gives new addresses until it has no more. */
export function supply(available: number): (request: { qs?: unknown }) => Answer {
	let given = 0;
	return ({ qs }) => {
		const num = typeof qs === 'object' && qs !== null ? Number(Reflect.get(qs, 'num')) : 0;
		const count = Math.min(num, available - given);
		given += count;
		return listReply(addresses(given - count, count));
	};
}

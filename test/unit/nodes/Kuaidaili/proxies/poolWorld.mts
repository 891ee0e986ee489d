import type { Item } from '../../../../../nodes/Kuaidaili/run/item.ts';
import type { ExtractedProxy, ExtraName } from '../../../../../nodes/Kuaidaili/proxies/entries.ts';
import { ProxyExtractor } from '../../../../../nodes/Kuaidaili/proxies/extraction.ts';
import type { ProxyRequest } from '../../../../../nodes/Kuaidaili/proxies/productFields.ts';
import {
	partitionOf,
	type PooledProxy,
	type PoolPartition,
	proxyPool,
} from '../../../../../nodes/Kuaidaili/proxies/proxyPool.ts';
import { takeProxies } from '../../../../../nodes/Kuaidaili/proxies/takeProxies.ts';
import type { RunQuery } from '../../../../../nodes/shared/api/call.ts';
import { GET_DPS } from '../../../../../nodes/shared/service/endpoints/extraction.ts';
import { contextOfRun } from './providerRun.mts';

/** @param secondsLeft undefined where nobody knows it */
export function proxyOf(address: string, secondsLeft?: number): ExtractedProxy {
	const [host, port] = address.split(':');
	const proxy = { address, host, port: Number(port) };
	return secondsLeft === undefined ? proxy : { ...proxy, secondsLeft };
}

export function addressesOf(proxies: readonly ExtractedProxy[]): string[] {
	return proxies.map(({ address }) => address);
}

/** The clocks of the pool, in milliseconds; moved by hand. */
export const clocks = { monotonic: 0, wall: 0 };

beforeAll(() => {
	jest.spyOn(performance, 'now').mockImplementation(() => clocks.monotonic);
	jest.spyOn(Date, 'now').mockImplementation(() => clocks.wall);
});

afterAll(() => jest.restoreAllMocks());

export interface Wanted {
	/** Tells selections apart. */
	readonly key?: string;
	readonly minimumSecondsLeft?: number;
	readonly extras?: readonly ExtraName[];
	/** In seconds, of each that is extracted. */
	readonly life?: number;
	/** The entries that come where so many are missing; throws what the call throws. */
	readonly answer?: (missing: number) => readonly string[] | Promise<readonly string[]>;
	readonly signal?: AbortSignal;
}

let orders = 0;

/** An order of which the service never hands out the same address twice. */
export class World {
	extracted = 0;

	calls = 0;

	readonly order = `pool ${(orders += 1)}`;

	constructor() {
		this.now = 0;
	}

	get now(): number {
		return clocks.monotonic;
	}

	set now(ms: number) {
		Object.assign(clocks, { monotonic: ms, wall: ms });
	}

	private requestOf(total: number, wanted: Wanted): ProxyRequest {
		const { key = 'a', minimumSecondsLeft = 30, extras = [] } = wanted;
		return {
			endpoint: GET_DPS,
			parameters: { area: key },
			total,
			reuse: { minimumSecondsLeft },
			extras: [...extras, 'secondsLeft'],
			usesQuota: true,
			product: 'DPS',
			hasFilters: true,
			scheme: 'http',
			wantsLogin: false,
			maxExtractions: 0,
		};
	}

	entriesOf(count: number, life = 300): string[] {
		this.extracted += count;
		const first = this.extracted - count;
		return Array.from({ length: count }, (_, index) => `n${first + index}.x:80,${life}`);
	}

	/** As Extract does it in a run of its own. */
	async obtain(count: number, wanted: Wanted = {}) {
		const { life, answer = (missing: number) => this.entriesOf(missing, life), signal } = wanted;
		const ask: RunQuery = async (query, { num = '' } = {}) => {
			this.calls += 1;
			// The answer takes a while
			await Promise.resolve();
			const proxies = await answer(Number(num));
			const data = { proxy_list: proxies, order_left_count: 100 - this.extracted };
			return query.parse({ msg: '', data, answeredAt: 0 }, []);
		};
		const item = { orderKey: async () => this.order, ask, signal } as Item;
		const request = this.requestOf(count, wanted);
		const group = { item, index: 0, isExclusive: false, failed: [], request };
		return (await takeProxies(new ProxyExtractor(contextOfRun()), group)).extracted;
	}

	partition(key: string): PoolPartition {
		return partitionOf(this.order, this.requestOf(1, { key }));
	}

	/** Proxies that came, where those who reuse them find them. */
	add(proxies: readonly ExtractedProxy[], key = 'a', order = this.order): PooledProxy[] {
		const pooled = proxyPool.add(order, proxies);
		this.partition(key).add(pooled);
		return pooled;
	}
}

import type { ExtractedProxy } from '../../../../../nodes/Kuaidaili/proxies/entries.ts';
import {
	Stock,
	type StockedProxy,
	type StockKey,
	type StockRequest,
} from '../../../../../nodes/Kuaidaili/proxies/stock.ts';

/** @param secondsLeft undefined where nobody knows it */
export function proxyOf(address: string, secondsLeft?: number): ExtractedProxy {
	const [host, port] = address.split(':');
	const proxy = { proxyUrl: `http://${address}`, address, host, port: Number(port) };
	return secondsLeft === undefined ? proxy : { ...proxy, secondsLeft };
}

/** A selection of one order. */
export function keyOf(selection: string): StockKey {
	return { order: 'order', selection };
}

export function addressesOf(proxies: readonly ExtractedProxy[]): string[] {
	return proxies.map(({ address }) => address);
}

/** Those of the stock, in milliseconds; moved by hand. */
export const clocks = { monotonic: 0, wall: 0 };

beforeAll(() => {
	jest.spyOn(performance, 'now').mockImplementation(() => clocks.monotonic);
	jest.spyOn(Date, 'now').mockImplementation(() => clocks.wall);
});

afterAll(() => jest.restoreAllMocks());

/** Proxies that came, where those who reuse them find them. */
export function add(
	stock: Stock,
	key: StockKey,
	proxies: readonly ExtractedProxy[],
	extras?: readonly string[],
): StockedProxy[] {
	const entries = stock.enter(key.order, proxies, extras);
	for (const entry of entries) stock.shelf(key).put(entry);
	return entries;
}

interface Wanted extends Partial<Omit<StockRequest, 'key'>> {
	readonly key?: string;
	/** In seconds, of each that is extracted. */
	readonly life?: number;
}

/** A service that never hands out the same address twice. */
export class World {
	extracted = 0;

	calls = 0;

	readonly stock: Stock;

	constructor(mostProxies = 1000) {
		this.now = 0;
		this.stock = new Stock(mostProxies);
	}

	get now(): number {
		return clocks.monotonic;
	}

	set now(ms: number) {
		Object.assign(clocks, { monotonic: ms, wall: ms });
	}

	async obtain(count: number, { key = 'order', life = 300, ...others }: Wanted = {}) {
		return await this.stock.obtain({
			key: keyOf(key),
			count,
			minimumSecondsLeft: 30,
			signal: undefined,
			extract: async (missing, keep) => {
				this.calls += 1;
				// The answer takes a while
				await Promise.resolve();
				const proxies = Array.from({ length: missing }, (_, index) =>
					proxyOf(`${key}-${this.extracted + index}:80`, life),
				);
				this.extracted += missing;
				keep(proxies);
			},
			...others,
		});
	}
}

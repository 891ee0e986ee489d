import type { ExtractedProxy } from '../../../../../nodes/Kuaidaili/proxies/entries.ts';
import {
	type ShelfRequest,
	Stock,
	type StockedProxy,
} from '../../../../../nodes/Kuaidaili/proxies/stock.ts';

/** @param secondsLeft undefined where nobody knows it */
export function proxyOf(address: string, secondsLeft?: number): ExtractedProxy {
	const [host, port] = address.split(':');
	const proxy = { address, host, port: Number(port) };
	return secondsLeft === undefined ? proxy : { ...proxy, secondsLeft };
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
	selection: string,
	proxies: readonly ExtractedProxy[],
	order = 'order',
): StockedProxy[] {
	const entries = stock.enter(order, proxies);
	stock.shelf(order, selection).put(entries);
	return entries;
}

interface Wanted extends Partial<ShelfRequest> {
	readonly key?: string;
	readonly minimumSecondsLeft?: number;
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

	async obtain(count: number, wanted: Wanted = {}) {
		const { key = 'order', life = 300, minimumSecondsLeft = 30, ...others } = wanted;
		return await this.stock.shelf('order', key).obtain({
			count,
			mayServe: (entry) => entry.fits({ reuse: { minimumSecondsLeft }, extras: [] }),
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

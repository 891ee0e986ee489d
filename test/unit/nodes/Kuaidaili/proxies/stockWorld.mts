import type { ExtractedProxy } from '../../../../../nodes/Kuaidaili/proxies/entries.ts';
import { Stock, type StockKey } from '../../../../../nodes/Kuaidaili/proxies/stock.ts';

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

/** A service that never hands out the same address twice, and a clock that is moved by hand. */
export class World {
	now = 0;

	extracted = 0;

	calls = 0;

	readonly stock: Stock;

	constructor(mostProxies = 1000) {
		const clocks = { monotonic: () => this.now, wall: () => this.now };
		this.stock = new Stock(mostProxies, clocks);
	}

	async obtain(
		count: number,
		{
			key = 'order',
			life = 300,
			minimumSecondsLeft = 30,
			signal = undefined as AbortSignal | undefined,
		} = {},
	) {
		return await this.stock.obtain({
			key: keyOf(key),
			count,
			minimumSecondsLeft,
			signal,
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
		});
	}
}

import { FailedProxies } from '../../../../../nodes/Kuaidaili/proxies/failedProxies.ts';
import { ProxyPool, type PoolKey } from '../../../../../nodes/Kuaidaili/proxies/pool.ts';

export interface Proxy {
	readonly address: string;
	readonly secondsLeft?: number;
}

/** A selection of one order. */
export function keyOf(selection: string): PoolKey {
	return { order: 'order', selection };
}

/** A service that never hands out the same address twice, and a clock that is moved by hand. */
export class World {
	now = 0;

	extracted = 0;

	calls = 0;

	readonly pool: ProxyPool<Proxy>;

	constructor(mostProxies = 1000) {
		const clocks = { monotonic: () => this.now, wall: () => this.now };
		const limits = { mostProxies, unknownLifeSeconds: 0 };
		const failed = new FailedProxies({ mostProxies, unknownLifeSeconds: 300 }, clocks);
		this.pool = new ProxyPool<Proxy>(limits, failed, clocks);
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
		return await this.pool.obtain({
			key: keyOf(key),
			count,
			minimumSecondsLeft,
			signal,
			extract: async (missing, keep) => {
				this.calls += 1;
				// The answer takes a while
				await Promise.resolve();
				const proxies = Array.from({ length: missing }, (_, index) => ({
					address: `${key}-${this.extracted + index}:80`,
					secondsLeft: life,
				}));
				this.extracted += missing;
				keep(proxies);
			},
		});
	}
}

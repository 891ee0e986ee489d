import type { ProxyLogin, ProxyOrder } from '../accounts/order.mts';
import type { OrderedPlace, Place } from '../forwarding/proxyOpener.mts';
import type { Carrier } from '../orders/privateStock.mts';

/** A proxy that was handed out to one order. */
export interface OrderProxy extends OrderedPlace {
	order: ProxyOrder;
	/** What it asks for unless the client is on the whitelist of the order. */
	login: ProxyLogin;
	/** By the clock of the sandbox; undefined: as long as the order. */
	expiresAt: Date | undefined;
	/** The real address of a dedicated proxy where it is another; undefined: its own. */
	exitAddress: string | undefined;
	/** The code of the city or, overseas, of the country where it is; empty where none was said. */
	area: string;
	/** Only of domestic ones. */
	carrier: Carrier | undefined;
	works: boolean;
}

export function writtenPlace({ address, port }: Place): string {
	return `${address}:${port}`;
}

/** In whole seconds, never below 0; undefined where nothing ends. */
export function secondsLeft({ expiresAt, order }: OrderProxy, now: Date): number | undefined {
	const end = expiresAt ?? order.expiresAt;
	return end && Math.max(0, Math.floor((end.getTime() - now.getTime()) / 1000));
}

export function isAlive(proxy: OrderProxy, now: Date): boolean {
	return proxy.works && secondsLeft(proxy, now) !== 0;
}

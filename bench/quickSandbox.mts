import { openSandbox } from '../harness/realN8n/index.mts';
import {
	newOpenProxyOrder,
	type Order,
	type Sandbox,
	type SandboxOptions,
} from '../sandbox/sandbox.mts';

/** Enough proxies for the largest call, and nothing that is not needed here. */
export async function quickSandbox(
	pace: Pick<SandboxOptions, 'rateLimits' | 'rateLimitJitterMs'>,
): Promise<Sandbox> {
	return await openSandbox({ forwardProxies: false, catalogueSize: 3_000, ...pace });
}

/** With a key pair of its own. */
export function newSvipOrder({ store, keys, clock }: Sandbox, orderId: string): Order {
	const account = store.account(keys.account.secretId);
	return store.addOrder(newOpenProxyOrder(orderId, account, clock.now(), { plan: 'SVIP' }));
}

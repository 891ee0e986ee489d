import { openSandbox } from '../harness/realN8n/index.mts';
import type { Sandbox, SandboxOptions } from '../sandbox/sandbox.mts';

/** Enough proxies for the largest call, and nothing that is not needed here. */
export async function quickSandbox(
	pace: Pick<SandboxOptions, 'rateLimits' | 'rateLimitJitterMs'>,
): Promise<Sandbox> {
	return await openSandbox({ forwardProxies: false, catalogueSize: 3_000, ...pace });
}

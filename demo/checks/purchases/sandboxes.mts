import { startSandbox, type Sandbox } from '../../../sandbox/sandbox.mts';
import { onShutdown } from '../../../scripts/shutdown.mjs';
import type { Session } from '../../session.mts';

/**
 * A stand-in of the service for purchases that go wrong: a fault hits whoever comes next, so each run
 * needs one for itself.
 */
export async function startOwnSandbox({ moreSandboxes }: Session): Promise<Sandbox> {
	const sandbox = await startSandbox({
		catalogueSize: 1,
		forwardProxies: false,
		// Several runs at once on a slow machine blur the pace; checking it would add refusals
		rateLimits: false,
	});
	onShutdown(() => sandbox.close());
	moreSandboxes.push(sandbox);
	return sandbox;
}

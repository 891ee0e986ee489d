import { setTimeout as sleep } from 'node:timers/promises';
import type { Sandbox } from '../../../sandbox/sandbox.mts';
import { until } from '../../engine/support/until.mts';
import { signed } from '../client.mts';
import { requestOf, startShop, type PurchaseKind } from '../ordering.mts';

export let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startShop();
});

afterEach(() => sandbox.close());

/** How long the sandbox has for its work after a request has reached it. */
export const WORK_MS = 300;

/**
 * Sends it and does not care what comes of it.
 *
 * @param givesUp hangs up soon after the request has arrived, however long that takes on a busy machine
 */
export async function attempt(kind: PurchaseKind, givesUp = false): Promise<void> {
	const { path, keys, parameters } = requestOf(sandbox, kind);
	const query = new URLSearchParams(signed(keys, 'GET', path, parameters));
	const connection = new AbortController();
	const arrived = sandbox.log.count() + 1;
	const answer = fetch(`${sandbox.hosts.baseUrl}${path}?${query}`, {
		redirect: 'manual',
		signal: connection.signal,
	})
		.then((response) => response.text())
		.catch(() => undefined);
	if (givesUp) {
		await until(() => sandbox.log.count() >= arrived);
		await sleep(WORK_MS);
		connection.abort();
	}
	await answer;
}

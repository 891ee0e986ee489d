import { newTunnelProxyOrder } from '../../../sandbox/sandbox.mts';
import { accountOf } from '../ordering.mts';
import { info, sandbox } from './askingOrders.mts';

const WEEK_MS = 7 * 24 * 3600_000;

it('-102: an order that is over or not in use', async () => {
	expect((await info(sandbox.keys.opsExpired)).code).toBe(-102);
	for (const status of ['WAIT_PAY', 'OPENING', 'OWING', 'CLOSED', 'FORBIDDEN'] as const) {
		const order = newTunnelProxyOrder(`info-${status}`, accountOf(sandbox), new Date(), { status });
		expect((await info(sandbox.store.addOrder(order).keys)).code).toBe(-102);
	}
	sandbox.clock.advance(5 * WEEK_MS);
	expect((await info(sandbox.keys.tps)).code).toBe(-102);
	expect((await info(sandbox.keys.tpsPayAsUsed)).code).toBe(0);
});

it.each([undefined, 'endpoint', 'common'] as const)(
	'-123: the key of the account, with the setting %s',
	async (wrongKeyCode) => {
		sandbox.settings.wrongKeyCode = wrongKeyCode;
		expect((await info(sandbox.keys.account)).code).toBe(-123);
	},
);

import {
	newOpenProxyOrder,
	newPrivateProxyOrder,
	newTunnelProxyOrder,
} from '../../../sandbox/sandbox.mts';
import { DAY, MINUTE } from '../../durations.mts';
import { uniqueName } from '../support/testBed.mts';
import {
	BALANCE_BELOW,
	bed,
	chosen,
	EXPIRED,
	EXPIRING,
	failureOf,
	IPS_BELOW,
	jsonOf,
	logged,
	nextPoll,
	orderFor,
	orderIds,
	pass,
	warn,
	watching,
} from './watching.mts';

describe('a credential with tokens', () => {
	const token = { signType: 'token' };

	it('works, also when its token is over', async () => {
		const account = bed().newAccount();
		const order = orderFor(account, 4 * DAY);
		const poller = watching('account', account, EXPIRING, token);
		expect(await poller.activate()).toBeNull();
		pass(2 * DAY);
		expect(orderIds(await nextPoll(poller))).toEqual([order.orderId]);
		expect(logged()).toEqual([]);
	});

	it('works for an order of the account', async () => {
		const { store, clock } = bed().sandbox;
		const settings = { payType: 'PRE_PAY_IP', ipBalance: 4 } as const;
		const account = bed().newAccount();
		const order = store.addOrder(
			newPrivateProxyOrder(uniqueName('dps'), account, clock.now(), settings),
		);
		const parameters = { ...IPS_BELOW, orderid: chosen(order.orderId) };
		const poller = watching('account', account, parameters, token);
		expect(jsonOf(await poller.activate())).toMatchObject([{ balance: 4 }]);
	});
});

describe('secrets', () => {
	it.each(['hmacsha1', 'token'])('are nowhere, with %s', async (signType) => {
		const { store, clock, tokens, faults } = bed().sandbox;
		const keys = (name: string) => ({
			secretId: uniqueName(name),
			secretKey: `${name}-s3cret+k/y`,
		});
		const account = bed().newAccount({ keys: keys('account'), balanceInFen: 1 });
		const expiresAt = new Date(clock.milliseconds() + 2 * DAY);
		const tunnel = store.addOrder(
			newTunnelProxyOrder('t', account, clock.now(), { keys: keys('tunnel'), expiresAt }),
		);
		const ips = store.addOrder(
			newPrivateProxyOrder('d', account, clock.now(), {
				keys: keys('ips'),
				payType: 'PRE_PAY_IP',
				ipBalance: 1,
				expiresAt,
			}),
		);
		const pollers = [
			watching('account', account, EXPIRING, { signType }),
			watching('account', account, EXPIRED, { signType }),
			watching('account', account, BALANCE_BELOW, { signType }),
			watching('account', account, { ...IPS_BELOW, orderid: chosen(ips.orderId) }, { signType }),
			watching('order', tunnel, EXPIRING, { signType }),
			watching('order', tunnel, EXPIRED, { signType }),
			watching('order', ips, IPS_BELOW, { signType }),
		];
		const evidence: unknown[] = [];
		for (const poller of pollers) {
			pass(MINUTE);
			evidence.push(await poller.tryOut());
			pass(MINUTE);
			evidence.push(await poller.activate(), poller.state, poller.savedState);
			// A gateway that repeats what it was asked, and what it knows
			const known = [account, tunnel, ips].flatMap((one) => [
				one.keys.secretKey,
				...(signType === 'token' ? [tokens.obtain(one.keys.secretId).value] : []),
			]);
			faults.add({ kind: 'status', status: 502, body: known[0] + known.join(' ') });
			const own = watching('order', tunnel, EXPIRED, { signType });
			const { message, description } = await failureOf(own.tryOut());
			evidence.push(message, description);
			faults.clear();
		}
		pass(3 * DAY);
		for (const poller of pollers) {
			pass(MINUTE);
			// The key pair of an order that has ended is refused, and that is told
			const polled = await poller.poll().catch((error: unknown) => String(error));
			evidence.push(polled, poller.state);
		}
		const said = JSON.stringify([evidence, warn.mock.calls]);
		const secrets = [account, tunnel, ips].flatMap((one) => [
			one.keys.secretKey,
			tokens.obtain(one.keys.secretId).value,
		]);
		const all = [...secrets, tunnel.login.password, tunnel.login.username];
		expect(all.filter((secret) => said.includes(secret))).toEqual([]);
		expect(said).toContain(tunnel.orderId);
	});
});

it('works with the key pair of an open-proxy order', async () => {
	const { store, clock } = bed().sandbox;
	const expiresAt = new Date(clock.milliseconds() + DAY);
	const order = store.addOrder(
		newOpenProxyOrder(uniqueName('ops'), bed().newAccount(), clock.now(), {
			plan: 'VIP',
			expiresAt,
		}),
	);
	expect(orderIds(await watching('order', order, EXPIRING).activate())).toEqual([order.orderId]);
});

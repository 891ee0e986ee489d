import { newOpenProxyOrder } from '../../../sandbox/sandbox.mts';
import { call } from '../client.mts';
import { ask, PATH, sandbox } from './extractingOpen.mts';

describe('refusals', () => {
	it.each([
		[-11, 'WAIT_PAY'],
		[-12, 'OPENING'],
		[-12, 'OWING'],
		[-12, 'CLOSED'],
		[-14, 'FORBIDDEN'],
		[-16, 'REFUNDED'],
		[2, 'EXPIRED'],
	] as const)('%i when the order is %s', async (code, status) => {
		const order = sandbox.store.order(sandbox.keys.opsVip.secretId);
		order.status = status;
		const { text } = await ask({ num: '1' });
		order.status = 'VALID';
		expect(text).toMatch(new RegExp(`^ERROR\\(${code}\\)`));
	});

	it.each([2, -13, -15] as const)('%i when that is the code for an expired order', async (code) => {
		const account = sandbox.store.account(sandbox.keys.account.secretId);
		const { keys } = sandbox.store.addOrder(
			newOpenProxyOrder(`expired${code}`, account, new Date(), {
				plan: 'VIP',
				expiresAt: new Date(Date.now() - 1),
				codeWhenExpired: code,
			}),
		);
		const reply = await call(sandbox.hosts.baseUrl, PATH, keys, { num: '1', format: 'json' });
		expect(reply.json.code).toBe(code);
	});

	it('an order expires when its time has come', async () => {
		expect((await ask({ num: '1' })).text).not.toContain('ERROR');
		sandbox.clock.advance(31 * 24 * 60 * 60 * 1000);
		expect((await ask({ num: '1' })).text).toMatch(/^ERROR\(2\)/);
	});
});

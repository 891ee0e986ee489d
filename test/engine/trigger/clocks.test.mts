import { DAY, HOUR, MINUTE } from '../../durations.mts';
import { startScriptedService } from '../support/scriptedService.mts';
import {
	bed,
	EXPIRED,
	EXPIRING,
	failureOf,
	nextPoll,
	orderFor,
	orderIds,
	pass,
	watching,
} from './watching.mts';

/* The service and this machine disagree about the time. */

const CLOCKS_DIFFER =
	/^The clock of this machine is 10 days (behind|ahead of) the clock of the service, so it is unclear how much time orders have left$/;

describe.each([EXPIRING, EXPIRED])('the event %j', (parameters) => {
	it.each([-10, 10])(
		'with a token, is an error that says so, %d days apart, and decides nothing',
		async (days) => {
			const account = bed().newAccount();
			const order = orderFor(account, 4 * DAY);
			const poller = watching('account', account, parameters, { signType: 'token' });
			expect(await poller.activate()).toBeNull();
			const before = poller.state;
			bed().sandbox.clock.advance(days * DAY);
			const { message, description } = await failureOf(nextPoll(poller));
			expect(message).toMatch(CLOCKS_DIFFER);
			expect(description).toContain('Nothing was decided by either clock');
			expect(poller.state).toBe(before);
			bed().sandbox.clock.advance(-days * DAY);
			order.status = 'VALID';
			pass(2 * DAY);
			expect(orderIds(await poller.poll())).toEqual(parameters === EXPIRING ? [order.orderId] : []);
		},
	);
});

it('with a token, a few minutes do not matter', async () => {
	const account = bed().newAccount();
	const order = orderFor(account, DAY);
	bed().sandbox.clock.advance(4 * MINUTE);
	const poller = watching('account', account, EXPIRING, { signType: 'token' });
	expect(orderIds(await poller.activate())).toEqual([order.orderId]);
});

it.each([EXPIRING, EXPIRED])(
	'with HMAC, a machine 20 hours behind whose time the service accepts is an error: %j',
	async (parameters) => {
		const account = bed().newAccount();
		orderFor(account, DAY);
		const date = new Date(Date.now() + 20 * HOUR).toUTCString();
		const body = JSON.stringify({ code: 0, msg: '', data: [] });
		const service = await startScriptedService(() => ({ headers: { date }, body }));
		const poller = watching('account', account, parameters, service.hosts);
		const { message, description } = await failureOf(poller.activate());
		expect(message).toMatch(
			/^The clock of this machine is 20 hours behind the clock of the service/,
		);
		expect(description).not.toContain('HMAC');
		await service.close();
	},
);

it('with HMAC, this machine is right: the service has accepted its time', async () => {
	const account = bed().newAccount();
	const [soon] = [DAY, 9 * DAY].map((left) => orderFor(account, left));
	const data = [soon].map(({ orderId, expiresAt }) => ({
		orderid: orderId,
		pay_type: 'PRE_PAY',
		product: 'KPS',
		status: 'VALID',
		expire_time: new Date(Number(expiresAt) + 8 * HOUR)
			.toISOString()
			.slice(0, 19)
			.replace('T', ' '),
	}));
	for (const days of [-10, 10]) {
		const date = new Date(Date.now() + days * DAY).toUTCString();
		const body = JSON.stringify({ code: 0, msg: '', data });
		const service = await startScriptedService(() => ({ headers: { date }, body }));
		const poller = watching('account', account, EXPIRING, service.hosts);
		expect(orderIds(await poller.activate())).toEqual([soon.orderId]);
		await service.close();
	}
});

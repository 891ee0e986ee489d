import { DAY, HOUR } from '../../durations.mts';
import { startScriptedService } from '../support/scriptedService.mts';
import {
	bed,
	EXPIRING,
	failureOf,
	jsonOf,
	logged,
	nextPoll,
	orderIds,
	pass,
	watching,
} from './watching.mts';

/* What a list that is not as documented leads to. */

/** A workflow that sees a list which can be changed. */
async function watchingList(orders: object[]) {
	const service = await startScriptedService(() => ({
		body: JSON.stringify({ code: 0, msg: '', data: orders }),
	}));
	return { poller: watching('account', bed().newAccount(), EXPIRING, service.hosts), service };
}

function listed(orderid: string, expire_time: unknown, changes: object = {}) {
	return { orderid, pay_type: 'PRE_PAY', product: 'DPS', status: 'VALID', expire_time, ...changes };
}

/** In China time. */
function inADay(): string {
	return new Date(Date.now() + DAY + 8 * HOUR).toISOString();
}

describe('an expiry that the service does not write as it documents', () => {
	it.each<[name: string, write: () => unknown]>([
		['without seconds', () => inADay().slice(0, 16).replace('T', ' ')],
		['with slashes', () => inADay().slice(0, 19).replace('T', ' ').replaceAll('-', '/')],
		['in ISO 8601', () => inADay().slice(0, 19)],
		['in ISO 8601 with a zone', () => new Date(Date.now() + DAY).toISOString()],
		['in seconds since 1970', () => Math.floor((Date.now() + DAY) / 1000)],
		['in milliseconds since 1970', () => Date.now() + DAY],
	])('is read %s', async (_name, write) => {
		const { poller, service } = await watchingList([listed('1', write())]);
		const told = await poller.activate();
		await service.close();
		expect(orderIds(told)).toEqual(['1']);
		expect(Math.abs(Number(jsonOf(told)[0].secondsLeft) - DAY / 1000)).toBeLessThan(62);
		expect(logged()).toEqual([]);
	});

	it.each([null, '', '2026-11-23', '11/23/2026 10:00', 'soon', 0])(
		'is told in the log once a day where it is %j',
		async (expireTime) => {
			const payAsUsed = listed('2', '', { pay_type: 'POST_PAY' });
			const closed = listed('3', null, { status: 'CLOSED' });
			const orders = [listed('1', expireTime), payAsUsed, closed];
			const { poller, service } = await watchingList(orders);
			expect(await poller.activate()).toBeNull();
			expect(await nextPoll(poller)).toBeNull();
			expect(logged()).toEqual([
				`Kuaidaili Trigger: Order 1 expires at a time that this node can't read (the service says ${JSON.stringify(expireTime)}), so it is left out. Look up its expiry in the Kuaidaili member center.`,
			]);
			pass(DAY);
			await poller.poll();
			expect(logged()).toHaveLength(2);
			expect((await failureOf(poller.tryOut())).description).toContain('Order 1 expires at a time');
			await service.close();
		},
	);
});

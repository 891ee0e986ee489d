import type { PrivateProxyOrder } from '../../../sandbox/sandbox.mts';
import { askAs, codeOf } from '../extracting.mts';
import { accountOf } from '../ordering.mts';
import { added, ADDRESS, ask, dataOf, extract, PATH, sandbox } from './extractingPrivate.mts';

describe('what is left', () => {
	const balance = async (order: PrivateProxyOrder) => {
		const at = { sandbox, host: 'dpsUrl', path: '/api/getipbalance' } as const;
		return (await askAs(order.keys, at)).json.data;
	};

	it('of a pay-per-IP order: 2 when all is used up', async () => {
		const order = added({ payType: 'PRE_PAY_IP', ipCount: 1000, ipBalance: 5 });
		expect(await dataOf({ num: '3' }, order)).toEqual({
			count: 3,
			proxy_list: [1, 2, 3].map(() => expect.stringMatching(ADDRESS)),
			dedup_count: 3,
			order_left_count: 2,
		});
		expect(await balance(order)).toEqual({ balance: 2 });
		expect(await dataOf({ num: '3' }, order)).toMatchObject({ count: 2, order_left_count: 0 });
		expect(codeOf(await ask({ num: '1' }, order))).toBe(2);
		sandbox.clock.advance(24 * 3600_000);
		expect(codeOf(await ask({ num: '1' }, order))).toBe(2);
		expect(await balance(order)).toEqual({ balance: 0 });
	});

	it('of a prepaid concentrated order: 1 when that of today is used up', async () => {
		sandbox.clock.set(new Date('2026-05-05T15:59:00Z'));
		const order = added({ ipCount: 1000, ipBalance: 4 });
		expect(await dataOf({ num: '3' }, order)).toMatchObject({ count: 3, today_left_count: 1 });
		expect(await dataOf({ num: '3' }, order)).toMatchObject({ count: 1, today_left_count: 0 });
		expect(codeOf(await ask({ num: '1' }, order))).toBe(1);
		expect(await balance(order)).toEqual({ balance: 0 });
		sandbox.clock.set(new Date('2026-05-05T16:00:00Z'));
		expect(await balance(order)).toEqual({ balance: 1000 });
		expect(await dataOf({ num: '3' }, order)).toMatchObject({ today_left_count: 997 });
	});

	it('of a prepaid even order nobody tells: 1 when that of today is used up', async () => {
		sandbox.clock.set(new Date('2026-05-05T12:00:00Z'));
		const order = added({ fetchType: 1, period: 'M_3_5', ipCount: 2500 });
		expect(Object.keys(Object(await dataOf({ num: '2499' }, order)))).toEqual([
			'count',
			'proxy_list',
			'dedup_count',
		]);
		expect(await extract({ num: '2' }, order)).toHaveLength(1);
		expect(codeOf(await ask({ num: '1' }, order))).toBe(1);
		sandbox.clock.advance(24 * 3600_000);
		expect(await extract({ num: '2' }, order)).toHaveLength(2);
	});

	it('with the setting, more than is left is refused and takes nothing', async () => {
		sandbox.settings.moreThanLeft = 'refuse';
		const order = added({ payType: 'PRE_PAY_IP', ipBalance: 5 });
		expect(codeOf(await ask({ num: '6' }, order))).toBe(2);
		expect(await balance(order)).toEqual({ balance: 5 });
		expect(await extract({ num: '5' }, order)).toHaveLength(5);
	});

	it('calls at the same time never get more than there is', async () => {
		const order = added({ payType: 'PRE_PAY_IP', ipBalance: 25 });
		const replies = await Promise.all(Array.from({ length: 10 }, () => ask({ num: '5' }, order)));
		const refused = replies.filter(({ text }) => text.startsWith('ERROR(2)'));
		expect(refused).toHaveLength(5);
		expect(sandbox.extractions.total({ orderId: order.orderId })).toBe(25);
		expect(order.ipBalance).toBe(0);
	});

	it('is used up when the answer is lost, and not when the call never came to it', async () => {
		const order = added({ payType: 'PRE_PAY_IP', ipBalance: 100 });
		sandbox.faults.add({ kind: 'cut', when: 'before', times: 1 });
		await ask({ num: '5' }, order).catch(() => undefined);
		expect(order.ipBalance).toBe(100);
		sandbox.faults.add({ kind: 'cut', when: 'after', times: 1 }, { kind: 'halfBody', times: 1 });
		for (let calls = 0; calls < 2; calls += 1)
			await ask({ num: '5' }, order).catch(() => undefined);
		expect(order.ipBalance).toBe(90);
		const written = sandbox.extractions.entries({ path: PATH });
		expect(written.map(({ usedUp }) => usedUp)).toEqual([5, 5]);
	});

	it('grows with a renewal', async () => {
		const order = added({ payType: 'PRE_PAY_IP', ipBalance: 1 });
		await extract({ num: '1' }, order);
		accountOf(sandbox).balanceInFen = 1_000_000_00;
		const at = { sandbox, host: 'baseUrl', path: '/api/reneworder' } as const;
		await askAs(order.keys, at, { 'dps.ip_count': '1000' });
		expect(await dataOf({ num: '1' }, order)).toMatchObject({ order_left_count: 999 });
	});
});

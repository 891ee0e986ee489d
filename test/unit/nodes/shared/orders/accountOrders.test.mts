import { InvalidResponseError } from '../../../../../nodes/shared/transport/callErrors.ts';
import { accountOrders } from '../../../../../nodes/shared/orders/accountOrders.ts';
import { freshCredential } from '../../../support/credential.mts';
import { fakeCaller, reply } from '../../../support/fakeCaller.mts';
import { runQuery } from '../../../../../nodes/shared/transport/runQuery.ts';

const DATE = 'Thu, 18 Jun 2026 04:01:43 GMT';
const ORDER = {
	orderid: '399141692192336',
	pay_type: 'PRE_PAY',
	product: 'DPS',
	status: 'VALID',
	expire_time: '2026-06-18 12:01:43',
};

/** With a body as text where it is one: numbers beyond 2^53 cannot be written in another way. */
function answering(body: unknown, headers = {}) {
	const credential = freshCredential({ keyType: 'account' });
	return fakeCaller(() => reply(body, { headers }), { credential });
}

function withData(data: unknown) {
	return answering({ code: 0, msg: '', data }, { date: DATE });
}

it('asks with what is wanted and nothing else', async () => {
	const caller = withData([]);
	await runQuery(caller, accountOrders, { status: 'ALL', product: 'TPS' });
	expect(caller.requests).toEqual([
		expect.objectContaining({
			method: 'GET',
			url: 'https://dev.kdlapi.com/api/getaccountorders',
			qs: { status: 'ALL', product: 'TPS' },
		}),
	]);
});

it('gives the orders as they are, in their order, with the time of the service', async () => {
	const others = { orderid: '1', something: { new: true } };
	const { orders, answeredAt } = await runQuery(withData([ORDER, others]), accountOrders, {});
	expect(orders).toEqual([ORDER, others]);
	expect(answeredAt).toBe(Date.parse(DATE));
});

it('goes by the clock of this machine where the answer has no time', async () => {
	const before = Date.now();
	const { orders, answeredAt } = await runQuery(
		answering({ code: 0, data: [] }),
		accountOrders,
		{},
	);
	expect(orders).toEqual([]);
	expect(answeredAt).toBeGreaterThanOrEqual(before);
	expect(answeredAt).toBeLessThanOrEqual(Date.now());
});

it.each([
	['a number of 15 digits', '399141692192336', '399141692192336'],
	['a number of 16 digits', '9900000000000001', '9900000000000001'],
	['a text of 16 digits', '"9900000000000001"', '9900000000000001'],
	['zeros in front', '"0099141692192336"', '0099141692192336'],
])('keeps every digit of %s', async (_what, written, orderid) => {
	const caller = answering(`{"code":0,"msg":"","data":[{"orderid":${written}}]}`);
	const { orders } = await runQuery(caller, accountOrders, {});
	expect(orders).toEqual([{ orderid }]);
});

it.each(['', null, {}, 'no order', 0, { orderid: '1' }])(
	'does not take %j for a list',
	async (data) => {
		await expect(runQuery(withData(data), accountOrders, {})).rejects.toThrow(
			new InvalidResponseError('contains no list', ''),
		);
	},
);

it.each([
	[[{}]],
	[[{ orderid: '' }]],
	[[{ orderid: null }]],
	[[{ orderid: 1.5 }]],
	[[{ orderid: ['1'] }]],
	[[ORDER, '399141692192336']],
])('does not take %j for orders', async (data) => {
	await expect(runQuery(withData(data), accountOrders, {})).rejects.toThrow(
		new InvalidResponseError('contains an entry with missing fields', ''),
	);
});

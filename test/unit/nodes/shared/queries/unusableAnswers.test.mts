import { accountOrders } from '../../../../../nodes/shared/queries/account.ts';
import { orderExpiry, ipBalance, proxyLogin } from '../../../../../nodes/shared/queries/order.ts';
import { InvalidResponseError } from '../../../../../nodes/shared/errors/callErrors.ts';

const ORDER = { orderid: '399141692192336' };

const READ_BY = { accountOrders, ipBalance, orderExpiry, proxyLogin };

it.each<[keyof typeof READ_BY, unknown]>([
	['ipBalance', {}],
	['ipBalance', { balance: '120' }],
	['ipBalance', { balance: null }],
	['ipBalance', 120],
	['orderExpiry', {}],
	['orderExpiry', null],
	['orderExpiry', { expire_time: 0 }],
	['orderExpiry', { expire_time: ' ' }],
	['orderExpiry', { expire_time: '2026-06-19' }],
	['orderExpiry', { expire_time: '2026-02-31 99:00:00' }],
	['orderExpiry', { expire_time: null }],
	['accountOrders', { orderid: '1' }],
	['accountOrders', [{ orderid: '' }]],
	['accountOrders', [{ orderid: 1.5 }]],
	['accountOrders', [{ orderid: ['1'] }]],
	['accountOrders', [ORDER, '399141692192336']],
	['proxyLogin', { username: '', password: 'p' }],
	['proxyLogin', { username: 'u' }],
	['proxyLogin', { username: 'u', password: '\ud800' }],
	['proxyLogin', { username: 'u\udfff', password: 'p' }],
])('%s takes nothing from %j', (query, data) => {
	const answer = { msg: '', data, answeredAt: 0 };
	expect(() => READ_BY[query].parse(answer, [])).toThrow(InvalidResponseError);
});

it('knows orders that do not end', () => {
	const answer = { msg: '', data: { expire_time: '' }, answeredAt: 5 };
	expect(orderExpiry.parse(answer, [])).toEqual({
		expireTime: '',
		expiresAt: undefined,
		answeredAt: 5,
	});
});

import { InvalidResponseError } from '../../../../../nodes/shared/transport/callErrors.ts';
import { orderExpiry } from '../../../../../nodes/shared/orders/orderExpiry.ts';
import { fakeCaller, reply } from '../../../support/fakeCaller.mts';
import { runQuery } from '../../../../../nodes/shared/transport/runQuery.ts';

const DATE = 'Thu, 18 Jun 2026 04:01:43 GMT';

function answering(data: unknown) {
	return fakeCaller(() => reply({ code: 0, msg: '', data }, { headers: { date: DATE } }));
}

it('tells when the order ends, and what time it is at the service', async () => {
	const caller = answering({ expire_time: '2026-06-19 12:01:43' });
	expect(await runQuery(caller, orderExpiry)).toEqual({
		expireTime: '2026-06-19 12:01:43',
		expiresAt: Date.parse('2026-06-19T04:01:43Z'),
		answeredAt: Date.parse('2026-06-18T04:01:43Z'),
	});
	expect(caller.requests).toEqual([
		expect.objectContaining({ url: 'https://dev.kdlapi.com/api/getorderexpiretime', qs: {} }),
	]);
});

it('knows orders that do not end', async () => {
	expect(await runQuery(answering({ expire_time: '' }), orderExpiry)).toMatchObject({
		expireTime: '',
		expiresAt: undefined,
	});
});

it.each([
	{},
	'',
	null,
	[],
	{ expire_time: null },
	{ expire_time: 0 },
	{ expire_time: ' ' },
	{ expire_time: '2026-06-19' },
	{ expire_time: '2026-02-31 99:00:00' },
	{ expire_time: '2026-06-19T12:01:43' },
])('does not take %j for an expiry', async (data) => {
	const failure = runQuery(answering(data), orderExpiry);
	await expect(failure).rejects.toThrow(new InvalidResponseError('contains no expiry time', ''));
	await expect(failure).rejects.toHaveProperty('excerpt', JSON.stringify(data));
});

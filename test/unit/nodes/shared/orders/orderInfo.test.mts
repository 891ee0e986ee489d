import {
	ApiError,
	InvalidResponseError,
} from '../../../../../nodes/shared/transport/callErrors.ts';
import { fetchOrderInfo } from '../../../../../nodes/shared/orders/orderInfo.ts';
import { runQuery } from '../../../../../nodes/shared/transport/runQuery.ts';
import { fakeCaller, refusal, reply, type FakeCaller } from '../../../support/fakeCaller.mts';

const DATE = 'Thu, 18 Jun 2026 04:01:43 GMT';
const INFO = '/api/getorderinfo';
const EXPIRY = '/api/getorderexpiretime';
const TUNNEL = { orderid: '965102959536478', product: 'TPS', tunnel_password: 'beot3nx1' };
const EXPIRE_TIME = '2026-06-19 12:01:43';

/** A service that knows these details of an order, and when it ends. */
function serviceWith(info: unknown, expireTime: unknown = EXPIRE_TIME) {
	return fakeCaller(({ url }) => {
		const data = url.endsWith(INFO) ? info : { expire_time: expireTime };
		return reply({ code: 0, msg: '', data }, { headers: { date: DATE } });
	});
}

async function infoOf(caller: FakeCaller, fields?: string) {
	return await fetchOrderInfo(
		async (query, parameters) => await runQuery(caller, query, parameters),
		fields === undefined ? {} : { field_list: fields },
	);
}

function asked({ requests }: ReturnType<typeof serviceWith>) {
	return requests.map(({ url, qs }) => [new URL(url).pathname, qs]);
}

it('asks once where the answer has the expiry', async () => {
	const info = { ...TUNNEL, pay_type: 'PRE_PAY', expire_time: EXPIRE_TIME };
	const caller = serviceWith(info);
	expect(await infoOf(caller)).toEqual({ info, answeredAt: Date.parse(DATE) });
	expect(asked(caller)).toEqual([[INFO, {}]]);
});

it('asks for the expiry where it is missing', async () => {
	const info = { ...TUNNEL, pay_type: 'PRE_PAY_IP' };
	const caller = serviceWith(info);
	expect((await infoOf(caller)).info).toEqual({ ...info, expire_time: EXPIRE_TIME });
	expect(asked(caller)).toEqual([
		[INFO, {}],
		[EXPIRY, {}],
	]);
});

it.each<[string, object]>([
	['is empty', { pay_type: 'PRE_PAY', expire_time: '' }],
	['cannot be, because the order is paid as used', { pay_type: 'POST_PAY' }],
])('does not ask for an expiry that %s', async (_why, fields) => {
	const caller = serviceWith({ ...TUNNEL, ...fields });
	expect((await infoOf(caller)).info).toEqual({ ...TUNNEL, ...fields });
	expect(asked(caller)).toHaveLength(1);
});

it('asks for certain fields only, and for no expiry that is not among them', async () => {
	const caller = serviceWith({ status: 'VALID', product: 'TPS' });
	expect((await infoOf(caller, 'status,product')).info).toEqual({
		status: 'VALID',
		product: 'TPS',
	});
	expect(asked(caller)).toEqual([[INFO, { field_list: 'status,product' }]]);
});

it.each(['expire_time', 'status,expire_time', 'expire_time,status'])(
	'asks for the expiry where %s is wanted and it is missing',
	async (fields) => {
		const caller = serviceWith({ status: 'VALID' });
		expect((await infoOf(caller, fields)).info).toEqual({
			status: 'VALID',
			expire_time: EXPIRE_TIME,
		});
		expect(asked(caller)).toEqual([
			[INFO, { field_list: fields }],
			[EXPIRY, {}],
		]);
	},
);

it('does not take another field for the expiry because of its name', async () => {
	const caller = serviceWith({ expire_time_text: '' });
	await infoOf(caller, 'expire_time_text');
	expect(asked(caller)).toHaveLength(1);
});

it.each(['', null, [], [TUNNEL], 'beot3nx1', 5])(
	'does not take %j for the details of an order, and shows nothing of it',
	async (data) => {
		const failure = infoOf(serviceWith(data));
		await expect(failure).rejects.toThrow(
			new InvalidResponseError('contains no details of the order', ''),
		);
		await expect(failure).rejects.toHaveProperty('excerpt', '');
	},
);

it('shows nothing of an answer that cannot be read: it may hold a password', async () => {
	const failure = infoOf(fakeCaller(() => reply('{"code":0,"data":{"tunnel_password":"beot')));
	await expect(failure).rejects.toThrow(InvalidResponseError);
	await expect(failure).rejects.toHaveProperty('excerpt', '');
});

it('fails where the expiry cannot be had', async () => {
	const caller = fakeCaller(({ url }) =>
		url.endsWith(INFO) ? reply({ code: 0, data: TUNNEL }) : refusal(-102),
	);
	await expect(infoOf(caller)).rejects.toThrow(ApiError);
});

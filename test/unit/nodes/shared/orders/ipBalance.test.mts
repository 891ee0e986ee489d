import {
	ApiError,
	InvalidResponseError,
	WrongKeyTypeError,
} from '../../../../../nodes/shared/transport/callErrors.ts';
import { ipBalance } from '../../../../../nodes/shared/orders/ipBalance.ts';
import { GET_IP_BALANCE } from '../../../../../nodes/shared/service/endpoints/order.ts';
import { freshCredential } from '../../../support/credential.mts';
import { fakeCaller, refusal, reply } from '../../../support/fakeCaller.mts';
import { runQuery } from '../../../../../nodes/shared/transport/runQuery.ts';

function answering(data: unknown) {
	return fakeCaller(() => reply({ code: 0, msg: 'success', data }));
}

it("asks the private proxies' own host without parameters", async () => {
	const caller = answering({ balance: 120 });
	expect(await runQuery(caller, ipBalance)).toBe(120);
	expect(caller.requests).toEqual([
		expect.objectContaining({
			method: 'GET',
			url: 'https://dps.kdlapi.com/api/getipbalance',
			qs: {},
		}),
	]);
});

it.each([0, 1, 1_000_000, -1])('reads %d', async (balance) => {
	expect(await runQuery(answering({ balance }), ipBalance)).toBe(balance);
});

it.each([{}, { balance: '120' }, { balance: null }, { balance: [120] }, [], '', null, 120])(
	'does not take %j for an answer with a balance',
	async (data) => {
		await expect(runQuery(answering(data), ipBalance)).rejects.toThrow(
			new InvalidResponseError('contains no IP balance', ''),
		);
	},
);

it('shows the beginning of what came instead', async () => {
	const failure = runQuery(answering({ balance: '120' }), ipBalance);
	await expect(failure).rejects.toHaveProperty('excerpt', '{"balance":"120"}');
});

it('tells apart that the order counts no IPs', async () => {
	const failure = runQuery(
		fakeCaller(() => refusal(-2)),
		ipBalance,
	);
	await expect(failure).rejects.toThrow(ApiError);
	await expect(failure).rejects.toMatchObject({ endpoint: GET_IP_BALANCE, code: -2 });
});

it('asks nothing with the key pair of an account', async () => {
	const credential = freshCredential({ keyType: 'account' });
	const caller = fakeCaller(() => reply({ code: 0, data: { balance: 1 } }), { credential });
	await expect(runQuery(caller, ipBalance)).rejects.toThrow(WrongKeyTypeError);
	expect(caller.requests).toEqual([]);
});

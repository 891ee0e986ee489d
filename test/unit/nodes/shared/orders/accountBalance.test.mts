import { InvalidResponseError } from '../../../../../nodes/shared/transport/callErrors.ts';
import { accountBalance } from '../../../../../nodes/shared/orders/accountBalance.ts';
import { freshCredential } from '../../../support/credential.mts';
import { fakeCaller, reply } from '../../../support/fakeCaller.mts';
import { runQuery } from '../../../../../nodes/shared/transport/runQuery.ts';

function answering(data: unknown) {
	const credential = freshCredential({ keyType: 'account' });
	return fakeCaller(() => reply({ code: 0, msg: '', data }), { credential });
}

it('asks without parameters', async () => {
	const caller = answering({ balance: '620.80' });
	await runQuery(caller, accountBalance);
	expect(caller.requests).toEqual([
		expect.objectContaining({
			method: 'GET',
			url: 'https://dev.kdlapi.com/api/getaccountbalance',
			qs: {},
		}),
	]);
});

it.each<[sent: unknown, balance: string, balanceNumber: number]>([
	['620.80', '620.80', 620.8],
	['0.00', '0.00', 0],
	['0', '0', 0],
	['-12.5', '-12.5', -12.5],
	['1000000', '1000000', 1_000_000],
	[' 620.80 ', ' 620.80 ', 620.8],
	[620.8, '620.8', 620.8],
	[0, '0', 0],
	[-3, '-3', -3],
])('reads %p as the text %p and the number %d', async (sent, balance, balanceNumber) => {
	expect(await runQuery(answering({ balance: sent }), accountBalance)).toEqual({
		balance,
		balanceNumber,
	});
});

it('puts out nothing else of the answer', async () => {
	const data = { balance: '1.00', owner: 'somebody' };
	expect(await runQuery(answering(data), accountBalance)).toEqual({
		balance: '1.00',
		balanceNumber: 1,
	});
});

it.each([
	'',
	' ',
	'none',
	'620,80',
	'1,620.80',
	'¥620.80',
	'1e3',
	'0x10',
	'NaN',
	'Infinity',
	'.5',
	'5.',
	'--5',
	1e21,
	null,
	undefined,
	true,
	[],
	['620.80'],
	{},
])('does not take %p for a balance', async (balance) => {
	await expect(runQuery(answering({ balance }), accountBalance)).rejects.toThrow(
		new InvalidResponseError('contains no balance', ''),
	);
});

it.each(['', null, [], ['620.80'], '620.80', 620.8])(
	'does not take %p for an answer with a balance',
	async (data) => {
		await expect(runQuery(answering(data), accountBalance)).rejects.toThrow(InvalidResponseError);
	},
);

it('shows the beginning of what came instead, without secrets', async () => {
	const failure = runQuery(answering({ balance: 'soon', key: 'the-secret-key' }), accountBalance);
	await expect(failure).rejects.toHaveProperty('excerpt', '{"balance":"soon","key":"[hidden]"}');
});

import type { KuaidailiCredential } from '../../../../../nodes/shared/credential/kuaidailiCredential.ts';
import { InvalidFieldError } from '../../../../../nodes/shared/fields/invalidFieldError.ts';
import {
	CancelledError,
	ApiError,
	InvalidResponseError,
} from '../../../../../nodes/shared/transport/callErrors.ts';
import { accessOrder } from '../../../../../nodes/shared/orders/orderAccess.ts';
import { sleep } from '../../../../engine/sleep.mts';
import '../../../../virtualTime.mts';
import { freshCredential } from '../../../support/credential.mts';
import { refusal, reply, type Outcome } from '../../../support/fakeCaller.mts';
import { fakeNodeCaller } from '../../../support/fakeNodeCaller.mts';

const ORDER = '965102959536478';
const KEYS = { secret_id: 'order-id', secret_key: 'order-key' };

function keysOf(data: unknown): Outcome {
	return reply({ code: 0, msg: '', data });
}

function account(
	answer: (index: number) => Outcome = () => keysOf(KEYS),
	settings: { signal?: AbortSignal; credential?: ReturnType<typeof freshCredential> } = {},
) {
	const credential = freshCredential({ keyType: 'account' });
	return fakeNodeCaller((_request, index) => answer(index), { credential, ...settings });
}

/** What became of it, an error included. */
async function settled(work: Promise<unknown>): Promise<unknown> {
	return await work.catch((error: unknown) => error);
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
	const outcome = await settled(work);
	if (outcome instanceof Error) return outcome;
	throw new Error('It went well');
}

describe('with the key pair of an order', () => {
	it('is had at once for the order of the credential', async () => {
		const caller = fakeNodeCaller(() => keysOf(KEYS));
		expect(await accessOrder(caller, undefined)).toEqual({ caller });
		expect(caller.requests).toEqual([]);
	});

	it('is refused for any other, and nothing is asked', async () => {
		const caller = fakeNodeCaller(() => keysOf(KEYS));
		const error = await failureOf(accessOrder(caller, ORDER));
		expect(error).toBeInstanceOf(InvalidFieldError);
		expect(error).toMatchObject({ description: expect.stringContaining('Leave the field empty') });
		expect(caller.requests).toEqual([]);
	});
});

describe('with the key pair of the account', () => {
	it('is had with the key pair that the service hands out', async () => {
		const caller = account();
		const access = await accessOrder(caller, ORDER);
		expect(access).toMatchObject({ orderid: ORDER, account: caller });
		expect(access.caller.credential).toEqual({
			...caller.credential,
			keyType: 'order',
			secretId: 'order-id',
			secretKey: 'order-key',
		});
		expect(caller.requests).toEqual([
			expect.objectContaining({
				method: 'GET',
				url: 'https://dev.kdlapi.com/api/getordersecret',
				qs: { orderid: ORDER },
			}),
		]);
	});

	it('is refused without an order, and nothing is asked', async () => {
		const caller = account();
		const error = await failureOf(accessOrder(caller, undefined));
		expect(error).toBeInstanceOf(InvalidFieldError);
		expect(error).toMatchObject({
			description: expect.stringContaining('Choose an order from the list, or enter its number'),
		});
		expect(caller.requests).toEqual([]);
	});

	it.each([
		'',
		null,
		[],
		'order-key',
		{},
		{ secret_id: 'order-id' },
		{ secret_key: 'order-key' },
		{ secret_id: '', secret_key: 'order-key' },
		{ secret_id: 'order-id', secret_key: '' },
		{ secret_id: 5, secret_key: 'order-key' },
		{ secret_id: 'order-id', secret_key: ['order-key'] },
	])('is not had with %j, of which nothing is shown', async (data) => {
		const caller = account(() => keysOf(data));
		const error = await failureOf(accessOrder(caller, ORDER));
		expect(error).toBeInstanceOf(InvalidResponseError);
		expect(error).toMatchObject({ reason: 'contains no key pair for the order', excerpt: '' });
		expect(caller.requests).toHaveLength(1);
	});

	it.each([
		['a text', 'order-key'],
		['half an answer', '{"code":0,"data":{"secret_key":"order-key"'],
		['an answer without a code', '{"data":{"secret_key":"order-key"}}'],
		['a page', '<html>order-key</html>'],
	])('shows nothing of %s', async (_what, body) => {
		const error = await failureOf(
			accessOrder(
				account(() => reply(body)),
				ORDER,
			),
		);
		expect(error).toMatchObject({ excerpt: '' });
	});

	it('shows nothing of an answer with another status', async () => {
		const caller = account(() => reply('order-key', { status: 502 }));
		expect(await failureOf(accessOrder(caller, ORDER))).toMatchObject({ status: 502, excerpt: '' });
	});
});

describe('a key pair', () => {
	it('is asked for once by all who want it, and kept for five minutes', async () => {
		const started = performance.now.bind(performance);
		let later = 0;
		const clock = jest.spyOn(performance, 'now').mockImplementation(() => started() + later);
		try {
			const caller = account();
			await Promise.all([accessOrder(caller, ORDER), accessOrder(caller, ORDER)]);
			later = 299_000;
			await accessOrder(caller, ORDER);
			expect(caller.requests).toHaveLength(1);
			later = 300_000;
			await accessOrder(caller, ORDER);
			expect(caller.requests).toHaveLength(2);
		} finally {
			clock.mockRestore();
		}
	});

	it('is asked for again after a failure, at the pace of the service', async () => {
		const caller = account((index) => (index === 0 ? refusal(-2) : keysOf(KEYS)));
		expect(await failureOf(accessOrder(caller, ORDER))).toBeInstanceOf(ApiError);
		const access = await accessOrder(caller, ORDER);
		expect(access.caller.credential.secretKey).toBe('order-key');
		expect(caller.times[1] - caller.times[0]).toBeGreaterThanOrEqual(1000);
	});

	const another = { ...freshCredential({ keyType: 'account' }) };
	it.each<[what: string, changes: Partial<KuaidailiCredential>, orderid: string]>([
		['another order', {}, '965102959536479'],
		['another account', { secretId: another.secretId }, ORDER],
		['another key of the same name', { secretKey: 'wrong' }, ORDER],
		['another host', { hosts: { ...another.hosts, baseUrl: 'http://127.0.0.1:1' } }, ORDER],
	])('is not used for %s', async (_what, changes, orderid) => {
		const credential = freshCredential({ keyType: 'account' });
		await accessOrder(account(undefined, { credential }), ORDER);
		const other = account(() => keysOf({ secret_id: 'other', secret_key: 'other-key' }), {
			credential: { ...credential, ...changes },
		});
		const access = await accessOrder(other, orderid);
		expect(access.caller.credential.secretKey).toBe('other-key');
		expect(other.requests).toHaveLength(1);
	});

	/** Two executions of one credential that want the same order at the same time. */
	async function together(first: { answer: () => Outcome }, second: { answer: () => Outcome }) {
		const credential = freshCredential({ keyType: 'account' });
		const all = [first, second].map(({ answer }) => {
			const cancel = new AbortController();
			const caller = account(answer, { credential, signal: cancel.signal });
			return { caller, cancel: () => cancel.abort(), access: settled(accessOrder(caller, ORDER)) };
		});
		await sleep(20);
		expect(all.map(({ caller }) => caller.requests.length)).toEqual([1, 0]);
		return all;
	}

	it('is asked for anew by the others when the execution that asks is cancelled', async () => {
		const silent = { answer: (): Outcome => 'silence' };
		const [first, second] = await together(silent, { answer: () => keysOf(KEYS) });
		first.cancel();
		expect(await first.access).toBeInstanceOf(CancelledError);
		expect(await second.access).toMatchObject({ orderid: ORDER });
		expect(second.caller.requests).toHaveLength(1);
	});

	it('is waited for no longer by an execution that is cancelled, and the one that asks goes on', async () => {
		const silent = { answer: (): Outcome => 'silence' };
		const [first, second] = await together(silent, silent);
		second.cancel();
		const soon = await Promise.race([second.access, sleep(500).then(() => 'still waiting')]);
		expect(soon).toBeInstanceOf(CancelledError);
		expect(second.caller.requests).toEqual([]);
		const other = await Promise.race([first.access, sleep(50).then(() => 'still waiting')]);
		expect(other).toBe('still waiting');
		first.cancel();
		expect(await first.access).toBeInstanceOf(CancelledError);
	});
});

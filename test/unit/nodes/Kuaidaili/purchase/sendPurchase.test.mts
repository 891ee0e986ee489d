import { sendPurchase } from '../../../../../nodes/Kuaidaili/purchase/sendPurchase.ts';
import { RENEW_ORDER } from '../../../../../nodes/shared/service/endpoints/purchase.ts';
import {
	InvalidResponseError,
	NetworkError,
} from '../../../../../nodes/shared/transport/callErrors.ts';
import { fakeCaller, inTurn, reply, type FakeCaller } from '../../../support/fakeCaller.mts';

const SUCCESS = reply({ code: 0, msg: '', data: {} });
const RENEWAL = { endpoint: RENEW_ORDER, parameters: {} } as const;

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => {
	jest.useRealTimers();
});

const noConnection = () => {
	const failure = { kind: 'refused', detail: '', mayHaveArrived: false } as const;
	return new NetworkError(failure, 'dev.kdlapi.com', 1000);
};

/** Lets the time pass until the purchase has an outcome, which is what comes back. */
async function outcomeOf(
	caller: FakeCaller,
	beforeLeaving: () => Promise<void> = async () => {},
	onLeaving: () => void = () => {},
	ms = 200_000,
): Promise<unknown> {
	let outcome: unknown = 'nothing yet';
	void sendPurchase(caller, RENEWAL, { beforeLeaving, onLeaving }).then(
		(answer) => (outcome = answer),
		(error: unknown) => (outcome = error),
	);
	await jest.advanceTimersByTimeAsync(ms);
	return outcome;
}

it('a purchase keeps the pace from when it leaves', async () => {
	const caller = fakeCaller(inTurn(SUCCESS));
	const pause = async () => await new Promise<void>((resolve) => setTimeout(resolve, 400));
	await outcomeOf(caller, pause, undefined, 500);
	await outcomeOf(caller, undefined, undefined, 2000);
	expect(caller.times[0]).toBe(400);
	expect(caller.times[1] - caller.times[0]).toBeGreaterThan(1000);
});

it('one is tried again when there was no connection for what comes before it', async () => {
	const caller = fakeCaller(inTurn(SUCCESS));
	const beforeLeaving = jest
		.fn<Promise<void>, []>()
		.mockRejectedValueOnce(noConnection())
		.mockRejectedValueOnce(noConnection())
		.mockResolvedValue(undefined);
	const onLeaving = jest.fn();
	expect(await outcomeOf(caller, beforeLeaving, onLeaving)).toMatchObject({ code: 0 });
	expect(beforeLeaving).toHaveBeenCalledTimes(3);
	expect(onLeaving).toHaveBeenCalledTimes(1);
	expect(caller.times).toHaveLength(1);
});

it('one ends with the failure when there never is a connection, and is not sent', async () => {
	const caller = fakeCaller(inTurn(SUCCESS));
	const beforeLeaving = async () => await Promise.reject(noConnection());
	expect(await outcomeOf(caller, beforeLeaving)).toBeInstanceOf(NetworkError);
	expect(caller.times).toHaveLength(0);
});

it('one is not sent when what comes before it fails in another way', async () => {
	const caller = fakeCaller(inTurn(SUCCESS));
	const failure = new InvalidResponseError('is empty', '');
	const beforeLeaving = jest.fn(async () => await Promise.reject(failure));
	expect(await outcomeOf(caller, beforeLeaving)).toBe(failure);
	expect(beforeLeaving).toHaveBeenCalledTimes(1);
	expect(caller.times).toHaveLength(0);
});

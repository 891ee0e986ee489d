import { RequestPace } from '../../../../../../nodes/Kuaidaili/pages/http/requestPace.ts';

afterEach(() => jest.useRealTimers());

/** What has left by `performance.now()`, of requests that come at once, after 1.5 seconds. */
async function leaving(...paces: RequestPace[]): Promise<number[]> {
	const left: number[] = [];
	for (const [index, pace] of paces.entries()) {
		void pace.acquireSlot(undefined).then(() => left.push(index));
	}
	await jest.advanceTimersByTimeAsync(1500);
	return left;
}

it('requests of all runs with a key wait for a pause, and go in turn', async () => {
	jest.useFakeTimers();
	const [long, short, other] = ['a', 'b', 'a'].map(
		(run, at) => new RequestPace(at < 2 ? 'in turn' : 'another', 1000, run),
	);
	long.pause(100);
	expect(await leaving(long, long, long, short, other)).toEqual([4, 0, 3]);
});

it('requests wait for a pause although there is no pace', async () => {
	jest.useFakeTimers();
	const pace = new RequestPace('without a pace', 0, 'a');
	pace.pause(2000);
	expect(await leaving(pace)).toEqual([]);
});

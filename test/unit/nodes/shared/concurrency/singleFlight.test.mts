import { CancelledError } from '../../../../../nodes/shared/errors/callErrors.ts';
import { singleFlight } from '../../../../../nodes/shared/concurrency/responseCache.ts';

const RESULT = { token: 'a' };

it('gives what the work gives', async () => {
	expect(await singleFlight(async () => await Promise.resolve(RESULT), undefined)).toBe(RESULT);
});

it('throws what the work throws, and does not try again', async () => {
	const join = jest.fn(async () => await Promise.reject<object>(new Error('refused')));
	await expect(singleFlight(join, undefined)).rejects.toThrow('refused');
	expect(join).toHaveBeenCalledTimes(1);
});

it.each([undefined, new AbortController().signal])(
	'joins anew while those that did the work were cancelled, but not this one (%p)',
	async (signal) => {
		const join = jest.fn(async () => {
			if (join.mock.calls.length <= 3) throw new CancelledError();
			return await Promise.resolve(RESULT);
		});
		expect(await singleFlight(join, signal)).toBe(RESULT);
		expect(join).toHaveBeenCalledTimes(4);
	},
);

it('ends when this one is cancelled', async () => {
	const cancel = new AbortController();
	const join = jest.fn(async () => {
		cancel.abort();
		return await Promise.reject<object>(new CancelledError());
	});
	await expect(singleFlight(join, cancel.signal)).rejects.toThrow(CancelledError);
	expect(join).toHaveBeenCalledTimes(1);
});

import { openPage } from '../../../../../nodes/Kuaidaili/pages/openPage.ts';
import type { LeaseRequest } from '../../../../../nodes/Kuaidaili/proxies/lease.ts';
import {
	fakeSender,
	surroundedBy,
	fakeSource,
	paceOf,
	pageRequest,
	sessionOf,
} from './fakePages.mts';

describe('at a pace', () => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => jest.useRealTimers());

	it('takes no proxy before its turn', async () => {
		const { send, requests } = fakeSender(() => 'silence');
		const { source, inUse } = fakeSource();
		const cancel = new AbortController();
		const pace = paceOf(2);
		const opening = [1, 2, 3].map(async () => {
			const signal = AbortSignal.any([cancel.signal]);
			const session = sessionOf(source);
			await openPage(pageRequest(), surroundedBy({ send, pace, session, signal }));
		});
		const ended = Promise.allSettled(opening);
		await jest.advanceTimersByTimeAsync(100);
		expect([inUse.size, requests.length]).toEqual([1, 1]);
		await jest.advanceTimersByTimeAsync(525);
		expect([inUse.size, requests.length]).toEqual([2, 2]);
		cancel.abort();
		for (const { status } of await ended) expect(status).toBe('rejected');
	});

	it('keeps to the pace where pages wait for the same proxies', async () => {
		const times: number[] = [];
		const { send } = fakeSender(() => {
			times.push(performance.now());
			return { body: 'ok' };
		});
		const { source } = fakeSource();
		const pace = paceOf(10);
		const extraction = new Promise<void>((come) => setTimeout(come, 600));
		const slow = {
			lease: async (request: LeaseRequest) => {
				await extraction;
				return await source.lease(request);
			},
		};
		const opening = [1, 2, 3].map(
			async () =>
				await openPage(pageRequest(), surroundedBy({ send, pace, session: sessionOf(slow) })),
		);
		await jest.advanceTimersByTimeAsync(1000);
		await Promise.all(opening);
		for (const at of [1, 2]) expect(times[at] - times[at - 1]).toBeGreaterThan(90);
	});
});

import { setImmediate as pause } from 'node:timers/promises';

import { KeyedMutex } from '../../../../../nodes/shared/concurrency/wait.ts';
import { CancelledError } from '../../../../../nodes/shared/errors/callErrors.ts';

/** Who got the turn, in the order in which they did. */
function line() {
	const mutex = new KeyedMutex();
	const got: string[] = [];
	const leaves = new Map<string, () => void>();
	return {
		mutex,
		got,
		join: async (who: string, thing = 'order', signal?: AbortSignal) => {
			leaves.set(who, await mutex.lock(thing, signal));
			got.push(who);
		},
		async leave(who: string) {
			leaves.get(who)?.();
			await pause();
		},
	};
}

it('they come one after the other, in the order in which they joined', async () => {
	const { mutex, got, join, leave } = line();
	const all = Promise.all([join('first'), join('second'), join('third')]);
	await pause();
	expect(got).toEqual(['first']);
	await leave('first');
	expect(got).toEqual(['first', 'second']);
	await leave('second');
	await all;
	expect(got).toEqual(['first', 'second', 'third']);
	await leave('third');
	expect(mutex.size).toBe(0);
});

it('those for another thing do not wait', async () => {
	const { got, join } = line();
	await join('first');
	await join('second', 'another order');
	expect(got).toEqual(['first', 'second']);
});

it('one that is cancelled leaves at once, and those behind still wait for those in front', async () => {
	const { mutex, got, join, leave } = line();
	const controller = new AbortController();
	await join('first');
	const second = join('second', 'order', controller.signal);
	const third = join('third');
	controller.abort();
	await expect(second).rejects.toThrow(CancelledError);
	await pause();
	expect(got).toEqual(['first']);
	await leave('first');
	await third;
	await leave('third');
	expect(got).toEqual(['first', 'third']);
	expect(mutex.size).toBe(0);
});

it('one that is cancelled before it joins takes no turn', async () => {
	const { mutex, join } = line();
	await expect(join('first', 'order', AbortSignal.abort())).rejects.toThrow(CancelledError);
	await pause();
	expect(mutex.size).toBe(0);
});

it('to leave twice gives nobody two mutex', async () => {
	const { got, join, leave } = line();
	await join('first');
	const second = join('second');
	void join('third');
	await leave('first');
	await leave('first');
	await second;
	expect(got).toEqual(['first', 'second']);
});

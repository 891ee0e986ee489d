import { DeadlineWatch } from '../../../../../nodes/shared/transport/deadlineWatch.ts';
import { watchTimers } from '../../../support/timers.mts';

afterEach(() => jest.restoreAllMocks());

const never = async () => await new Promise<never>(() => {});
const overdue = () => new Error('overdue');

async function after<T>(ms: number, value: T): Promise<T> {
	return await new Promise((resolve) => setTimeout(resolve, ms, value));
}

it('settles as the work does', async () => {
	const watch = new DeadlineWatch();
	await expect(watch.within(after(5, 'done'), 1_000, overdue)).resolves.toBe('done');
	const failing = Promise.reject(new Error('failed'));
	await expect(watch.within(failing, 1_000, overdue)).rejects.toThrow('failed');
});

it('gives up when the time has passed, and not before', async () => {
	const watch = new DeadlineWatch();
	const begin = performance.now();
	await expect(watch.within(never(), 700, overdue)).rejects.toThrow('overdue');
	const taken = performance.now() - begin;
	expect(taken).toBeGreaterThanOrEqual(700);
	expect(taken).toBeLessThan(1_500);
});

it('gives up on each by its own deadline, also on one that joins while it waits for another', async () => {
	const watch = new DeadlineWatch();
	const ended: string[] = [];
	const note = (name: string) => () => void ended.push(name);
	const all = [
		watch.within(never(), 1_400, overdue).catch(note('late')),
		watch.within(after(300, ''), 2_000, overdue).then(note('answered')),
		after(100, '').then(
			async () => await watch.within(never(), 600, overdue).catch(note('joined')),
		),
	];
	await Promise.all(all);
	expect(ended).toEqual(['answered', 'joined', 'late']);
});

it('swallows what becomes of work that it has given up on', async () => {
	const watch = new DeadlineWatch();
	const failsLate = after(100, '').then(() => {
		throw new Error('too late');
	});
	await expect(watch.within(failsLate, 20, overdue)).rejects.toThrow('overdue');
	await after(150, '');
});

it('needs one timer for any number of works, and none when all are done', async () => {
	const timers = watchTimers();
	const watch = new DeadlineWatch();
	const works = Array.from({ length: 50 }, async (_, index) => {
		await watch.within(Promise.resolve(index), 60_000, overdue);
	});
	await Promise.all(works);
	expect(timers.started()).toBe(1);
	jest.restoreAllMocks();

	await after(600, '');
	const later = watchTimers();
	await after(700, '');
	// The one of this test
	expect(later.started()).toBe(1);
});

it('watches again after a time with nothing to do', async () => {
	const watch = new DeadlineWatch();
	await watch.within(after(0, ''), 1_000, overdue);
	await after(700, '');
	await expect(watch.within(never(), 50, overdue)).rejects.toThrow('overdue');
});

import { FailedProxies } from '../../../../../nodes/Kuaidaili/proxies/failedProxies.ts';

function failedProxies(mostProxies: number) {
	const now = { monotonic: 0, wall: 0 };
	const clocks = { monotonic: () => now.monotonic, wall: () => now.wall };
	return { now, failed: new FailedProxies({ mostProxies, unknownLifeSeconds: 300 }, clocks) };
}

it('remembers a bounded number of proxies, those that failed last', () => {
	const { failed } = failedProxies(100);
	for (let number = 1; number <= 1000; number += 1) failed.add('order', `${number}:1`, undefined);
	expect(failed.size).toBe(100);
	expect(failed.has('order', '900:1')).toBe(false);
	expect(failed.has('order', '901:1')).toBe(true);
});

it.each(['monotonic', 'wall'] as const)('goes by the %s clock where that ends first', (clock) => {
	const { failed, now } = failedProxies(100);
	failed.add('order', 'a:1', { monotonic: 60_000, wall: 60_000 });
	now[clock] = 60_000;
	expect(failed.has('order', 'a:1')).toBe(false);
	expect(failed.size).toBe(0);
});

it('keeps the end that is known', () => {
	const { failed, now } = failedProxies(100);
	failed.add('order', 'a:1', { monotonic: 900_000, wall: 900_000 });
	failed.add('order', 'a:1', undefined);
	now.monotonic = 899_999;
	expect(failed.has('order', 'a:1')).toBe(true);
});

import { setTimeout as sleep } from 'node:timers/promises';
import { call, signed } from '../client.mts';
import { ask, EXPIRY, PATH, sandbox } from './faultyCalls.mts';

describe('time', () => {
	it('delay before the work', async () => {
		sandbox.faults.add({ kind: 'delay', ms: 150, times: 1 });
		const waiting = ask();
		while (sandbox.log.count() === 0) await sleep(5);
		expect(sandbox.log.last()).toMatchObject({ workDone: false, outcome: 'open' });
		expect((await waiting).json.code).toBe(0);
		expect(sandbox.log.last()).toMatchObject({ workDone: true, outcome: 'answered' });
	});

	it('a caller who gave up meanwhile does not stop the work', async () => {
		sandbox.faults.add({ kind: 'delay', ms: 150, times: 1 });
		const url = `${sandbox.hosts.baseUrl}${PATH}?`;
		const parameters = signed(sandbox.keys.opsVip, 'GET', PATH, { num: '1' });
		const given = fetch(url + new URLSearchParams(parameters), {
			signal: AbortSignal.timeout(50),
		});
		await expect(given).rejects.toThrow();
		expect(sandbox.log.last()?.workDone).toBe(false);
		await sleep(250);
		expect(sandbox.log.last()?.workDone).toBe(true);
	});

	it.each([
		['before', false],
		['after', true],
	] as const)('hang %s the work', async (when, workDone) => {
		sandbox.faults.add({ kind: 'hang', when, times: 1 });
		const parameters = signed(sandbox.keys.opsVip, 'GET', PATH, { num: '1' });
		const waiting = fetch(`${sandbox.hosts.baseUrl}${PATH}?${new URLSearchParams(parameters)}`, {
			signal: AbortSignal.timeout(200),
		});
		await expect(waiting).rejects.toThrow(/timeout/);
		expect(sandbox.log.last()).toMatchObject({ workDone, outcome: 'hung', status: undefined });
	});

	it('drip sends the whole answer in small pieces', async () => {
		sandbox.faults.add({ kind: 'drip', ms: 20, bytes: 8, times: 1 });
		const started = performance.now();
		const parameters = signed(sandbox.keys.opsVip, 'GET', PATH, { num: '2', format: 'json' });
		const reply = await fetch(`${sandbox.hosts.baseUrl}${PATH}?${new URLSearchParams(parameters)}`);
		const headersAfter = performance.now() - started;
		expect(await reply.json()).toMatchObject({ code: 0 });
		expect(performance.now() - started).toBeGreaterThan(headersAfter + 100);
	});

	it('clockOffset shows in the Date header and in the check of timestamps', async () => {
		sandbox.faults.add({ kind: 'clockOffset', seconds: 3600, times: 1 });
		const ahead = await ask();
		expect(ahead.json.code).toBe(-112);
		const shown = Date.parse(ahead.headers.get('date') ?? '');
		expect(Math.abs(shown - Date.now() - 3_600_000)).toBeLessThan(3000);

		const later = await ask();
		expect(later.json.code).toBe(0);
		expect(Math.abs(Date.parse(later.headers.get('date') ?? '') - Date.now())).toBeLessThan(3000);

		sandbox.faults.add({ kind: 'clockOffset', seconds: 3600, times: 1 });
		const serverTime = new Date(Date.now() + 3_600_000);
		const { baseUrl } = sandbox.hosts;
		const adjusted = await call(baseUrl, EXPIRY, sandbox.keys.opsVip, {}, serverTime);
		expect(adjusted.json.code).toBe(0);
	});
});

import { itWithOwnBed } from '../support/itWithOwnBed.mts';
import { sleep } from '../support/sleep.mts';
import { TOKENS } from '../support/testBed.mts';
import { until } from '../support/until.mts';

itWithOwnBed({
	'a token that is renewed in the middle of a run lets no call come too early': async (own) => {
		const { keys } = own.newOrder();
		const run = own.extract({
			credentialId: own.addCredential(keys, { signType: 'token' }),
			items: Array.from({ length: 5 }, () => ({})),
		});
		await until(() => own.extractions[1]?.code === 0);
		own.sandbox.tokens.expireAll(keys.secretId);
		const { error } = await run;
		expect(error).toBeUndefined();
		expect(own.extractions.map(({ code }) => code)).toEqual([0, 0, -107, 0, 0, 0]);
	},

	'a token that comes late lets no call come too early': async (own) => {
		own.sandbox.faults.add({ kind: 'delay', ms: 1000, path: TOKENS, times: 1 });
		const credentialId = own.addCredential(own.newOrder().keys, { signType: 'token' });
		const runs = Array.from({ length: 6 }, () => own.extract({ credentialId }));
		const results = await Promise.all(runs);
		expect(results.map(({ error }) => error)).toEqual(results.map(() => undefined));
		expect(own.extractions.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
	},

	'the time-out of the options holds for the token host too': async (own) => {
		own.sandbox.faults.add({ kind: 'hang', path: TOKENS });
		const start = performance.now();
		const { error } = await own.extract({
			credential: { signType: 'token' },
			options: { timeout: 1 },
		});
		expect(performance.now() - start).toBeLessThan(5000);
		expect(error?.message).toContain('did not answer within 1 second');
	},

	'the time-out holds where the token comes drop by drop': async (own) => {
		own.sandbox.faults.add({ kind: 'drip', ms: 1000, bytes: 1, path: TOKENS });
		const start = performance.now();
		const { error } = await own.extract({
			credential: { signType: 'token' },
			options: { timeout: 5 },
		});
		expect(performance.now() - start).toBeLessThan(7000);
		expect(error?.message).toContain('did not answer within 5 seconds');
	},

	'a token is fetched again for others where the execution that fetches it is cancelled': async (
		own,
	) => {
		own.sandbox.faults.add({ kind: 'hang', path: TOKENS, times: 1 });
		const credentialId = own.addCredential(own.newOrder().keys, { signType: 'token' });
		const cancelled = own.extract({ credentialId, cancelWhen: sleep(1000) });
		await until(() => own.sandbox.log.count(TOKENS) === 1);
		const others = await Promise.all([1, 2].map(() => own.extract({ credentialId })));
		expect((await cancelled).status).toBe('canceled');
		expect(others.map(({ error }) => error)).toEqual([undefined, undefined]);
		expect(own.sandbox.log.count(TOKENS)).toBe(2);
	},

	'a cancelled execution fetches no token later': async (own) => {
		const { keys } = own.newOrder();
		const credentialId = own.addCredential(keys, { signType: 'token' });
		await own.extract({ credentialId });
		own.sandbox.tokens.expireAll(keys.secretId);
		const cancelWhen = until(() => own.extractions.length === 2).then(() => sleep(100));
		await own.extract({ credentialId, cancelWhen });
		await sleep(1500);
		expect(own.sandbox.log.count(TOKENS)).toBe(1);
	},
});

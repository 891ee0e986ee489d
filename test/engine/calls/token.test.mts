import { until } from '../../virtualTime.mts';
import { itWithOwnBed } from '../support/itWithOwnBed.mts';
import { sleep } from '../support/sleep.mts';
import { TOKENS, type TestBed } from '../support/testBed.mts';
import { codes, fetches, sentTokens, tokenCredential } from './tokens.mts';

/** What n8n has kept of the credential. */
function stored(bed: TestBed, credentialId: string) {
	return { ...bed.engine.credentials.data(credentialId) };
}

/** Two processes know nothing of each other's pace. */
const OF_ANOTHER_PROCESS_MS = 1100;

async function fromAnotherProcess(bed: TestBed, credentialId: string) {
	await sleep(OF_ANOTHER_PROCESS_MS);
	return await bed.extract({ credentialId }, bed.engine.anotherProcess());
}

describe('the first use of a credential', () =>
	itWithOwnBed({
		'fetches one token for 20 executions that start at once': async (bed) => {
			const credentialId = tokenCredential(bed, bed.newOrder().keys);
			const runs = Array.from({ length: 20 }, () => bed.extract({ credentialId }));
			const results = await Promise.all(runs);
			expect(results.map(({ error }) => error)).toEqual(results.map(() => undefined));
			expect(results.flatMap(({ items }) => items)).toHaveLength(20);
			expect(fetches(bed)).toBe(1);
			expect(new Set(sentTokens(bed)).size).toBe(1);
		},

		'posts the key pair as a form to the token host': async (bed) => {
			const { keys } = bed.newOrder();
			await bed.extract({ credentialId: tokenCredential(bed, keys) });
			expect(bed.sandbox.log.entries(TOKENS)).toEqual([
				expect.objectContaining({
					host: 'auth',
					method: 'POST',
					code: 0,
					// The sandbox notes no secret key
					parameters: { secret_id: keys.secretId, secret_key: '***' },
				}),
			]);
		},
	}));

describe('a token in memory', () =>
	itWithOwnBed({
		'is used by the next execution, and stored nowhere': async (bed) => {
			const credentialId = tokenCredential(bed, bed.newOrder().keys);
			const before = stored(bed, credentialId);
			await bed.extract({ credentialId });
			const { saved } = await bed.extract({ credentialId });
			expect(fetches(bed)).toBe(1);
			expect(new Set(sentTokens(bed)).size).toBe(1);
			expect(stored(bed, credentialId)).toEqual(before);
			expect(saved).not.toContain(sentTokens(bed)[0]);
		},

		'is fetched by another process for itself': async (bed) => {
			const credentialId = tokenCredential(bed, bed.newOrder().keys);
			await bed.extract({ credentialId });
			const { error } = await fromAnotherProcess(bed, credentialId);
			expect(error).toBeUndefined();
			expect(codes(bed)).toEqual([0, 0]);
			expect(fetches(bed)).toBe(2);
		},

		'is replaced when its life is over, before it is used again': async (bed) => {
			bed.sandbox.tokens.lifeSeconds = 2;
			const credentialId = tokenCredential(bed, bed.newOrder().keys);
			const first = await bed.extract({ credentialId });
			await sleep(2100);
			const second = await bed.extract({ credentialId });
			bed.sandbox.tokens.lifeSeconds = 3600;
			expect([first.error, second.error]).toEqual([undefined, undefined]);
			expect(fetches(bed)).toBe(2);
			expect(new Set(sentTokens(bed)).size).toBe(2);
			expect(codes(bed)).toEqual([0, 0]);
		},

		'with a life of two seconds serves a run that is longer': async (bed) => {
			bed.sandbox.tokens.lifeSeconds = 2;
			const { error, items } = await bed.extract({
				credential: { signType: 'token' },
				items: Array.from({ length: 16 }, () => ({})),
			});
			bed.sandbox.tokens.lifeSeconds = 3600;
			expect(error).toBeUndefined();
			expect(items).toHaveLength(16);
			expect(fetches(bed)).toBeGreaterThanOrEqual(2);
			expect(codes(bed)).toEqual(Array(16).fill(0));
		},
	}));

describe('different key pairs', () =>
	itWithOwnBed({
		'never share a token': async (bed) => {
			const [one, other] = [bed.newOrder().keys, bed.newOrder().keys];
			const ids = [tokenCredential(bed, one), tokenCredential(bed, other)];
			const runs = [...ids, ...ids].map((credentialId) => bed.extract({ credentialId }));
			const results = await Promise.all(runs);
			expect(results.map(({ error }) => error)).toEqual(results.map(() => undefined));
			const owners = bed.extractions.map(
				({ parameters }) => `${parameters.secret_id} ${parameters.signature}`,
			);
			expect(new Set(owners).size).toBe(2);
			expect(new Set(sentTokens(bed)).size).toBe(2);
			expect(fetches(bed)).toBe(2);
		},

		'have different tokens after the keys of a credential were edited': async (bed) => {
			const [before, after] = [bed.newOrder().keys, bed.newOrder().keys];
			const credentialId = tokenCredential(bed, before);
			await bed.extract({ credentialId });
			bed.engine.credentials.edit(credentialId, { ...after });
			const { error } = await bed.extract({ credentialId });

			expect(error).toBeUndefined();
			expect(codes(bed)).toEqual([0, 0]);
			expect(bed.extractions[1].parameters.secret_id).toBe(after.secretId);
			expect(new Set(sentTokens(bed)).size).toBe(2);
		},

		'that differ in the Secret Key only have different tokens too': async (bed) => {
			const { keys } = bed.newOrder();
			const credentialId = tokenCredential(bed, keys);
			await bed.extract({ credentialId });
			bed.engine.credentials.edit(credentialId, { secretKey: 'a-wrong-key' });
			const { error } = await bed.extract({ credentialId });
			expect(error).toMatchObject({ httpCode: '-2' });
			expect(codes(bed)).toEqual([0]);
		},
	}));

describe('a credential with expressions', () =>
	itWithOwnBed({
		'gives each item its own key pair, and stays as it was written': async (bed) => {
			const orders = [bed.newOrder(), bed.newOrder(), bed.newOrder()];
			const credentialId = bed.addCredential(
				{ secretId: '={{ $json.secretId }}', secretKey: '={{ $json.secretKey }}' },
				{ signType: 'token' },
			);
			const written = stored(bed, credentialId);
			const items = orders.map(({ keys }) => ({ ...keys }));
			const { error } = await bed.extract({ credentialId, items });
			expect(error).toBeUndefined();
			const senders = bed.extractions.map(({ parameters }) => parameters.secret_id);
			expect(senders).toEqual(orders.map(({ keys }) => keys.secretId));
			expect(new Set(sentTokens(bed)).size).toBe(3);
			expect(stored(bed, credentialId)).toEqual(written);
		},

		'renews the order of each item, and no order twice': async (bed) => {
			const account = bed.newAccount({ balanceInFen: 100_000 });
			const orders = [bed.newOrder('svip', { account }), bed.newOrder('svip', { account })];
			const credentialId = bed.addCredential(
				{ secretId: '={{ $json.secretId }}', secretKey: '={{ $json.secretKey }}' },
				{ signType: 'token' },
			);
			const { error } = await bed.engine.run({
				credentialId,
				items: orders.map(({ keys }) => ({ ...keys })),
				parameters: { resource: 'order', operation: 'renew', renewWhen: 'always' },
			});
			expect(error).toBeUndefined();
			const renewed = bed.sandbox.log.entries('/api/reneworder');
			expect(renewed.map(({ parameters }) => parameters.secret_id)).toEqual(
				orders.map(({ keys }) => keys.secretId),
			);
		},
	}));

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

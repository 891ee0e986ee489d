import {
	newSecretToken,
	type SecretToken,
} from '../../../../../nodes/shared/credential/secretToken.ts';
import { SecretTokenStore } from '../../../../../nodes/shared/credential/secretTokenStore.ts';

let now: number;
let store: SecretTokenStore;
let fetches: string[];

beforeEach(() => {
	now = 1_000_000;
	store = new SecretTokenStore(() => now);
	fetches = [];
});

function fetcher(name: string, lifeSeconds = 3600): () => Promise<SecretToken> {
	return async () => {
		fetches.push(name);
		await Promise.resolve();
		return newSecretToken(name, lifeSeconds, 'of the keys', now);
	};
}

it('shares one fetch among twenty that ask at once', async () => {
	const asked = Array.from({ length: 20 }, (_, index) =>
		store.obtain('keys', fetcher(`token ${index}`)),
	);
	const tokens = await Promise.all(asked);
	expect(fetches).toEqual(['token 0']);
	expect(new Set(tokens.map(({ token }) => token))).toEqual(new Set(['token 0']));
});

it('fetches nothing while the token is usable', async () => {
	await store.obtain('keys', fetcher('first'));
	now += 3539_000;
	expect((await store.obtain('keys', fetcher('second'))).token).toBe('first');
	expect(fetches).toEqual(['first']);
});

it('fetches a new one, once, from the moment of renewal on', async () => {
	await store.obtain('keys', fetcher('first'));
	now += 3540_000;
	const tokens = await Promise.all([
		store.obtain('keys', fetcher('second')),
		store.obtain('keys', fetcher('third')),
	]);
	expect(tokens.map(({ token }) => token)).toEqual(['second', 'second']);
	expect(fetches).toEqual(['first', 'second']);
});

it('keeps the tokens of different keys apart', async () => {
	await store.obtain('keys', fetcher('first'));
	expect((await store.obtain('other keys', fetcher('second'))).token).toBe('second');
	expect((await store.obtain('keys', fetcher('third'))).token).toBe('first');
});

it('tells a failed fetch to all who waited for it, and does not remember it', async () => {
	const fail = async () => await Promise.reject(new Error('no network'));
	const asked = [store.obtain('keys', fail), store.obtain('keys', fetcher('not used'))];
	for (const one of asked) await expect(one).rejects.toThrow('no network');
	expect(store.size).toBe(0);
	expect((await store.obtain('keys', fetcher('second'))).token).toBe('second');
	expect(fetches).toEqual(['second']);
});

it('does not remember a fetch that could not even begin', async () => {
	const fail = () => {
		throw new Error('no credential');
	};
	await expect(store.obtain('keys', fail)).rejects.toThrow('no credential');
	expect(store.size).toBe(0);
});

describe('discarding', () => {
	it('makes the next one fetch', async () => {
		await store.obtain('keys', fetcher('first'));
		store.discard('keys', 'first');
		expect((await store.obtain('keys', fetcher('second'))).token).toBe('second');
	});

	it('leaves a token that was fetched meanwhile', async () => {
		await store.obtain('keys', fetcher('first'));
		store.discard('keys', 'first');
		await store.obtain('keys', fetcher('second'));
		store.discard('keys', 'first');
		expect((await store.obtain('keys', fetcher('third'))).token).toBe('second');
	});

	it('leaves a fetch that is under way', async () => {
		const asked = store.obtain('keys', fetcher('first'));
		store.discard('keys', 'first');
		expect((await store.obtain('keys', fetcher('second'))).token).toBe('first');
		await asked;
	});

	it('leaves the tokens of other keys', async () => {
		await store.obtain('keys', fetcher('same'));
		await store.obtain('other keys', fetcher('same'));
		store.discard('keys', 'same');
		await store.obtain('other keys', fetcher('new'));
		expect(fetches).toEqual(['same', 'same']);
	});
});

describe('with 10,000 keys', () => {
	it('remembers a bounded number of them, the latest', async () => {
		for (let index = 0; index < 10_000; index++) {
			await store.obtain(`keys ${index}`, fetcher(`token ${index}`));
			expect(store.size).toBe(Math.min(index + 1, 500));
		}
		expect((await store.obtain('keys 9999', fetcher('new'))).token).toBe('token 9999');
		expect((await store.obtain('keys 0', fetcher('new'))).token).toBe('new');
	});

	it('forgets those first that were fetched first', async () => {
		await store.obtain('first', fetcher('first', 60));
		for (let index = 1; index < 500; index++) await store.obtain(`keys ${index}`, fetcher('x'));
		now += 60_000;
		await store.obtain('first', fetcher('first again'));
		await store.obtain('one more', fetcher('x'));
		expect((await store.obtain('first', fetcher('new'))).token).toBe('first again');
		expect((await store.obtain('keys 1', fetcher('new'))).token).toBe('new');
	});

	it('gives every token although all are asked for at once', async () => {
		const asked = Array.from({ length: 10_000 }, (_, index) =>
			store.obtain(`keys ${index}`, fetcher(`token ${index}`)),
		);
		const tokens = await Promise.all(asked);
		expect(tokens.every(({ token }, index) => token === `token ${index}`)).toBe(true);
		expect(store.size).toBeLessThanOrEqual(500);
	});
});

it('uses the clock of the machine by default', async () => {
	const real = new SecretTokenStore();
	const fresh = async () => newSecretToken('fresh', 60, '', Date.now());
	await real.obtain('keys', fresh);
	await real.obtain('keys', fetcher('not used'));
	expect(fetches).toEqual([]);
});

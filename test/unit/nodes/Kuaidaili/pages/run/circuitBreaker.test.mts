import type { IExecuteFunctions } from 'n8n-workflow';

import {
	CircuitBreaker,
	circuitBreakerOf,
} from '../../../../../../nodes/Kuaidaili/pages/run/circuitBreaker.ts';
import type { AttemptResult } from '../../../../../../nodes/Kuaidaili/pages/run/classifyAttempt.ts';
import { fakeProxies } from '../run/fakePages.mts';

const SITES = ['a.example', 'b.example', 'c.example'];

const ATTEMPT: AttemptResult = {
	outcome: 'proxyFailed',
	nextStep: 'tryAgain',
	message: '',
	advice: '',
	proxy: '',
	milliseconds: 1,
	reason: 'it was so',
	isConnected: false,
	isUnclear: false,
};

const OPENED = { outcome: 'opened', nextStep: 'end', isConnected: true } as const;
const BUSY = { outcome: 'tooManyRequests', nextStep: 'waitForOrder' } as const;
const missing = (statusCode: number) =>
	({ outcome: 'status', nextStep: 'end', statusCode, isConnected: true }) as const;

/** By default a breaker that gives a site up after two proxies, and an order after six. */
function breakerOf(breaker = new CircuitBreaker(2)) {
	const { proxies } = fakeProxies();
	const same = proxies.lease('', undefined);
	return {
		/** Attempts at a site, each through a proxy of its own. */
		async fail(site: string, count = 1, changes: Partial<AttemptResult> = {}, isFirst = true) {
			for (let attempt = 0; attempt < count; attempt += 1) {
				const { proxy } = await proxies.lease('', undefined);
				breaker.note(site, proxy, { ...ATTEMPT, ...changes }, isFirst);
			}
		},
		/** Attempts through one proxy. */
		async failAgain(site: string, count: number) {
			const { proxy } = await same;
			for (let attempt = 0; attempt < count; attempt += 1) breaker.note(site, proxy, ATTEMPT, true);
		},
		stops: () => SITES.map((site) => breaker.stopFor(site)?.kind),
		words: (site: string) =>
			String(
				Reflect.get(
					Object(Reflect.get(Object(breaker.stopFor(site)?.error), 'text')),
					'description',
				),
			),
	};
}

type Breaker = ReturnType<typeof breakerOf>;

const none = [undefined, undefined, undefined];
const site = ['site', undefined, undefined];
const [a, b, c] = SITES;

it.each<[string, (breaker: Breaker) => Promise<void>, Array<string | undefined>]>([
	['no site after one proxy', async ({ fail }) => await fail(a), none],
	['a site after two proxies', async ({ fail }) => await fail(a, 2), site],
	['no site for one proxy', async ({ failAgain }) => await failAgain(a, 9), none],
	['no site for its second attempts', async ({ fail }) => await fail(a, 9, {}, false), none],
	[
		'no site that opened a page in between',
		async ({ fail }) => {
			await fail(a);
			await fail(a, 1, OPENED);
			await fail(a);
		},
		none,
	],
	[
		'no site for pages that are not there',
		async ({ fail }) => {
			await fail(a, 9, missing(404));
			await fail(b, 9, missing(410));
		},
		none,
	],
	['a site for another status', async ({ fail }) => await fail(a, 2, missing(403)), site],
	[
		'a site with a page that is not there in between',
		async ({ fail }) => {
			await fail(a);
			await fail(a, 1, missing(404));
			await fail(a);
		},
		site,
	],
	[
		'a site for a host that proxies do not find',
		async ({ fail }) => await fail(a, 2, { isUnseen: true }),
		site,
	],
	[
		'no order for two sites',
		async ({ fail }) => {
			await fail(a, 5, {}, false);
			await fail(b, 4, {}, false);
		},
		none,
	],
	[
		'an order for six proxies at three sites',
		async ({ fail }) => {
			await fail(a, 4, {}, false);
			await fail(b, 1, {}, false);
			await fail(c, 1, {}, false);
		},
		['order', 'order', 'order'],
	],
	[
		'no order that opened a page in between',
		async ({ fail }) => {
			await fail(a, 4, {}, false);
			await fail(b, 1, OPENED, false);
			await fail(c, 9, {}, false);
		},
		none,
	],
	[
		'no order that found a page missing in between',
		async ({ fail }) => {
			await fail(a, 4, {}, false);
			await fail(b, 1, missing(404), false);
			await fail(c, 9, {}, false);
		},
		none,
	],
	[
		'no order for hosts that its proxies do not find',
		async ({ fail }) => {
			for (const host of SITES) await fail(host, 9, { isUnseen: true }, false);
		},
		none,
	],
	[
		'nothing for an order that is busy',
		async ({ fail }) => {
			for (const host of SITES) await fail(host, 9, BUSY);
		},
		none,
	],
])('gives up %s', async (_what, attempts, stops) => {
	const breaker = breakerOf();
	await attempts(breaker);
	expect(breaker.stops()).toEqual(stops);
});

it('names causes outside the site only where no proxy has led to a page', async () => {
	for (const isConnected of [false, true]) {
		const { fail, words } = breakerOf();
		await fail(b, 1, { isConnected });
		await fail(a, 2);
		expect(words(a).includes('firewall')).toBe(!isConnected);
		expect(words(a)).toMatch(
			/^2 proxies in a row opened no page of a\.example, the last one because it was so\./,
		);
	}
});

it('gives up an order that has allowed no request for a minute, unless nobody asked for half of it', async () => {
	const now = jest.spyOn(performance, 'now');
	/** What is given up after refusals so many seconds later each, and some more. */
	const after = async (
		seconds: readonly number[],
		more: number,
		between?: Partial<AttemptResult>,
	) => {
		const { fail, stops } = breakerOf();
		let ms = 1000;
		for (const later of seconds) {
			now.mockReturnValue((ms += later * 1000));
			await fail(a, 1, BUSY);
			if (between !== undefined) await fail(a, 1, between);
		}
		now.mockReturnValue(ms + more * 1000);
		return stops()[0];
	};
	expect(await after([0, 29, 29], 0)).toBeUndefined();
	expect(await after([0, 29, 29], 2)).toBe('order');
	expect(await after([0, 29, 29], 31)).toBeUndefined();
	expect(await after([0, 31, 29], 2)).toBeUndefined();
	expect(await after([0, 29, 29], 2, OPENED)).toBeUndefined();
	now.mockRestore();
});

it.each([
	['DPS', 10],
	['OPS', 30],
])('of %s, it gives a site up after %i proxies', async (product, count) => {
	const context: unknown = { getContext: () => breakerOf };
	const { fail, stops } = breakerOf(
		circuitBreakerOf(context as IExecuteFunctions, product, product),
	);
	await fail(a, count - 1);
	expect(stops()).toEqual(none);
	await fail(a);
	expect(stops()).toEqual(site);
});

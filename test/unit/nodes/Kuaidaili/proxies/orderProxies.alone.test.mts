import '../../../../virtualTime.mts';
import type { ProxyLease } from '../../../../../nodes/Kuaidaili/proxies/lease.ts';
import { dedicatedProxy } from '../../../../../nodes/Kuaidaili/proxies/products/dedicatedProxy.ts';
import { proxyPool, PooledProxy } from '../../../../../nodes/Kuaidaili/proxies/proxyPool.ts';
import { CancelledError } from '../../../../../nodes/shared/api/errors.ts';
import { sleep } from '../../../../engine/support/sleep.mts';
import { type Outcome, refusal, reply } from '../../../support/fakeCaller.mts';
import {
	addresses,
	addressesOf,
	endless,
	listReply,
	nums,
	openInTurn,
	runOf,
	SITE,
} from './providerRun.mts';

it('gives those who ask at the same time different proxies, by one call for as many as they are', async () => {
	const { caller, proxies, runProxies } = runOf({}, endless());
	const pages = await proxies();
	const leases = await Promise.all(Array.from({ length: 5 }, () => pages.lease(SITE, undefined)));
	expect(new Set(addressesOf(leases)).size).toBe(5);
	expect(nums(caller)).toEqual([5]);
	expect(leases[0].proxy.login).toEqual({ username: 'd1', password: 'secret1' });
	expect(runProxies.counts).toMatchObject({ extracted: 5, reused: 0 });
});

it('uses a proxy for as many pages as are wanted, and no longer than it works', async () => {
	const { caller, proxies } = runOf({}, endless());
	const pages = await proxies(0);
	const seen = await openInTurn(pages, 4, (_lease, page) => (page === 1 ? 'failed' : undefined));
	expect(seen[0]).toBe(seen[1]);
	expect(seen[2]).not.toBe(seen[1]);
	expect(seen[3]).toBe(seen[2]);
	expect(nums(caller)).toEqual([1, 1]);
});

/** Opens so many pages, some at a time, each through a proxy of its own. */
async function openPages(
	{ proxies }: Pick<ReturnType<typeof runOf>, 'proxies'>,
	{ count, atATime, deadShare = 0 }: { count: number; atATime: number; deadShare?: number },
): Promise<void> {
	let expected = count;
	const pages = await proxies(1, { expected: () => expected });
	let attempts = 0;
	const work = async (): Promise<void> => {
		while (expected > 0) {
			expected -= 1;
			for (let isOpened = false; !isOpened; ) {
				const lease = await pages.lease(SITE, undefined);
				await sleep(5);
				isOpened = deadShare === 0 || (attempts += 1) % deadShare !== 0;
				lease.end(isOpened ? 'opened' : 'failed');
			}
		}
	};
	await Promise.all(Array.from({ length: atATime }, work));
}

it('extracts two ahead for each at work once fewer than one is left, and never more than its pages', async () => {
	const run = runOf({}, endless());
	await openPages(run, { count: 60, atATime: 10 });
	expect(run.runProxies.counts).toMatchObject({ extracted: 60, unused: 0 });
	expect(nums(run.caller)).toEqual([20, 30, 10]);
});

it('extracts nothing ahead of pages that are opened alone: proxies may end before the next one comes', async () => {
	const run = runOf({}, endless(30));
	const pages = await run.proxies(1, { expected: () => 50 });
	for (let page = 0; page < 20; page += 1) {
		const lease = await pages.lease(SITE, undefined);
		await sleep(500);
		lease.end('opened');
		await sleep(60_000);
	}
	expect(run.runProxies.counts).toMatchObject({ extracted: 20, unused: 0 });
});

it('extracts as many ahead as are at work from the first call on, and none where more have failed', async () => {
	const run = runOf({}, endless());
	const pages = await run.proxies(1, { expected: () => 50 });
	const open = async (count: number, isWorking: boolean) => {
		const result = isWorking ? 'opened' : 'failed';
		for (let page = 0; page < count; page += 3) {
			const three = [1, 2, 3].map(async () => await pages.lease(SITE, undefined));
			const [first, ...others] = await Promise.all(three);
			first.end(result);
			// The others are at work, so that something may be extracted ahead
			await sleep(900);
			for (const lease of others) lease.end(result);
		}
	};
	await open(3, false);
	expect(run.runProxies.counts).toMatchObject({ extracted: 6, unused: 3 });
	await open(6, false);
	expect(run.runProxies.counts).toMatchObject({ extracted: 9, unused: 0 });
	await open(15, true);
	expect(run.runProxies.counts.unused).toBeGreaterThan(0);
	await open(18, false);
	expect(run.runProxies.counts).toMatchObject({ extracted: 42, unused: 0 });
});

describe('a run of 20 pages at a time', () => {
	const AT_A_TIME = 20;
	/** No multiple of the interval: which of two timers of one moment comes first would decide. */
	const PAGE_MS = 301;

	/** @returns how long the pages took, in milliseconds, and how many of them were opened */
	async function openAll(
		{ proxies }: ReturnType<typeof runOf>,
		pageCount: number,
		faultOf: (lease: number) => 'failed' | 'blocked' | undefined,
	) {
		const start = performance.now();
		let [expected, leases, opened] = [pageCount, 0, 0];
		const pages = await proxies(1, { expected: () => expected });
		const work = async (): Promise<void> => {
			while (expected > 0) {
				expected -= 1;
				for (let attempt = 0; attempt < 3; attempt += 1) {
					const lease = await pages.lease(SITE, undefined);
					const fault = faultOf((leases += 1));
					if (fault !== 'failed') await sleep(PAGE_MS);
					lease.end(fault ?? 'opened');
					if (fault !== undefined) continue;
					opened += 1;
					break;
				}
			}
		};
		await Promise.all(Array.from({ length: AT_A_TIME }, work));
		return { took: performance.now() - start, opened };
	}

	it('hardly waits for proxies of which each tenth is dead, and leaves few over', async () => {
		const run = runOf({ options: { maxExtractionsPerRun: 0 } }, endless());
		const { took, opened } = await openAll(run, 500, (lease) =>
			lease % 10 === 0 ? 'failed' : undefined,
		);
		expect(opened).toBe(500);
		// 1.07 where nothing is ready when the first pages are opened, 1.16 where the last ones wait for a call each
		expect(took).toBeLessThanOrEqual((500 / AT_A_TIME) * PAGE_MS * 1.05);
		expect(run.runProxies.counts.unused).toBeLessThanOrEqual(500 / 50);
	});
});

it('fails all further pages of a run at once when the login can not be fetched', async () => {
	const { logins, caller, proxies } = runOf({}, endless(), () => {
		throw new Error('no login');
	});
	const pages = await proxies();
	const failed = await Promise.allSettled([1, 2, 3].map(() => pages.lease(SITE, undefined)));
	expect(failed.map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
	const { length } = logins.requests;
	await expect(pages.lease(SITE, undefined)).rejects.toThrow();
	expect(logins.requests).toHaveLength(length);
	expect(caller.requests).toHaveLength(0);
});

it('looks at each of 10,000 proxies once, and then at those that it hands out', async () => {
	const run = runOf({ options: { reuse: true } }, endless());
	const of = (address: string) => ({ address, host: '', port: 1, secondsLeft: 600 });
	run.partition.add(proxyPool.add(run.order, addresses(0, 10_000).map(of)));
	const looks = [
		jest.spyOn(PooledProxy.prototype, 'isReusableFor'),
		jest.spyOn(PooledProxy.prototype, 'isBlockedFor'),
	];
	const pages = await run.proxies();
	for (let round = 0; round < 5; round += 1) {
		const leases = await Promise.all(
			Array.from({ length: 100 }, () => pages.lease(SITE, undefined)),
		);
		for (const lease of leases) lease.end();
	}
	const count = looks.reduce((sum, { mock }) => sum + mock.calls.length, 0);
	for (const look of looks) look.mockRestore();
	expect(count).toBeLessThanOrEqual(10_000 + 3 * 500);
	expect(run.runProxies.counts).toMatchObject({ extracted: 0, reused: 500 });
});

it('extracts nothing ahead where the proxies in use serve the other pages, too', async () => {
	const { caller, proxies } = runOf({}, endless());
	const pages = await proxies(10, { expected: () => 20 });
	for (let page = 0; page < 4; page += 1) {
		const leases = await Promise.all([pages.lease(SITE, undefined), pages.lease(SITE, undefined)]);
		await sleep(20);
		for (const lease of leases) lease.end('opened');
	}
	await sleep(700);
	expect(nums(caller)).toEqual([2]);
});

it.each([
	['nothing', ''],
	['something else', ',soon'],
	['more than that', ',600,more'],
])(
	'uses what it extracted where Kuaidaili says %s in place of how long it lives',
	async (_what, end) => {
		let given = 0;
		const { caller, proxies, runProxies } = runOf({ options: { reuse: true } }, (num) => {
			given += num;
			return listReply(addresses(given - num, num).map((one) => `${one}${end}`));
		});
		const pages = await proxies();
		const [first, second] = await Promise.all([
			pages.lease(SITE, undefined),
			pages.lease(SITE, undefined),
		]);
		expect(first.proxy.address).not.toBe(second.proxy.address);
		first.end();
		second.end('failed');
		expect(addressesOf([await pages.lease(SITE, undefined)])).not.toContain(second.proxy.address);
		expect(nums(caller)).toEqual([2, 1]);
		expect(runProxies.counts).toMatchObject({ extracted: 3, reused: 0 });
	},
);

it('does not extract again for a page after an extraction that may have been counted', async () => {
	const first = endless();
	const { caller, proxies } = runOf({}, (num, call) =>
		call === 0 ? first(num) : reply('', { status: 502 }),
	);
	const pages = await proxies(2);
	const leaseAll = () => Promise.all([1, 2, 3].map(() => pages.lease(SITE, undefined)));
	for (const lease of await leaseAll()) lease.end();
	const inUse = await leaseAll();
	const failed = expect(pages.lease(SITE, undefined)).rejects.toMatchObject({ status: 502 });
	await sleep(700);
	for (const lease of inUse) {
		lease.end();
		await sleep(700);
	}
	await failed;
	expect(nums(caller)).toEqual([3, 1]);
});

it('does not ask for more than a site has blocked each time a page of another site is done', async () => {
	const list = addresses(0, 2);
	const { caller, proxies } = runOf({}, () => listReply(list.map((one) => `${one},600`)));
	const pages = await proxies(0);
	for (const lease of [await pages.lease(SITE, undefined), await pages.lease(SITE, undefined)]) {
		lease.end('blocked');
	}
	const other = 'example.org';
	let inUse = await pages.lease(other, undefined);
	const refused = expect(pages.lease(SITE, undefined)).rejects.toThrow('No proxy is available');
	for (let page = 0; page < 6; page += 1) {
		const next = pages.lease(other, undefined);
		await sleep(600);
		inUse.end();
		inUse = await next;
	}
	inUse.end();
	await refused;
	expect(nums(caller).length).toBeLessThanOrEqual(6);
});

it('goes on as long as some come, however many wait', async () => {
	let given = 0;
	const { proxies, runProxies } = runOf({}, () => {
		given += 1;
		return listReply(addresses(given - 1, 1).map((one) => `${one},600`));
	});
	const pages = await proxies();
	const leases = await Promise.all(Array.from({ length: 6 }, () => pages.lease(SITE, undefined)));
	expect(new Set(addressesOf(leases)).size).toBe(6);
	expect(runProxies.counts.extracted).toBe(6);
});

it('asks once where the order has nothing left, however many pages there are', async () => {
	const { caller, proxies } = runOf({}, () => refusal(2));
	const pages = await proxies();
	const outcomes = await Promise.allSettled([1, 2, 3].map(() => pages.lease(SITE, undefined)));
	expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
	await expect(pages.lease(SITE, undefined)).rejects.toMatchObject({ code: 2 });
	expect(caller.requests).toHaveLength(1);
});

it('lets pages take turns with the proxies of a list', async () => {
	const { caller, proxies } = runOf({ product: dedicatedProxy.code, kpsBy: 'list' }, () =>
		listReply(addresses(0, 2)),
	);
	const pages = await proxies();
	const [first, second] = await Promise.all([
		pages.lease(SITE, undefined),
		pages.lease(SITE, undefined),
	]);
	const third = pages.lease(SITE, undefined);
	first.end();
	expect((await third).proxy.address).toBe(first.proxy.address);
	second.end();
	expect((await pages.lease(SITE, undefined)).proxy.address).toBe(second.proxy.address);
	expect(caller.requests).toHaveLength(1);
});

it('gives each page through a tunnel a session of its own', async () => {
	const { caller, proxies } = runOf({ product: 'TPS' }, () => listReply(['tps1.kdlapi.com:15818']));
	const pages = await proxies();
	const leases = await Promise.all([pages.lease(SITE, undefined), pages.lease(SITE, undefined)]);
	const [one, other] = leases.map(({ proxy }) => proxy.login?.password);
	expect(one).toMatch(/^secret1:\w{6}$/);
	expect(other).not.toBe(one);
	expect(leases[1].proxy.identitySeed).not.toBe(leases[0].proxy.identitySeed);
	expect(caller.requests).toHaveLength(1);
});

it.each([
	['an hour', 3600, false, true],
	['more than an hour', 3601, false, false],
	['more than an hour, where a session was asked for', 3601, true, true],
	['a time that nobody says', undefined, false, true],
])('sends a session to a tunnel that keeps its IP for %s', async (...row) => {
	const [, secondsPerIp, keepsIp, isSent] = row;
	const { proxies } = runOf({ product: 'TPS' }, () => listReply(['tps1.kdlapi.com:15818']));
	const pages = await proxies(1, { keepsIp, secondsPerIp });
	const { proxy } = await pages.lease(SITE, undefined);
	expect(/^secret1:\w{6}$/.test(proxy.login?.password ?? '')).toBe(isSent);
});

it.each(['DPS', 'TPS'])('lets go of whoever is cancelled while waiting: %s', async (product) => {
	const { proxies } = runOf({ product }, () => 'silence');
	const controller = new AbortController();
	const lease = (await proxies()).lease(SITE, controller.signal);
	await sleep(50);
	controller.abort();
	await expect(lease).rejects.toBeInstanceOf(CancelledError);
});

it('decides how many it asks for when the call may leave', async () => {
	const { caller, proxies } = runOf({}, endless());
	const pages = await proxies();
	(await pages.lease(SITE, undefined)).end();
	const one = pages.lease(SITE, undefined);
	await sleep(300);
	const others = [pages.lease(SITE, undefined), pages.lease(SITE, undefined)];
	await Promise.all([one, ...others]);
	expect(nums(caller)).toEqual([1, 3]);
});

describe('a service that gives the same address again', () => {
	/** What it gives call by call; afterwards, what nobody had before. */
	function repeating(...lists: ReadonlyArray<readonly string[]>) {
		let given = 100;
		return (num: number, call: number): Outcome => {
			given += num;
			const list = lists[call] ?? addresses(given - num, num);
			return listReply(list.map((address) => `${address},600`));
		};
	}

	it.each([false, true])('gets no page to the one that failed: reuse %s', async (reuse) => {
		const [dead] = addresses(0, 1);
		const { caller, proxies, runProxies } = runOf(
			{ options: { reuse } },
			repeating([dead], [dead], [dead]),
		);
		const pages = await proxies();
		const seen = await openInTurn(pages, 4, ({ proxy }) =>
			proxy.address === dead ? 'failed' : undefined,
		);
		expect(seen.filter((address) => address === dead)).toHaveLength(1);
		expect(new Set(seen).size).toBe(4);
		// What came in vain was counted, too
		expect(runProxies.counts.extracted).toBe(6);
		expect(nums(caller).reduce((total, num) => total + num)).toBe(6);
	});

	it('and nothing else, is asked five times in a run, however many pages there are', async () => {
		const [dead] = addresses(0, 1);
		const { caller, proxies } = runOf({}, () => listReply([`${dead},600`]));
		const pages = await proxies();
		await openInTurn(pages, 1, () => 'failed');
		await expect(pages.lease(SITE, undefined)).rejects.toMatchObject({
			message: 'No proxy is available for this page',
			text: { description: expect.stringContaining("'Skip Already Extracted'") },
		});
		await expect(pages.lease(SITE, undefined)).rejects.toThrow(
			'No proxy is available for this page',
		);
		expect(nums(caller)).toHaveLength(6);
	});
});

it.each(['failed', 'blocked'] as const)(
	'comes back to the proxies of a list where all are %s',
	async (result) => {
		const list = addresses(0, 2);
		const { proxies } = runOf({ product: dedicatedProxy.code, kpsBy: 'list' }, () =>
			listReply(list),
		);
		const seen = await openInTurn(await proxies(), 4, () => result);
		expect(new Set(seen.slice(0, 2))).toEqual(new Set(list));
		expect(new Set(seen.slice(2))).toEqual(new Set(list));
	},
);

it('keeps the proxies of all pages that a login is refused for at the same time', async () => {
	const { caller, logins, proxies } = runOf({}, endless());
	const pages = await proxies();
	const leaseAll = () => Promise.all([1, 2, 3].map(() => pages.lease(SITE, undefined)));
	const refused = await leaseAll();
	for (const lease of refused) lease.end('loginRefused');
	const again = await leaseAll();
	expect(addressesOf(again).toSorted()).toEqual(addressesOf(refused).toSorted());
	expect(again.map(({ proxy }) => proxy.login?.password)).toEqual(Array(3).fill('secret2'));
	expect(nums(caller)).toEqual([3]);
	expect(logins.requests).toHaveLength(2);
});

it("does not hand out a proxy that refuses a good login twice for a minute: n8n's address may get onto the whitelist", async () => {
	const { proxies, order, caller } = runOf({}, endless(), () => 'right');
	const pages = await proxies(0);
	const seen = await openInTurn(pages, 3, () => 'loginRefused');
	expect(seen[1]).toBe(seen[0]);
	expect(seen[2]).not.toBe(seen[0]);
	expect(proxyPool.proxy(order, seen[0]).isUsable).toBe(false);
	expect(proxyPool.proxy(order, seen[2]).isUsable).toBe(true);
	expect(nums(caller)).toEqual([1, 1]);
	await sleep(60_000);
	expect(proxyPool.proxy(order, seen[0]).isUsable).toBe(true);
});

/* Extractions whose answer gets lost may have used proxies up that nobody gets. */

const LOST = reply('<html>', { status: 502 });

/** The address that a page gets, or the name of the error. */
async function outcomeOf(lease: Promise<ProxyLease>): Promise<string> {
	return await lease.then(
		({ proxy }) => proxy.address,
		(error: unknown) => (error instanceof Error ? error.name : String(error)),
	);
}

/** What pages that are opened one after the other get. */
async function outcomesOf(proxies: ReturnType<typeof runOf>['proxies'], count: number) {
	const pages = await proxies();
	const outcomes: string[] = [];
	for (let page = 0; page < count; page += 1)
		outcomes.push(await outcomeOf(pages.lease(SITE, undefined)));
	return outcomes;
}

it('extractions whose answer gets lost are five at most in a row, each after a longer pause, however many pages there are', async () => {
	const times: number[] = [];
	const { proxies } = runOf({}, () => {
		times.push(performance.now());
		return LOST;
	});
	expect(new Set(await outcomesOf(proxies, 8))).toEqual(new Set(['HttpStatusError']));
	expect(times).toHaveLength(5);
	const pauses = times.slice(1).map((time, index) => time - times[index]);
	for (const [index, leastMs] of [490, 990, 1990, 3990].entries()) {
		expect(pauses[index]).toBeGreaterThan(leastMs);
	}
});

it('lost answers do not end a run in which others bring proxies', async () => {
	const { caller, proxies } = runOf({}, (num, call) =>
		call % 2 === 0 ? LOST : listReply(addresses(call, num)),
	);
	const expected = Array.from({ length: 12 }, (_, call) =>
		call % 2 === 0 ? 'HttpStatusError' : addresses(call, 1)[0],
	);
	expect(await outcomesOf(proxies, 12)).toEqual(expected);
	expect(caller.requests).toHaveLength(12);
});

it('lost answers do not hold up the end of a run', async () => {
	const { caller, proxies, endRun } = runOf({}, () => LOST);
	const pages = await proxies();
	for (let page = 0; page < 4; page += 1) await outcomeOf(pages.lease(SITE, undefined));
	// The next one would leave after four seconds
	const waiting = outcomeOf(pages.lease(SITE, undefined));
	const endedAt = performance.now();
	endRun();
	expect(await waiting).toBe('CancelledError');
	expect(performance.now() - endedAt).toBeLessThan(2000);
	expect(caller.requests).toHaveLength(4);
});

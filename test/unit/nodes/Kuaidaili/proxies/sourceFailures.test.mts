import '../../../../virtualTime.mts';
import { dedicatedProxy } from '../../../../../nodes/Kuaidaili/proxies/products/dedicatedProxy.ts';
import type { ProxyLease } from '../../../../../nodes/Kuaidaili/proxies/lease.ts';
import { stock } from '../../../../../nodes/Kuaidaili/proxies/stock.ts';
import { reply, type Outcome } from '../../../support/fakeCaller.mts';
import {
	addresses,
	addressesOf,
	endless,
	listReply,
	nums,
	openInTurn,
	runOf,
	SITE,
} from './sourceRun.mts';

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
		const { caller, source, sources } = runOf({ reuse }, repeating([dead], [dead], [dead]));
		const pages = await source();
		const seen = await openInTurn(
			pages,
			4,
			(lease) => lease.proxy.address === dead && lease.report('failed'),
		);
		expect(seen.filter((address) => address === dead)).toHaveLength(1);
		expect(new Set(seen).size).toBe(4);
		// What came in vain was counted, too
		expect(sources.counts.extracted).toBe(6);
		expect(nums(caller).reduce((total, num) => total + num)).toBe(6);
	});

	it('and nothing else, is asked five times in a run, however many pages there are', async () => {
		const [dead] = addresses(0, 1);
		const { caller, source } = runOf({}, () => listReply([`${dead},600`]));
		const pages = await source();
		await openInTurn(pages, 1, (lease) => lease.report('failed'));
		await expect(pages.lease(SITE)).rejects.toMatchObject({
			message: 'No proxy is available for this page',
			text: { description: expect.stringContaining("'Skip Already Extracted'") },
		});
		await expect(pages.lease(SITE)).rejects.toThrow('No proxy is available for this page');
		expect(nums(caller)).toHaveLength(6);
	});
});

it('comes back to the proxies of a list when the site has blocked all of them', async () => {
	const list = addresses(0, 2);
	const { source } = runOf({ product: dedicatedProxy.value, kpsBy: 'list' }, () => listReply(list));
	const pages = await source();
	const [first, second] = await Promise.all([pages.lease(SITE), pages.lease(SITE)]);
	first.report('blocked');
	first.release();
	// There is another one, although it is in use
	const third = pages.lease(SITE);
	second.release();
	expect((await third).proxy.address).toBe(second.proxy.address);
	(await third).report('blocked');
	(await third).release();
	expect((await pages.lease(SITE)).proxy.address).toBe(first.proxy.address);
});

it('comes back to a proxy of the list that failed when none is left', async () => {
	const list = addresses(0, 2);
	const { source } = runOf({ product: dedicatedProxy.value, kpsBy: 'list' }, () => listReply(list));
	const seen = await openInTurn(await source(), 4, (lease) => lease.report('failed'));
	expect(new Set(seen.slice(0, 2))).toEqual(new Set(list));
	expect(new Set(seen.slice(2))).toEqual(new Set(list));
});

it('fetches the login again after it was refused, and takes the proxy for dead the second time', async () => {
	const { logins, source } = runOf({}, endless());
	const pages = await source(0);
	const [first] = await openInTurn(pages, 1, (lease) => lease.report('loginRefused'));
	const second = await pages.lease(SITE);
	expect(second.proxy.address).toBe(first);
	expect(second.proxy.login?.password).toBe('secret2');
	expect(logins.requests).toHaveLength(2);
});

it('keeps the proxies of all pages that a login is refused for at the same time', async () => {
	const { caller, logins, source } = runOf({}, endless());
	const pages = await source();
	const leaseAll = () => Promise.all([1, 2, 3].map(() => pages.lease(SITE)));
	const refused = await leaseAll();
	for (const lease of refused) lease.report('loginRefused');
	for (const lease of refused) lease.release();
	const again = await leaseAll();
	expect(addressesOf(again).toSorted()).toEqual(addressesOf(refused).toSorted());
	expect(again.map(({ proxy }) => proxy.login?.password)).toEqual(Array(3).fill('secret2'));
	expect(nums(caller)).toEqual([3]);
	expect(logins.requests).toHaveLength(2);
});

it('does not hand out for a minute a proxy that refuses a good login twice', async () => {
	const { source, order, caller } = runOf({}, endless(), () => 'right');
	const seen = await openInTurn(await source(0), 3, (lease) => lease.report('loginRefused'));
	expect(seen[1]).toBe(seen[0]);
	expect(seen[2]).not.toBe(seen[0]);
	expect(stock.entry(order, seen[0]).isUsable).toBe(false);
	expect(stock.entry(order, seen[2]).isUsable).toBe(true);
	expect(nums(caller)).toEqual([1, 1]);
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
async function outcomesOf(source: ReturnType<typeof runOf>['source'], pages: number) {
	const proxies = await source();
	const outcomes: string[] = [];
	for (let page = 0; page < pages; page += 1) outcomes.push(await outcomeOf(proxies.lease(SITE)));
	return outcomes;
}

it('extractions whose answer gets lost are five at most in a row, each after a longer pause, however many pages there are', async () => {
	const times: number[] = [];
	const { source } = runOf({}, () => {
		times.push(performance.now());
		return LOST;
	});
	expect(new Set(await outcomesOf(source, 8))).toEqual(new Set(['HttpStatusError']));
	expect(times).toHaveLength(5);
	const pauses = times.slice(1).map((time, index) => time - times[index]);
	for (const [index, leastMs] of [490, 990, 1990, 3990].entries()) {
		expect(pauses[index]).toBeGreaterThan(leastMs);
	}
});

it('lost answers do not end a run in which others bring proxies', async () => {
	const { caller, source } = runOf({}, (num, call) =>
		call % 2 === 0 ? LOST : listReply(addresses(call, num)),
	);
	const expected = Array.from({ length: 12 }, (_, call) =>
		call % 2 === 0 ? 'HttpStatusError' : addresses(call, 1)[0],
	);
	expect(await outcomesOf(source, 12)).toEqual(expected);
	expect(caller.requests).toHaveLength(12);
});

it('lost answers do not hold up the end of a run', async () => {
	const { caller, source, endRun } = runOf({}, () => LOST);
	const proxies = await source();
	for (let page = 0; page < 4; page += 1) await outcomeOf(proxies.lease(SITE));
	// The next one would leave after four seconds
	const waiting = outcomeOf(proxies.lease(SITE));
	const endedAt = performance.now();
	endRun();
	expect(await waiting).toBe('CancelledError');
	expect(performance.now() - endedAt).toBeLessThan(2000);
	expect(caller.requests).toHaveLength(4);
});

import { stock } from '../../../../../nodes/Kuaidaili/proxies/stock.ts';
import { addressesOf, endless, nums, runOf, SITE } from './sourceRun.mts';

it('fetches the login again after it was refused, and takes the proxy for dead the second time', async () => {
	const { logins, source } = runOf({}, endless());
	const pages = await source(0);
	const first = await pages.lease(SITE);
	first.report('loginRefused');
	first.release();
	const second = await pages.lease(SITE);
	expect(second.proxy.address).toBe(first.proxy.address);
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
	const pages = await source(0);
	const seen: string[] = [];
	for (let page = 0; page < 3; page += 1) {
		const lease = await pages.lease(SITE);
		seen.push(lease.proxy.address);
		lease.report('loginRefused');
		lease.release();
	}
	expect(seen[1]).toBe(seen[0]);
	expect(seen[2]).not.toBe(seen[0]);
	expect(stock.entry(order, seen[0]).isUsable).toBe(false);
	expect(stock.entry(order, seen[2]).isUsable).toBe(true);
	expect(nums(caller)).toEqual([1, 1]);
});

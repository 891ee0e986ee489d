import { failedProxies } from '../../../../../nodes/Kuaidaili/proxies/failedProxies.ts';
import type { ProxySource } from '../../../../../nodes/Kuaidaili/proxies/lease.ts';
import { addresses, addressesOf, endless, nums, runOf, SITE } from './sourceRun.mts';

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

describe('a login that is still the same when it is fetched again', () => {
	/** Opens pages one after the other, each in three attempts. */
	async function openPages(
		pages: Pick<ProxySource, 'lease'>,
		count: number,
		isAccepted: (address: string) => boolean,
	): Promise<string[]> {
		const ends: string[] = [];
		for (let page = 0; page < count; page += 1) {
			for (let attempt = 1; attempt <= 3; attempt += 1) {
				const lease = await pages.lease(SITE).catch((error: Error) => error.message);
				if (typeof lease === 'string') {
					ends.push(lease);
					break;
				}
				const isOpened = isAccepted(lease.proxy.address);
				if (isOpened) lease.succeeded();
				else lease.report('loginRefused');
				lease.release();
				if (isOpened || attempt === 3) ends.push(isOpened ? 'opened' : 'refused');
				if (isOpened) break;
			}
		}
		return ends;
	}

	it('and that every proxy refuses, uses up no more of them', async () => {
		const { source, sources } = runOf({}, endless(), () => 'wrong');
		const ends = await openPages(await source(), 30, () => false);
		expect(ends.slice(0, 3)).toEqual(['refused', 'refused', 'refused']);
		expect(new Set(ends.slice(5))).toEqual(
			new Set(['The proxies refuse the user name and password of the order']),
		);
		expect(sources.counts.extracted).toBe(5);
	});

	it('and that is refused by many at once, is tried again with the same proxies', async () => {
		const { source, sources } = runOf({}, endless(), () => 'right');
		const pages = await source();
		const leases = await Promise.all(Array.from({ length: 10 }, () => pages.lease(SITE)));
		for (const lease of leases) lease.report('loginRefused');
		for (const lease of leases) lease.release();
		expect(new Set(await openPages(pages, 10, () => true))).toEqual(new Set(['opened']));
		expect(sources.counts.extracted).toBe(10);
	});

	it('makes only the proxies fail that refuse what others accept', async () => {
		const bad = new Set(addresses(0, 12).filter((_address, index) => index % 2 === 0));
		const { source, order } = runOf({ reuse: true }, endless(), () => 'right');
		const pages = await source();
		const ends = await openPages(pages, 6, (address) => !bad.has(address));
		expect(ends).toEqual(Array(6).fill('opened'));
		const [failed] = bad;
		expect(failedProxies.has(order, failed)).toBe(true);
	});
});

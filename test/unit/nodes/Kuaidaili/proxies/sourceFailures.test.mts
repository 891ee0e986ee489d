import { dedicatedProxy } from '../../../../../nodes/Kuaidaili/proxies/products/dedicatedProxy.ts';
import { type Outcome } from '../../../support/fakeCaller.mts';
import { addresses, listReply, nums, runOf, SITE } from './sourceRun.mts';

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
		const seen: string[] = [];
		for (let page = 0; page < 4; page += 1) {
			const lease = await pages.lease(SITE);
			seen.push(lease.proxy.address);
			if (lease.proxy.address === dead) lease.report('failed');
			lease.release();
		}
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
		const lease = await pages.lease(SITE);
		lease.report('failed');
		lease.release();
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
	const pages = await source();
	const seen: string[] = [];
	for (let page = 0; page < 4; page += 1) {
		const lease = await pages.lease(SITE);
		seen.push(lease.proxy.address);
		lease.report('failed');
		lease.release();
	}
	expect(new Set(seen.slice(0, 2))).toEqual(new Set(list));
	expect(new Set(seen.slice(2))).toEqual(new Set(list));
});

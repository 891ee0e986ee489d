import type { ProxyStatus } from '../../../sandbox/forwarding/statuses.mts';
import { detailsOf, outcomesOf, usePages } from './pageOpener.mts';

/* Statuses of proxies in both of their forms: with words in the body, and in the status line. */

const { opener } = usePages();

const FORMS = [undefined, 'statusLine'] as const;

describe.each(FORMS)('with words in %s', (form) => {
	it.each<[ProxyStatus, string]>([
		[454, 'proxyExpired 454, opened 200'],
		[515, 'proxyFailed 515, opened 200'],
		[503, 'proxyFailed 503, opened 200'],
	])("%i over http is the proxy's, and another one opens the page", async (status, outcomes) => {
		const me = opener('dpsPerIp', 'DPS');
		me.sandbox.proxyFaults.add({ kind: 'status', status, form, orderId: me.orderId, times: 1 });
		const { items } = await me.open([me.page('/article/1')]);
		expect(items.map((item) => outcomesOf(item))).toEqual([outcomes]);
	});

	it.each<[ProxyStatus, RegExp]>([
		[440, /more IP addresses use the order than it allows.*remove addresses in the member center/],
		[443, /blocks this n8n's IP address for a while/],
		[407, /is not on the order's whitelist.*Allow it in the member center/],
	])('%i of an open proxy is not waited for, and says what to do', async (status, words) => {
		const me = opener('opsSvip', 'OPS');
		me.sandbox.proxyFaults.add({ kind: 'status', status, form });
		const start = performance.now();
		const { error } = await me.open([me.page('/article/1')], { plan: 'svip' });
		expect(`${error?.message} ${error?.description}`).toMatch(words);
		expect(performance.now() - start).toBeLessThan(5000);
	});

	it('455 says that no proxy helps', async () => {
		const me = opener('dpsPerIp', 'DPS');
		me.sandbox.proxyFaults.add({ kind: 'status', status: 455, form, orderId: me.orderId });
		const { error } = await me.open([me.page('/article/1')]);
		expect(error?.description).toContain('Kuaidaili does not allow this host (status 455)');
		expect(me.extracted).toBe(1);
	});
});

it("429 of an open proxy is the order's pace, and the same proxy is asked again", async () => {
	const me = opener('opsSvip', 'OPS');
	me.sandbox.proxyFaults.add({ kind: 'status', status: 429, times: 1 });
	const { items } = await me.open([me.page('/article/1')], { plan: 'svip' });
	const [{ attempts }] = items.map((item) => detailsOf(item));
	expect(attempts.map(({ outcome }) => outcome)).toEqual(['tooManyRequests', 'opened']);
	expect(new Set(attempts.map(({ proxy }) => proxy)).size).toBe(1);
});

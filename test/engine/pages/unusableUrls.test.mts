import type { IDataObject } from 'n8n-workflow';

import { CONTINUE, CONTINUE_WITH_ERRORS } from '../support/nodeSettings.mts';
import { detailsOf, outcomesOf, usePages } from './pageOpener.mts';

const { opener } = usePages();

const privateProxies = () => opener('dpsPerIp', 'DPS');

/** Each an item of its own, between pages that can be opened. */
const UNUSABLE: IDataObject[] = [
	{ url: '' },
	{ url: null },
	{},
	{ url: 'mailto:me@example.com' },
	{ url: 'ftp://example.com/' },
	{ url: 'https://' },
	{ url: 'the page' },
	{ url: 12 },
	{ url: { href: 'https://example.com/' } },
];

it('items with a URL that cannot be used come out beside the pages', async () => {
	const me = privateProxies();
	const links = [{ url: me.page('/article/1') }, ...UNUSABLE, { url: me.page('/article/2') }];
	const items = links.map((link, id) => ({ ...link, id }));
	const { items: out, error, hints } = await me.open(items);
	expect(error).toBeUndefined();
	expect(out.map(({ json }) => json.id)).toEqual(items.map(({ id }) => id));
	expect(out.map(outcomesOf)).toEqual(['opened 200', ...UNUSABLE.map(() => ''), 'opened 200']);
	for (const item of out.slice(1, -1)) {
		const { url, attempts, error: reason } = detailsOf(item);
		expect([url, attempts]).toEqual(['', []]);
		expect(reason).toMatch(/^'URL' (?:is empty|can't be .+)\. Allowed: the full address of a page/);
		expect(item.json.data).toBe('');
	}
	expect(detailsOf(out[4]).error).toContain('"mailto:me@example.com"');
	expect(me.extracted).toBe(2);
	expect(hints[0].message).toMatch(
		/^2 of 11 pages were opened: 9 without a URL that can be used\./,
	);
});

it('for nothing but such items, nothing is asked for', async () => {
	const me = privateProxies();
	me.sandbox.log.clear();
	const { error } = await me.open(UNUSABLE);
	expect(error?.message).toBe("'URL' is empty [item 0]");
	expect(error?.description).toMatch(
		/ 0 of 9 pages were opened: 9 without a URL that can be used\.$/,
	);
	const { items } = await me.open(UNUSABLE, {}, { settings: CONTINUE });
	expect(items).toHaveLength(UNUSABLE.length);
	expect(me.sandbox.log.entries()).toEqual([]);
});

it('in a session, the pages after such an item are opened', async () => {
	const me = privateProxies();
	const links = [{ url: me.page('/article/1') }, {}, { url: me.page('/article/2') }];
	const { items } = await me.open(links, { sessionKey: 'anna' });
	expect(items.map(outcomesOf)).toEqual(['opened 200', '', 'opened 200']);
	expect(me.extracted).toBe(1);
});

it.each<[string, IDataObject, IDataObject, RegExp]>([
	['where failed pages are errors', { failedPages: 'error' }, {}, /^'URL' is empty \[item 1\]$/],
	['with another field that is wrong', {}, { tries: 99 }, /^'Max Attempts' can't be 99/],
	['with a field that it would replace', {}, { data: 'mine' }, /^'Output Field' can't be "data"/],
])('such an item ends the run %s', async (_what, fields, more, message) => {
	const me = privateProxies();
	const links = [
		{ url: me.page('/article/1'), tries: 3 },
		{ url: '', tries: 3, ...more },
	];
	const { items, error } = await me.open(links, { maxAttempts: '={{ $json.tries }}', ...fields });
	expect(items).toEqual([]);
	expect(error?.message).toMatch(message);
	expect(me.extracted).toBe(0);
});

it('where failed pages are errors, such an item fails for itself where the others go on', async () => {
	const me = privateProxies();
	const links = [{ url: me.page('/article/1') }, { url: '' }];
	const { items, errorItems } = await me.open(
		links,
		{ failedPages: 'error' },
		{ settings: CONTINUE_WITH_ERRORS },
	);
	expect(items.map(outcomesOf)).toEqual(['opened 200']);
	expect(errorItems[0].json.error).toContain("'URL' is empty");
});

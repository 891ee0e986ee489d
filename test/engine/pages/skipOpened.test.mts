import type { IDataObject } from 'n8n-workflow';

import { records, useDeduplicationRecords } from '../support/deduplication.mts';
import { usePages, type PageOpener } from './pageOpener.mts';

const { opener } = usePages();

beforeAll(useDeduplicationRecords);

let nodes = 0;

/** Runs of one node, each an execution of its own. */
function node(me: PageOpener, fields: IDataObject = {}) {
	nodes += 1;
	const id = `node ${nodes}`;
	return async (paths: readonly string[], onError?: 'continueRegularOutput') => {
		const { items, hints, error } = await me.open(
			paths.map((path) => me.page(path)),
			{ maxAttempts: 1, ...fields, options: { skipOpened: true } },
			{ executionId: id, settings: { id, onError } },
		);
		const opened = items.map(({ json }) => String(json.url).replace(me.sites.http, ''));
		return { opened, hints: hints.map(({ message }) => message), error };
	};
}

it('opens only what earlier executions did not', async () => {
	const me = opener('dpsPerIp', 'DPS');
	const run = node(me);
	expect((await run(['/article/1', '/article/2'])).opened).toHaveLength(2);
	const { opened, hints } = await run(['/article/1#part', '/article/2', '/article/3']);
	expect(opened).toEqual(['/article/3']);
	expect(hints).toEqual([
		expect.stringContaining('1 of 1 page was opened.'),
		'Left out, because earlier executions opened them: 2.',
	]);
	expect((await run(['/article/1', '/article/2'])).hints).toEqual([
		'Left out, because earlier executions opened them: 2.',
	]);
	expect(me.visits).toHaveLength(3);
	// Another node has its own records
	expect((await node(me)(['/article/1'])).opened).toEqual(['/article/1']);
});

it('opens again what failed, or was opened by an execution that failed', async () => {
	const me = opener('dpsPerIp', 'DPS');
	const run = node(me, { failedPages: 'error' });
	me.sandbox.pages.faults.add({ path: '/article/2', status: 404, times: 2 });
	expect((await run(['/article/1', '/article/2'])).error).toBeDefined();
	await run(['/article/1', '/article/2'], 'continueRegularOutput');
	expect((await run(['/article/1', '/article/2'])).opened).toEqual(['/article/2']);
});

it('tries what failed last, so that a site with many such pages is not given up every day', async () => {
	const me = opener('dpsPerIp', 'DPS');
	const run = node(me, { reuse: false });
	const refused = Array.from({ length: 14 }, (_, page) => `/article/${page}`);
	for (const path of refused) me.sandbox.pages.faults.add({ path, status: 403 });
	const good = Array.from({ length: 30 }, (_, page) => `/article/${100 + page}`);
	const isGood = (path: string) => good.includes(path);
	const opened: string[] = [];
	for (let day = 1; day <= 3; day += 1) {
		const before = me.visits.length;
		await run([...refused, ...good], 'continueRegularOutput');
		opened.push(...me.visits.slice(before).map(({ url }) => new URL(url, me.sites.http).pathname));
	}
	expect(opened.filter(isGood).sort()).toEqual([...good].sort());
});

it('does each time what a POST does', async () => {
	const me = opener('dpsPerIp', 'DPS');
	const run = node(me, { method: 'POST', body: '{}' });
	await run(['/echo']);
	expect((await run(['/echo'])).opened).toEqual(['/echo']);
});

it('does nothing where n8n keeps no records, and says so', async () => {
	const me = opener('dpsPerIp', 'DPS');
	const run = node(me);
	await run(['/article/1']);
	records.isOut = true;
	const { opened, hints } = await run(['/article/1']);
	records.isOut = false;
	expect(opened).toEqual(['/article/1']);
	expect(hints).toContain(
		"'Skip Opened Pages' does nothing, because n8n keeps no records of this workflow. Save the workflow.",
	);
});

import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import type { PageResult } from '../../../../../nodes/Kuaidaili/pages/openPage.ts';
import { PageRun, type PlannedPage } from '../../../../../nodes/Kuaidaili/pages/pageRun.ts';
import { node } from '../../../support/node.mts';
import { CancelledError } from '../../../../../nodes/shared/errors/callErrors.ts';
import { fakeSender, fakeSource, NO_LIMIT, pageRequest } from './fakePages.mts';

const { send } = fakeSender(() => ({ body: 'ok' }));

/** A run over pages that are numbered, each open for a moment. */
function newRun(pagesAtATime: number) {
	const begun: number[] = [];
	let atOnce = 0;
	let highest = 0;
	const httpRequest = async (request: IHttpRequestOptions) => {
		begun.push(Number(new URL(request.url).pathname.slice(1)));
		atOnce += 1;
		highest = Math.max(highest, atOnce);
		await new Promise((resolve) => setTimeout(resolve, 5));
		atOnce -= 1;
		return await send(request);
	};
	const execution = {};
	const context: unknown = {
		helpers: { httpRequest },
		logger: { debug() {}, info() {} },
		getNode: () => node,
		getContext: () => execution,
		getWorkflowDataProxy: () => ({ $runIndex: 0 }),
	};
	const { source, inUse } = fakeSource();
	const run = new PageRun(context as IExecuteFunctions);
	const planned = (page: number, done = async (_opened: PageResult) => {}): PlannedPage => ({
		source,
		pace: NO_LIMIT,
		page: pageRequest({ url: `http://site.example/${page}`, pagesAtATime }),
		done: async (opened) => {
			if (!(opened.error instanceof CancelledError)) await done(opened);
		},
	});
	return { run, planned, begun, inUse, most: () => highest, left: () => atOnce };
}

it('opens so many at a time, and no more', async () => {
	const { run, planned, begun, inUse, most, left } = newRun(3);
	for (const page of [0, 1, 2, 3, 4, 5, 6]) run.add([planned(page)]);
	await run.finish();
	expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6]);
	expect([most(), left(), inUse.size]).toEqual([3, 0, 0]);
});

it('opens the pages of a session one after the other, through the same proxy', async () => {
	const { run, planned, begun, most } = newRun(5);
	const proxies: unknown[] = [];
	const noting = (page: number) =>
		planned(page, async ({ attempts }) => void proxies.push(attempts[0].proxy));
	run.add([noting(0), noting(2), noting(4)], { hasHistory: false });
	run.add([planned(1)]);
	await run.finish();
	expect(begun).toEqual([0, 1, 2, 4]);
	expect(new Set(proxies).size).toBe(1);
	expect(most()).toBe(2);
});

it('opens those, too, that others led to', async () => {
	const { run, planned, begun } = newRun(2);
	const leadingTo = (page: number): PlannedPage =>
		planned(page, async () => {
			if (page < 3) for (const next of [page * 2 + 1, page * 2 + 2]) run.add([leadingTo(next)]);
		});
	run.add([leadingTo(0)]);
	await run.finish();
	expect([...begun].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

it('begins before all are there', async () => {
	const { run, planned, begun } = newRun(2);
	run.add([planned(0)]);
	await new Promise((resolve) => setTimeout(resolve, 150));
	expect(begun).toEqual([0]);
	run.add([planned(1)]);
	await run.finish();
	expect(begun).toEqual([0, 1]);
});

it('begins nothing more when it has ended, and waits for what is under way', async () => {
	const { run, planned, begun, inUse } = newRun(2);
	for (const page of [0, 1, 2, 3]) run.add([planned(page, async () => run.end())]);
	await run.finish();
	expect(begun).toEqual([0, 1]);
	expect(inUse.size).toBe(0);
});

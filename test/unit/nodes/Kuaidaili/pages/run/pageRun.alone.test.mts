import type { IExecuteFunctions } from 'n8n-workflow';

import { CircuitBreaker } from '../../../../../../nodes/Kuaidaili/pages/run/circuitBreaker.ts';
import type { Session } from '../../../../../../nodes/Kuaidaili/pages/http/session.ts';
import type { PageRoute } from '../../../../../../nodes/Kuaidaili/pages/run/attempt.ts';
import { PageRun } from '../../../../../../nodes/Kuaidaili/pages/run/pageRun.ts';
import { CancelledError } from '../../../../../../nodes/shared/api/errors.ts';
import {
	fakeSender,
	fakeProxies,
	NO_LIMIT,
	pageRequest,
	paceOf,
	type Reaction,
} from './fakePages.mts';

/** A run of pages with what is left of it: proxies in use, and requests that nobody has ended. */
function begin(react: Reaction, changes: Partial<PageRoute> = {}) {
	const cancel = new AbortController();
	const { send, requests } = fakeSender(react);
	const { proxies, inUse } = fakeProxies();
	const context = {
		helpers: { httpRequest: send },
		getNode: () => ({ name: 'Kuaidaili', type: 'kuaidaili', parameters: {} }),
		getContext: () => ({}),
		getExecutionId: () => '1',
		getWorkflow: () => ({ id: 'workflow' }),
		getWorkflowDataProxy: () => ({ $runIndex: 0 }),
		getExecutionCancelSignal: () => cancel.signal,
		logger: { debug() {} },
	} as unknown as IExecuteFunctions;
	const run = new PageRun(context);
	const route: PageRoute = {
		orderKey: 'order',
		proxies,
		pace: NO_LIMIT,
		breaker: new CircuitBreaker(),
		...changes,
	};
	const open = new Array<Promise<unknown>>();
	return {
		run,
		route,
		inUse,
		requests,
		cancel: (reason?: Error) => cancel.abort(reason),
		/** Begins to open a page; `end` tells how its opening ended. */
		add(opening: Promise<unknown>) {
			open.push(opening.catch((error: unknown) => error));
		},
		ends: async () => await Promise.all(open),
		unendedRequests: () => requests.filter(({ abortSignal }) => abortSignal?.aborted === false),
	};
}

const page = (pagesAtATime: number, path = '1') =>
	pageRequest({ pagesAtATime, url: `http://site.example/${path}`, attemptTimeoutMs: 60_000 });

const putOut = async () => await Promise.resolve();

const BUSY = { status: 441, body: 'Request Rate Over Limit', encrypted: false };

type Begun = ReturnType<typeof begin>;

const MOMENTS: ReadonlyArray<[what: string, begun: () => Begun]> = [
	[
		'pages are under way, and others wait for a slot',
		() => {
			const begun = begin(() => 'silence');
			for (let count = 0; count < 20; count += 1) {
				begun.add(begun.run.open(begun.route, page(3), putOut));
			}
			return begun;
		},
	],
	[
		'a page has asked to be left alone for a while',
		() => {
			const begun = begin(() => ({ status: 429, headers: { 'retry-after': '20' } }));
			begun.add(begun.run.open(begun.route, page(1), putOut));
			return begun;
		},
	],
	[
		'the order allows no more requests',
		() => {
			const begun = begin(() => BUSY, { pace: paceOf(100) });
			for (let count = 0; count < 3; count += 1) {
				const secure = { ...page(3), url: 'https://site.example/' };
				begun.add(begun.run.open(begun.route, secure, putOut));
			}
			return begun;
		},
	],
	[
		'pages wait for the pace of the order',
		() => {
			const begun = begin(() => 'silence', { pace: paceOf(0.1) });
			for (let count = 0; count < 5; count += 1) {
				begun.add(begun.run.open(begun.route, page(5), putOut));
			}
			return begun;
		},
	],
	[
		'a robots.txt is under way',
		() => {
			const begun = begin(() => 'silence');
			begun.add(begun.run.openWithoutSlot(begun.route, page(1, 'robots.txt')));
			return begun;
		},
	],
	[
		'the second page of a session is under way',
		() => {
			const begun = begin(({ url }) => (url.endsWith('/1') ? { body: 'ok' } : 'silence'));
			const { run, route } = begun;
			const openAll = async (session: Session) => {
				for (const path of ['1', '2', '3']) await run.open(route, page(1, path), putOut, session);
			};
			begun.add(run.inSession(route, page(1), openAll));
			return begun;
		},
	],
];

describe.each(MOMENTS)('of a run that ends when %s', (_what, begun) => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => jest.useRealTimers());

	it.each<[string, (run: Begun) => void]>([
		['because the execution is canceled', ({ cancel }) => cancel()],
		// As it does with all executions before its process ends
		['because n8n closes', ({ cancel }) => cancel(new Error('The process is shutting down'))],
		['because of an error', ({ run }) => run.ended.abort()],
	])('nothing is left %s', async (_why, end) => {
		const run = begun();
		await jest.advanceTimersByTimeAsync(5000);
		const sent = run.requests.length;
		expect(sent).toBeGreaterThan(0);
		end(run);
		const ends = run.ends();
		await jest.advanceTimersByTimeAsync(1000);
		for (const result of await ends) expect(result).toBeInstanceOf(CancelledError);
		expect([...run.inUse]).toEqual([]);
		expect(run.unendedRequests()).toEqual([]);
		expect(jest.getTimerCount()).toBe(0);
		expect(run.requests).toHaveLength(sent);
	});
});

it('a page has the slot of its last attempt while it is put out, and other pages come before its second one', async () => {
	const order: string[] = [];
	const { run, route } = begin(({ url }) =>
		url.endsWith('/1') && order.length < 3 ? { status: 502 } : { body: 'ok' },
	);
	let atOnce = 0;
	const opened = ['1', '2', '3', '4'].map(async (path) => {
		await run.open(route, page(1, path), async () => {
			atOnce += 1;
			order.push(path);
			await new Promise((resolve) => setImmediate(resolve));
			expect(atOnce).toBe(1);
			atOnce -= 1;
		});
	});
	await Promise.all(opened);
	expect(order).toEqual(['2', '3', '4', '1']);
});

it('a session has a slot until its pages are opened, and gives its proxy back at last', async () => {
	const { run, route, inUse, requests } = begin(() => ({ body: 'ok' }));
	const opened: string[] = [];
	const sessions = ['a', 'b', 'c'].map(async (sessionKey) => {
		await run.inSession(route, { ...page(1), sessionKey }, async (session) => {
			for (const path of ['1', '2']) {
				const ofSession = { ...page(1, `${sessionKey}/${path}`), sessionKey };
				await run.open(route, ofSession, async ({ url }) => void opened.push(url), session);
			}
		});
	});
	await Promise.all(sessions);
	expect(opened.map((url) => new URL(url).pathname)).toEqual(
		['a', 'b', 'c'].flatMap((key) => [`/${key}/1`, `/${key}/2`]),
	);
	expect(new Set(requests.map(({ proxy }) => proxy?.host)).size).toBe(3);
	expect([...inUse]).toEqual([]);
});

it('a large page has given its memory back when it was put out, and its file has its own', async () => {
	const { run, route } = begin(() => ({ body: 'x'.repeat(100_000) }));
	const opened = await run.open(route, page(1), async ({ content }) => {
		const body = content?.answer.body;
		return { body, length: body?.length, file: (await content?.format('file'))?.file };
	});
	expect(opened.length).toBe(100_000);
	expect(opened.body?.buffer.byteLength).toBe(0);
	expect(opened.file?.bytes.toString()).toBe('x'.repeat(100_000));
});

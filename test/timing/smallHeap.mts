/**
 * Usage: node --max-old-space-size=<MB> scripts/run.mjs test/timing/smallHeap.mts <work> <count>
 *
 * Does something that takes all of a small heap if it keeps more than what comes out. Prints how much it keeps.
 */
import type { IExecuteFunctions } from 'n8n-workflow';

import { toPageItem } from '../../nodes/Kuaidaili/pages/output/pageItem.ts';
import type { PageRequest } from '../../nodes/Kuaidaili/pages/request/pageRequest.ts';
import { CircuitBreaker } from '../../nodes/Kuaidaili/pages/run/circuitBreaker.ts';
import type { PageResult } from '../../nodes/Kuaidaili/pages/run/pageResult.ts';
import { PageRun } from '../../nodes/Kuaidaili/pages/run/pageRun.ts';
import { readLimitedBody } from '../../nodes/Kuaidaili/pages/http/limitedBody.ts';
import {
	fakeSender,
	fakeProxies,
	NO_LIMIT,
	pageRequest,
} from '../unit/nodes/Kuaidaili/pages/run/fakePages.mts';

const SIZE = 2_000_000;

const XML = '<?xml version="1.0"?>';

/** A page with a few values, and with as much text and as many elements as wanted besides. */
function pageWith(number: number, text: string, declaration = '<!doctype html>'): string {
	const root = declaration === XML ? 'rss' : 'html';
	return `${declaration}<${root}><head><title>A title of page number ${number}</title></head><body>
<a class="link" href="/a/page/of/this/site/${number}" data-name="a rather long name ${number}">A link of page ${number}</a>
<div class="box"><b>Some HTML</b> that somebody wants of page ${number}</div>${text}</body></${root}>`;
}

/** As far as runs of pages ask for one. */
const context = {
	getNode: () => ({ name: 'Kuaidaili', type: 'kuaidaili' }),
	getExecutionCancelSignal: () => undefined,
	getExecutionId: () => '1',
	getContext: () => ({}),
	getWorkflowDataProxy: () => ({ $runIndex: 0 }),
	logger: { debug() {}, info() {}, warn() {} },
} as unknown as IExecuteFunctions;

const FIELD = { attribute: '', all: false } as const;

/** Opens pages, and keeps what comes out of them. */
async function openPages(
	count: number,
	changes: Partial<PageRequest>,
	html: (number: number) => string,
): Promise<unknown> {
	const { send } = fakeSender(({ url }) => ({
		headers: { 'content-type': 'text/html', 'x-header': 'a header that is kept with the page' },
		body: html(Number(url.slice(url.lastIndexOf('/') + 1))),
	}));
	const helpers = { httpRequest: send };
	const run = new PageRun({ ...context, helpers } as unknown as IExecuteFunctions);
	const records: unknown[] = [];
	const { proxies } = fakeProxies();
	const route = { orderKey: 'order', proxies, pace: NO_LIMIT, breaker: new CircuitBreaker() };
	const opened: Array<Promise<void>> = [];
	for (let number = 1; number <= count; number += 1) {
		const url = `https://site.example/${number}`;
		const page = pageRequest({ maxBytes: 3 * SIZE, ...changes, url, address: url });
		const putOut = async (result: PageResult) => {
			const slot = { index: 0, request: page, input: { json: {} } };
			if (result.error !== undefined) throw result.error;
			records.push((await toPageItem(context, slot, result)).records);
		};
		const open = run.open(route, page, async (result) => {
			const unlockTree = await run.lockTree(result);
			await putOut(result).finally(unlockTree);
		});
		opened.push(open);
	}
	await Promise.all(opened);
	if (records.length !== count) throw new Error(`${records.length} pages came out`);
	return records;
}

const WORKS: Readonly<Record<string, (count: number) => Promise<unknown>>> = {
	/** Pages of 2 MB of which only parts come out. In XML: the parser of HTML puts each text together anew. */
	async values(count) {
		const text = `<!--${'some words '.repeat(SIZE / 11)}-->`;
		const fields = [
			{ ...FIELD, name: 'name', selector: '.link', take: 'attribute', attribute: 'data-name' },
			{ ...FIELD, name: 'link', selector: '.link', take: 'attribute', attribute: 'href' },
			{ ...FIELD, name: 'html', selector: '.box', take: 'html' },
			{ ...FIELD, name: 'texts', selector: '.box', take: 'text', all: true },
		] as const;
		return await openPages(count, { format: 'fields', fields, pagesAtATime: 3 }, (number) =>
			pageWith(number, text, XML),
		);
	},

	/** Pages of 100,000 elements, all of them open at the same time. */
	async trees(count) {
		const text = '<i></i>'.repeat(100_000);
		return await openPages(count, { format: 'markdown', pagesAtATime: count }, (number) =>
			pageWith(number, text, number % 2 === 0 ? XML : undefined),
		);
	},

	/** A body of which each byte comes by itself. */
	async bytes(count) {
		const bytes = Buffer.alloc(65_536, 'a');
		// eslint-disable-next-line @typescript-eslint/require-await
		async function* stream() {
			for (let at = 0; at < count; at += 1) yield bytes.subarray(at % 65_536, (at % 65_536) + 1);
		}
		return (await readLimitedBody(stream(), count))?.length;
	},
};

const [work = '', count = ''] = process.argv.slice(2);
const kept = await WORKS[work](Number(count));
console.log(
	`${Math.round(process.memoryUsage().heapUsed / 1e6)} MB for ${JSON.stringify(kept).length} characters`,
);

import { at, readList } from '../../harness/outsideData.mts';
import { itemsOf, type FinishedRun } from '../../harness/realN8n/index.mts';
import { type CheckGroup, expect, expectEqual } from '../../harness/checks/checks.mts';
import { opening, runAdapted, runExample, type AdaptedNode } from './runExample.mts';
import type { Session } from '../session.mts';

/** As *URL* in the workflow says. */
const PAGES = 5;

const EXAMPLE = 'scrape-pages-through-private-proxies';

/** Shows through which proxies the pages came. */
const WITH_DETAILS = {
	Open({ parameters }: AdaptedNode) {
		parameters.options = { simplify: false };
	},
};

/** The values of a field, sorted. */
export function valuesOf(run: FinishedRun, node: string, field: string): string[] {
	return itemsOf(run, node)
		.map((item) => String(at(item, 'json', field)))
		.sort();
}

/** examples/scrape-pages-through-private-proxies.json */
export const scrapePages: CheckGroup<Session> = {
	name: 'Example "scrape pages through private proxies"',
	async run(session, check) {
		const { extractions, proxyFaults, store, keys, pages } = session.sandbox;
		const { orderId } = store.order(keys.dps.secretId);
		const before = extractions.total({ orderId });
		const extracted = () => extractions.total({ orderId }) - before;

		await check('Each page becomes a row, through a private proxy of its own', async () => {
			const run = await runAdapted(session, EXAMPLE, { nodes: WITH_DETAILS });
			expectEqual(itemsOf(run, 'Result').length, PAGES, 'the number of pages');
			const titles = Array.from({ length: PAGES }, (_page, index) => `Article ${index + 1}`);
			expectEqual(valuesOf(run, 'Result', 'title').join(), titles.join(), 'the picked titles');
			const proxies = itemsOf(run, 'Open').map((item) => at(item, 'json', 'pageDetails', 'proxy'));
			expectEqual(new Set(proxies).size, PAGES, 'the number of proxies');
			expectEqual(extracted(), PAGES, 'how many proxies were extracted');
		});
		await check('A second run reuses them, and opens what failed through another', async () => {
			proxyFaults.add({ status: 503, orderId, times: 1 });
			const run = await runExample(session, EXAMPLE);
			expectEqual(itemsOf(run, 'Result').length, PAGES, 'the number of pages');
			expect(extracted() <= PAGES + 1, `${extracted()} proxies were extracted`);
		});
		await check('A captcha with status 200 is tried again through other proxies', async () => {
			pages.faults.add({ answer: 'captcha', path: '/article/2', times: 2 });
			const run = await runAdapted(session, EXAMPLE, { nodes: WITH_DETAILS });
			pages.faults.clear();
			expectEqual(itemsOf(run, 'Result').length, PAGES, 'the number of pages');
			const page = itemsOf(run, 'Open').find((item) =>
				String(at(item, 'json', 'url')).endsWith('/2'),
			);
			const attempts = readList(at(page, 'json', 'pageDetails', 'attempts'));
			const outcomes = attempts.map((attempt) => at(attempt, 'outcome')).join();
			expectEqual(outcomes, 'blocked,blocked,opened', 'the outcomes');
			expectEqual(new Set(attempts.map((each) => at(each, 'proxy'))).size, 3, 'the proxies');
		});
		await check('What cannot be opened is named, and nothing leaves directly', async () => {
			const { siteUrl } = session.inputs;
			const [there, missing] = [`${siteUrl}/article`, `${siteUrl}/status/404`];
			const nodes = { Open: opening(there, missing) };
			const run = await runAdapted(session, EXAMPLE, { nodes });
			expectEqual(valuesOf(run, 'Result', 'url').join(), there, 'what was opened');
			const [failed] = itemsOf(run, 'Not Opened');
			expectEqual(at(failed, 'json', 'url'), missing, "'url'");
			expectEqual(at(failed, 'json', 'outcome'), 'status', "'outcome'");
			expect(/status 404/.test(String(at(failed, 'json', 'reason'))), "'reason' lacks the status");
			expectEqual(pages.visits.direct().length, 0, 'the number of direct visits');
		});
	},
};

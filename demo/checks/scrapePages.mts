import { at } from '../../harness/outsideData.mts';
import { itemsOf, type FinishedRun } from '../../harness/realN8n/index.mts';
import { type CheckGroup, expect, expectEqual } from '../../harness/checks/checks.mts';
import { opening, runAdapted, runExample, type AdaptedNode } from './runExample.mts';
import { insertRows } from '../../harness/realN8n/workflows.mts';
import { ROWS_TABLE, type Session } from '../session.mts';

/** As *URL* in the workflow says, with twelve products each. */
const PAGES = 3;
const ROWS = 36;

const EXAMPLE = 'scrape-pages-through-private-proxies';

/** Shows through which proxies the pages came. */
const WITH_DETAILS = {
	Open({ parameters }: AdaptedNode) {
		parameters.options = Object.assign(parameters.options ?? {}, { simplify: false });
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

		await check(
			'Each product becomes a row, each page through a private proxy of its own',
			async () => {
				const run = await runAdapted(session, EXAMPLE, { nodes: WITH_DETAILS });
				expectEqual(itemsOf(run, 'Result').length, ROWS, 'the number of rows');
				const ofName = (item: unknown) =>
					Number(/\d+$/.exec(String(at(item, 'json', 'name')))?.[0]);
				const isRight = (item: unknown) => {
					const price = at(item, 'json', 'price');
					// Those without a price have none of another product's
					return price === null ? ofName(item) % 5 === 2 : price === `${ofName(item)}.50`;
				};
				expect(itemsOf(run, 'Result').every(isRight), 'a price stands in another row');
				const proxies = itemsOf(run, 'Open').map((item) =>
					at(item, 'json', 'pageDetails', 'proxy'),
				);
				expectEqual(new Set(proxies).size, PAGES, 'the number of proxies');
				expectEqual(extracted(), PAGES, 'how many proxies were extracted');
			},
		);
		await check('A second run reuses them, and opens what failed through another', async () => {
			proxyFaults.add({ kind: 'status', status: 503, orderId, times: 1 });
			const run = await runExample(session, EXAMPLE);
			expectEqual(itemsOf(run, 'Result').length, ROWS, 'the number of rows');
			expect(extracted() <= PAGES + 1, `${extracted()} proxies were extracted`);
		});
		await check('The data table of the demo takes the rows by themselves', async () => {
			const run = await runAdapted(session, EXAMPLE, {
				behind: ['Result', insertRows(ROWS_TABLE)],
			});
			expectEqual(run.status, 'success', 'the end of the run');
			const rows = await session.n8n.dataTableRows(ROWS_TABLE);
			expectEqual(rows.length, ROWS, 'the number of rows in the table');
			const priceless = rows.filter((row) => at(row, 'price') === null);
			expectEqual(priceless.length, 7, 'the number of rows without a price');
		});
		await check('What cannot be opened is named, and nothing leaves directly', async () => {
			const { siteUrl } = session.inputs;
			const [there, missing] = [`${siteUrl}/shop/products`, `${siteUrl}/status/404`];
			const nodes = { Open: opening(there, missing) };
			const run = await runAdapted(session, EXAMPLE, { nodes });
			expectEqual([...new Set(valuesOf(run, 'Result', 'url'))].join(), there, 'what was opened');
			const [failed] = itemsOf(run, 'Not Opened');
			expectEqual(at(failed, 'json', 'url'), missing, "'url'");
			expectEqual(at(failed, 'json', 'outcome'), 'status 404', "'outcome'");
			expectEqual(pages.visits.direct().length, 0, 'the number of direct visits');
		});
	},
};

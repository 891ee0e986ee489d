import { at, excerpt } from '../outsideData.mts';
import { itemsOf } from '../realN8n/index.mts';
import type { CheckGroup } from './checkGroup.mts';
import { expect, expectEqual } from './expectations.mts';
import { expectDistinctProxies, expectProxyItem } from './proxyItems.mts';
import { runExample } from './trialWorkflow.mts';

const COUNT = 20;

/** examples/extract-and-use-proxies.json */
export const extractAndUseProxies: CheckGroup = {
	name: 'Example "extract and use proxies"',
	async run(session, check) {
		const run = await runExample(session, 'extract-and-use-proxies');
		const proxies = itemsOf(run, 'Kuaidaili');
		const answers = itemsOf(run, 'HTTP Request');

		await check(`Extract gives ${COUNT} items, one proxy each`, () => {
			expectEqual(proxies.length, COUNT, 'the number of items');
			proxies.forEach(expectProxyItem);
		});
		await check('The proxies are all different', () => expectDistinctProxies(proxies));
		await check(`HTTP Request gets ${COUNT} answers through them`, () => {
			expectEqual(answers.length, COUNT, 'the number of answers');
			answers.forEach((answer) => {
				const error = at(answer, 'json', 'error');
				expect(error === undefined, `a request failed: ${excerpt(error)}`);
			});
		});
		await check('The page saw each request come from the proxy of its own item', () =>
			expectOwnProxies(proxies, answers),
		);
	},
};

export function expectOwnProxies(proxies: readonly unknown[], answers: readonly unknown[]): void {
	expect(answers.length > 0, 'there are no answers');
	const used = new Set<number>();
	for (const answer of answers) {
		const index = sourceOf(answer);
		expect(!used.has(index), `two answers belong to item ${index}`);
		used.add(index);
		expectEqual(
			at(answer, 'json', 'address'),
			at(proxies, index, 'json', 'host'),
			`the address that the page saw for item ${index}`,
		);
	}
}

/** The index of the item that an answer was made from. */
function sourceOf(answer: unknown): number {
	const paired = at(answer, 'pairedItem');
	const index = at(paired, 'item') ?? at(paired, 0, 'item') ?? paired;
	if (typeof index === 'number') return index;
	throw new Error(`an answer is not linked to its item: ${excerpt(answer)}`);
}

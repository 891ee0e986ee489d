import { type CheckGroup, expectEqual } from '../../../harness/checks/checks.mts';
import { at } from '../../../harness/outsideData.mts';
import { itemsOf } from '../../../harness/realN8n/finishedRun.mts';
import { Person } from '../editor/person.mts';
import type { BrowserSetup } from '../setup.mts';

/** Whether a product of the shop has its own price, or none where the shop shows none. */
function isRightRow(row: unknown): boolean {
	const number = Number(String(at(row, 'h3')).replace(/^\w+ /, ''));
	const price = number % 5 === 2 ? null : `${number}.50`;
	return number > 0 && at(row, 'price') === price && at(row, 'row') === ((number - 1) % 12) + 1;
}

/** The ways that the README and the guide to crawling show first. */
export const addressesToRows: CheckGroup<BrowserSetup> = {
	name: 'From addresses to rows',
	async run({ editor, session: { inputs, n8n } }, check) {
		const addressOf = (item: number) => `${inputs.siteUrl}/shop/item/${item}`;
		await check('Ten addresses are rows after 13 clicks and 4 fields at most', async () => {
			const person = new Person(editor);
			await person.addNode('Open pages through proxies');
			const addresses = Array.from({ length: 10 }, (_, index) => addressOf(index + 1));
			await person.fill('url', addresses.join('\n'));
			await person.leaveField();
			await person.chooseFirstOrder();
			await person.choose('responseFormat', 'Fields');
			await person.pick('h1', '.price');
			await person.execute(10, ['h1', 'price', 'Item 10', '10.50', addressOf(10)]);
			person.needsAtMost(13, 4);
		});
		await check('A list with details and next pages is rows after 17 clicks at most', async () => {
			const person = new Person(editor);
			await person.addNode('Crawl pages through proxies');
			await person.fill('url', `${inputs.siteUrl}/shop`);
			await person.addTo('Follow', 'Links');
			await person.fill('follow.links', '*/item/*\n*/shop?page=*');
			await person.chooseFirstOrder();
			await person.choose('responseFormat', 'Fields');
			await person.pick('h1', '.price');
			await person.addTo('Options', 'Max Depth');
			await person.fill('options.maxDepth', '3');
			await person.execute(28, ['h1', 'price', 'Item 1', '1.50', addressOf(1)]);
			person.needsAtMost(17, 6);
		});
		const list = `${inputs.siteUrl}/shop/products?page=[1-3]`;
		await check(
			'A list of three pages is 36 rows after 12 clicks and 5 fields at most',
			async () => {
				const person = new Person(editor);
				await person.addNode('Open pages through proxies');
				await person.fill('url', list);
				await person.chooseFirstOrder();
				await person.choose('responseFormat', 'Fields');
				await person.fill('rowSelector', '.product');
				await person.pick('h3', '.price');
				await person.execute(36, ['h3', 'price', 'row']);
				const rows = itemsOf(await n8n.lastRun(), 'Open pages through proxies');
				const wrong = rows.filter((row) => !isRightRow(at(row, 'json')));
				expectEqual(JSON.stringify(wrong), '[]', 'what is wrong of the rows');
				person.needsAtMost(12, 5);
			},
		);
		await check(
			'A list and its next pages are 36 right rows after 22 clicks and 5 fields at most',
			async () => {
				const person = new Person(editor);
				await person.addNode('Open pages through proxies');
				await person.fill('url', `${inputs.siteUrl}/shop?items=36&each=12&pager=numbers`);
				await person.chooseFirstOrder();
				await person.choose('responseFormat', 'Fields');
				await person.fill('rowSelector', '.items li');
				await person.fill('fields.values[0].selector', 'a');
				await person.addTo('Options', 'Next Page');
				await person.fill('options.nextPage', 'ul.pagination');
				await person.execute(36, ['a', 'pageNumber']);
				const rows = itemsOf(await n8n.lastRun(), 'Open pages through proxies');
				const names = rows.map((row) => at(row, 'json', 'a'));
				const right = Array.from({ length: 36 }, (_, index) => `Item ${index + 1}`);
				expectEqual(names.join(), right.join(), 'the rows');
				person.needsAtMost(22, 5);
			},
		);
		await check(
			'A table on three pages is 36 rows after 10 clicks and 3 fields at most',
			async () => {
				const person = new Person(editor);
				await person.addNode('Open pages through proxies');
				await person.fill('url', `${inputs.siteUrl}/shop/prices?page=[1-3]`);
				await person.chooseFirstOrder();
				await person.choose('responseFormat', 'Fields');
				await person.fill('rowSelector', 'tbody tr');
				await person.execute(36, ['row']);
				person.needsAtMost(10, 3);
			},
		);
		await check('An article is clean Markdown after 11 clicks', async () => {
			const person = new Person(editor);
			await person.addNode('Open pages through proxies');
			await person.fill('url', `${inputs.siteUrl}/article`);
			await person.chooseFirstOrder();
			await person.choose('responseFormat', 'Markdown');
			await person.addTo('Options', 'Main Content Only');
			await person.execute(1, ['pageStatus', 'opened']);
			person.needsAtMost(11, 2);
		});
	},
};

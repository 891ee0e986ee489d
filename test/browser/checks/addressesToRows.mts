import type { CheckGroup } from '../../../harness/checks/checks.mts';
import { Person } from '../editor/person.mts';
import type { BrowserSetup } from '../setup.mts';

/** The ways that the README and the guide to crawling show first. */
export const addressesToRows: CheckGroup<BrowserSetup> = {
	name: 'From addresses to rows',
	async run({ editor, session: { inputs } }, check) {
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
	},
};

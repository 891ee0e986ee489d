import type { Locator, Page } from 'playwright-core';
import { type CheckGroup, expect } from '../../../harness/checks/checks.mts';
import type { Editor } from '../editor/editor.mts';
import type { BrowserSetup } from '../setup.mts';

/** Somebody who makes a workflow of one node with mouse and keyboard, from an empty canvas. */
class Person {
	private clicks = 0;

	/** Fields that they have typed or pasted into. */
	private fields = 0;

	private readonly page: Page;

	constructor(private readonly editor: Editor) {
		({ page: this.page } = editor);
	}

	private async click(target: Locator): Promise<void> {
		await target.click();
		this.clicks += 1;
	}

	/** Into the field that has the focus, in place of what it holds. */
	private async type(text: string): Promise<void> {
		await this.page.keyboard.press('ControlOrMeta+A');
		await this.page.keyboard.insertText(text);
		this.fields += 1;
	}

	private field(path: string): Locator {
		return this.page.locator(`[data-parameter-path="parameters.${path}"]`);
	}

	async addNode(action: string): Promise<void> {
		const { editor, page } = this;
		const names = page.locator('[data-test-id=node-creator-item-name]');
		const categories = page.locator('[data-test-id=node-creator-category-item]');
		await editor.openNewWorkflow();
		await this.click(page.locator('[data-test-id=canvas-plus-button]'));
		await page.locator('[data-test-id=node-creator-search-bar]').waitFor();
		await this.type('kuaidaili');
		await names.getByText('Kuaidaili', { exact: true }).waitFor();
		await page.keyboard.press('Enter');
		await this.click(categories.filter({ hasText: 'Actions' }));
		await this.click(names.getByText(action));
	}

	async chooseFirstOrder(): Promise<void> {
		const { page } = this;
		await this.click(
			page.locator('[data-test-id=resource-locator-orderid] [data-test-id=rlc-input]'),
		);
		await this.click(page.locator('[data-test-id=rlc-item]:visible').first());
	}

	async fill(path: string, text: string): Promise<void> {
		await this.click(this.field(path).locator('.cm-content, input, textarea').first());
		await this.type(text);
	}

	async choose(path: string, option: string): Promise<void> {
		await this.click(this.field(path).locator('input').first());
		const offered = this.page.locator('.el-select-dropdown__item:visible .option-headline');
		await this.click(offered.getByText(option, { exact: true }));
	}

	async addTo(collection: string, option: string): Promise<void> {
		const { page } = this;
		const collections = page.locator('[data-test-id=node-parameters] .multi-parameter');
		const one = collections.filter({ has: page.getByText(collection, { exact: true }) });
		await this.click(one.locator('[data-test-id=collection-parameter-add]'));
		const offered = page.locator('[data-test-id=collection-parameter-option]:visible');
		await this.click(offered.getByText(option, { exact: true }));
	}

	/** The result of an expression covers the field below, until a click elsewhere. */
	async leaveField(): Promise<void> {
		await this.click(
			this.page
				.locator('[data-test-id=node-parameters]')
				.getByText('Product', { exact: true })
				.first(),
		);
	}

	/** Picks two columns from each page. */
	async pick(first: string, second: string): Promise<void> {
		await this.choose('responseFormat', 'Fields');
		await this.fill('fields.values[0].selector', first);
		await this.click(this.page.getByText('Add field', { exact: true }));
		await this.fill('fields.values[1].selector', second);
	}

	/** @param items how many come out, where that is known */
	async execute(items: number | undefined, shown: readonly string[]): Promise<void> {
		await this.click(this.page.locator('[data-test-id=node-execute-button]'));
		const output = this.page.locator('[data-test-id=output-panel]');
		const count = items === 1 ? '1 item' : `${items} items`;
		if (items !== undefined) await output.getByText(count).first().waitFor();
		for (const one of shown) await output.getByText(one, { exact: true }).first().waitFor();
		await this.editor.closeNode();
	}

	needsAtMost(clicks: number, fields: number): void {
		const isLittle = this.clicks <= clicks && this.fields <= fields;
		expect(isLittle, `it took ${this.clicks} clicks and ${this.fields} fields`);
	}
}

/** The ways that the README and the guide to crawling show first. */
export const addressesToRows: CheckGroup<BrowserSetup> = {
	name: 'From addresses to rows',
	async run({ editor, session: { inputs } }, check) {
		const addressOf = (item: number) => `${inputs.siteUrl}/shop/item/${item}`;
		await check('Ten addresses are rows after 14 clicks and 4 fields at most', async () => {
			const person = new Person(editor);
			await person.addNode('Open pages through proxies');
			await person.chooseFirstOrder();
			const addresses = Array.from({ length: 10 }, (_, index) => addressOf(index + 1));
			await person.fill('url', addresses.join('\n'));
			await person.leaveField();
			await person.pick('h1', '.price');
			await person.execute(10, ['h1', 'price', 'Item 10', '10.50', addressOf(10)]);
			person.needsAtMost(14, 4);
		});
		await check('A list with details and next pages is rows after 21 clicks at most', async () => {
			const person = new Person(editor);
			await person.addNode('Crawl pages through proxies');
			await person.chooseFirstOrder();
			await person.fill('url', `${inputs.siteUrl}/shop`);
			await person.addTo('Options', 'Max Depth');
			await person.fill('options.maxDepth', '3');
			await person.addTo('Follow', 'Links');
			await person.fill('follow.links', '*/item/*\n*/shop?page=*');
			await person.pick('h1', '.price');
			await person.execute(28, ['h1', 'price', 'Item 1', '1.50', addressOf(1)]);
			person.needsAtMost(21, 6);
		});
		const list = `${inputs.siteUrl}/shop/products?page=[1-3]`;
		await check(
			'A list of three pages is 36 rows after 14 clicks and 5 fields at most',
			async () => {
				const person = new Person(editor);
				await person.addNode('Open pages through proxies');
				await person.chooseFirstOrder();
				await person.fill('url', list);
				await person.leaveField();
				await person.pick('h3', '.price');
				await person.fill('rowSelector', '.product');
				await person.execute(36, ['h3', 'price', 'row']);
				person.needsAtMost(14, 5);
			},
		);
		await check(
			'A table on three pages is 36 rows after 11 clicks and 3 fields at most',
			async () => {
				const person = new Person(editor);
				await person.addNode('Open pages through proxies');
				await person.chooseFirstOrder();
				await person.fill('url', `${inputs.siteUrl}/shop/prices?page=[1-3]`);
				await person.leaveField();
				await person.choose('responseFormat', 'Fields');
				await person.fill('rowSelector', 'tbody tr');
				await person.execute(36, ['row']);
				person.needsAtMost(11, 3);
			},
		);
		await check('An article is clean Markdown after 12 clicks', async () => {
			const person = new Person(editor);
			await person.addNode('Open pages through proxies');
			await person.chooseFirstOrder();
			await person.fill('url', `${inputs.siteUrl}/news`);
			await person.leaveField();
			await person.choose('responseFormat', 'Markdown');
			await person.addTo('Options', 'Main Content Only');
			await person.execute(1, ['pageStatus', 'opened']);
			person.needsAtMost(12, 2);
		});
		await check('The proxies of an order that are kept are checked after 8 clicks', async () => {
			const person = new Person(editor);
			await person.addNode('Check proxies');
			await person.chooseFirstOrder();
			await person.choose('proxiesFrom', 'Kept for Reuse');
			await person.execute(undefined, ['valid', 'proxyUrl']);
			person.needsAtMost(8, 1);
		});
	},
};

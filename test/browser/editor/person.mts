import type { Locator, Page } from 'playwright-core';
import { expect } from '../../../harness/checks/checks.mts';
import type { Editor } from './editor.mts';

const CREATOR_NAME = '[data-test-id=node-creator-item-name]';

/** Somebody who makes a workflow with mouse and keyboard, from an empty canvas. */
export class Person {
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

	/** Adds the first node of a new workflow. */
	async addNode(action: string): Promise<void> {
		await this.editor.openNewWorkflow();
		await this.click(this.page.locator('[data-test-id=canvas-plus-button]'));
		await this.findNode('kuaidaili', 'Kuaidaili');
		const categories = this.page.locator('[data-test-id=node-creator-category-item]');
		await this.click(categories.filter({ hasText: 'Actions' }));
		await this.click(this.page.locator(CREATOR_NAME).getByText(action));
	}

	/** Adds a node of n8n after the only one that has none behind it. */
	async addNext(node: string, action: string): Promise<void> {
		await this.click(this.page.locator('[data-test-id=canvas-handle-plus]'));
		await this.findNode(node.toLowerCase(), node);
		await this.click(this.page.locator(CREATOR_NAME).getByText(action));
	}

	private async findNode(typed: string, node: string): Promise<void> {
		const { page } = this;
		await page.locator('[data-test-id=node-creator-search-bar]').waitFor();
		await this.type(typed);
		await page.locator(CREATOR_NAME).getByText(node, { exact: true }).waitFor();
		await page.keyboard.press('Enter');
	}

	/** @param field a list that the service fills */
	async pickFrom(field: string, text: string): Promise<void> {
		await this.click(this.page.locator(`[data-test-id="resource-locator-${field}"] input`).last());
		const lines = this.page.locator('[data-test-id=rlc-item]:visible');
		await this.click(lines.filter({ hasText: text }).first());
	}

	async chooseFirstOrder(): Promise<void> {
		await this.pickFrom('orderid', '');
	}

	async closeNode(): Promise<void> {
		await this.click(this.page.locator('[data-test-id=ndv-close-button]'));
	}

	async fill(path: string, text: string): Promise<void> {
		await this.click(this.field(path).locator('.cm-content, input, textarea').first());
		await this.type(text);
	}

	async choose(path: string, option: string): Promise<void> {
		await this.chooseAt(this.field(path), option);
	}

	/** In a node of n8n that takes columns. */
	async mapAutomatically(): Promise<void> {
		const modes = this.page.locator('[data-test-id=mapping-mode-select]');
		await this.chooseAt(modes, 'Map Automatically');
	}

	private async chooseAt(menu: Locator, option: string): Promise<void> {
		await this.click(menu.locator('input').first());
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

	/** The result of a long expression covers several fields below, until a click elsewhere. */
	async leaveField(): Promise<void> {
		await this.click(
			this.page
				.locator('[data-test-id=node-parameters]')
				.getByText('Operation', { exact: true })
				.first(),
		);
	}

	/** Picks two columns from each page. */
	async pick(first: string, second: string): Promise<void> {
		await this.fill('fields.values[0].selector', first);
		await this.fill('fields.values[1].selector', second);
	}

	/**
	 * @param items how many come out
	 * @param shown texts of the output
	 */
	async execute(items: number, shown: readonly string[]): Promise<void> {
		await this.click(this.page.locator('[data-test-id=node-execute-button]'));
		const output = this.page.locator('[data-test-id=output-panel]');
		const count = items === 1 ? '1 item' : `${items} items`;
		await output.getByText(count).first().waitFor();
		for (const one of shown) await output.getByText(one, { exact: true }).first().waitFor();
	}

	needsAtMost(clicks: number, fields: number): void {
		const isLittle = this.clicks <= clicks && this.fields <= fields;
		expect(isLittle, `it took ${this.clicks} clicks and ${this.fields} fields`);
	}
}

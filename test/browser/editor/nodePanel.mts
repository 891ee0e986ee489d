import type { Locator, Page } from 'playwright-core';
import { at, readList, readString } from '../../../harness/outsideData.mts';

/** A field as it is on the screen. */
export interface SeenField {
	readonly label: string;
	/** What the field shows: the name of a choice, a number, on or off. */
	readonly value?: string;
	readonly min?: number;
	readonly max?: number;
	/** What stands below it. */
	readonly hint?: string;
}

/** Between two looks that have to show the same. */
const SETTLE_MS = 100;

/** The opened node: its fields, its button and its output. */
export class NodePanel {
	constructor(private readonly page: Page) {}

	/** The fields from top to bottom. A notice has its text for a label. */
	async fields(): Promise<SeenField[]> {
		// On a busy machine the fields follow a choice a moment later
		for (let before = ''; ; await this.page.waitForTimeout(SETTLE_MS)) {
			const seen: unknown = await this.page.evaluate('editorView.fields()');
			const now = JSON.stringify(seen);
			if (now === before) return readList(seen).map(toSeenField);
			before = now;
		}
	}

	/** The texts in the fields that are not shown whole. */
	async cutOff(selector = '[data-test-id=node-parameters]'): Promise<string[]> {
		const call = `editorView.cutOff(${JSON.stringify(selector)})`;
		const texts: unknown = await this.page.evaluate(call);
		return readList(texts).map(String);
	}

	/** Chooses with the mouse. */
	async choose(field: string, option: string): Promise<void> {
		await this.field(field).locator('input').first().click();
		const choice = this.page
			.locator('.el-select-dropdown__item:visible')
			.filter({ has: this.page.locator('.option-headline').getByText(option, { exact: true }) });
		await choice.click();
		await choice.waitFor({ state: 'hidden' });
	}

	/** The names of the choices of a field. */
	async choices(field: string): Promise<string[]> {
		const input = this.field(field).locator('input').first();
		await input.click();
		const names = this.page.locator('.el-select-dropdown__item:visible .option-headline');
		await names.first().waitFor();
		const texts = await names.allInnerTexts();
		await input.click();
		await names.first().waitFor({ state: 'hidden' });
		return texts;
	}

	/** What can be added to a collection such as 'Options'. */
	async offersOf(collection: string): Promise<string[]> {
		const add = this.page
			.locator('[data-test-id=node-parameters] .multi-parameter')
			.filter({ has: this.page.getByText(collection, { exact: true }) })
			.locator('[data-test-id=collection-parameter-add]');
		await add.click();
		const offers = this.page.locator('[data-test-id=collection-parameter-option]:visible');
		await offers.first().waitFor();
		const texts = await offers.allInnerTexts();
		await add.click();
		await offers.first().waitFor({ state: 'hidden' });
		return texts;
	}

	async fill(field: string, text: string): Promise<void> {
		await this.field(field).locator('input').first().fill(text);
		await this.page.keyboard.press('Tab');
	}

	/**
	 * Opens the list of a field that is filled by the service.
	 *
	 * @returns its lines
	 */
	async openList(field: string): Promise<Locator> {
		await this.page
			.locator(`[data-test-id="resource-locator-${field}"] [data-test-id=rlc-input]`)
			.click();
		const lines = this.page.locator('[data-test-id=rlc-item]:visible');
		await lines.first().waitFor();
		return lines;
	}

	/** Types into the search field of the opened list. */
	async search(typed: string): Promise<void> {
		await this.page
			.locator('input[data-test-id=rlc-search]:visible, [data-test-id=rlc-search] input:visible')
			.fill(typed);
	}

	/** What a field with a list shows. */
	async picked(field: string): Promise<string> {
		return await this.page
			.locator(`[data-test-id="resource-locator-${field}"] input[data-test-id=rlc-input]`)
			.inputValue();
	}

	/** Presses 'Execute step' and waits for the end. */
	async execute(): Promise<Locator> {
		const output = this.page.locator('[data-test-id=output-panel]');
		const state = output.locator(
			'[data-test-id=node-run-status-success], [data-test-id=node-run-status-danger]',
		);
		await this.page.locator('[data-test-id=node-execute-button]').click();
		await this.page
			.locator('[data-test-id=node-execute-button]')
			.getByText('Execute step')
			.waitFor();
		await state.waitFor();
		return output;
	}

	private field(name: string): Locator {
		return this.page.locator(`[data-test-id="parameter-input-${name}"]`);
	}
}

function toSeenField(field: unknown): SeenField {
	const notice = at(field, 'notice');
	if (typeof notice === 'string') return { label: notice };
	const number = (name: string) => {
		const value = at(field, name);
		return typeof value === 'number' ? value : undefined;
	};
	const text = (name: string) => {
		const value = at(field, name);
		return typeof value === 'string' ? value : undefined;
	};
	return {
		label: readString(field, 'label'),
		value: text('value'),
		min: number('min'),
		max: number('max'),
		hint: text('hint'),
	};
}

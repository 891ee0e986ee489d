import type { Locator, Page } from 'playwright-core';
import { DEMO_OWNER } from '../../../harness/realN8n/index.mts';
import { NodePanel } from './nodePanel.mts';

/** n8n's editor in a browser, used with mouse and keyboard. */
export class Editor {
	readonly panel: NodePanel;

	private constructor(
		readonly page: Page,
		private readonly url: string,
	) {
		this.panel = new NodePanel(page);
		// The browser asks before a page with changes is left
		page.on('dialog', async (dialog) => await dialog.accept());
	}

	static async signIn(page: Page, url: string): Promise<Editor> {
		await page.goto(`${url}/signin`);
		await page.locator('input[name=emailOrLdapLoginId]').fill(DEMO_OWNER.email);
		await page.locator('input[name=password]').fill(DEMO_OWNER.password);
		await page.keyboard.press('Enter');
		await page.waitForURL(({ pathname }) => !pathname.startsWith('/signin'));
		await page.waitForLoadState('networkidle');
		return new Editor(page, url);
	}

	async openWorkflow(id: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${id}`);
		await this.page.locator('[data-test-id=canvas-node]').first().waitFor();
	}

	async openNewWorkflow(): Promise<void> {
		await this.page.goto(`${this.url}/workflow/new`);
		await this.page.locator('[data-test-id=canvas-plus-button]').waitFor();
	}

	/** Opens the list of all nodes, and searches in it. */
	async searchNodes(typed: string): Promise<void> {
		const search = this.page.locator('[data-test-id=node-creator-search-bar]');
		if (!(await search.isVisible())) {
			await this.page.locator('[data-test-id=canvas-plus-button]').click();
		}
		await search.fill(typed);
	}

	async openNode(name: string): Promise<NodePanel> {
		await this.page
			.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`)
			.first()
			.dblclick();
		return await this.waitForNode(name);
	}

	async closeNode(): Promise<void> {
		await this.page.locator('[data-test-id=ndv-close-button]').click();
		await this.page.locator('[data-test-id=ndv]').waitFor({ state: 'hidden' });
	}

	/** With the mouse, in small steps, as n8n expects it of a hand. */
	async drag(from: Locator, to: Locator): Promise<void> {
		const { mouse } = this.page;
		await from.hover();
		await mouse.down();
		const box = await to.boundingBox();
		if (box === null) throw new Error('There is nothing to drop it on');
		await mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 10 });
		await to.hover();
		await mouse.up();
	}

	async openCredential(): Promise<void> {
		await this.page.locator('[data-test-id=credential-edit-button]').click();
		await this.page.locator('[data-test-id=credential-edit-dialog]').waitFor();
	}

	private async waitForNode(name: string): Promise<NodePanel> {
		await this.page
			.locator('[data-test-id=ndv] [data-test-id=inline-edit-preview]')
			.getByText(name, { exact: true })
			.waitFor();
		await this.page.locator('[data-parameter-path^="parameters."]').first().waitFor();
		return this.panel;
	}
}

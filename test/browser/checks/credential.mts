import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { ACCOUNT_KEY } from '../../../harness/credentials.mts';
import { HOSTS } from '../../../nodes/shared/service/hosts.ts';
import { openTrial } from '../openTrial.mts';
import type { BrowserSetup } from '../setup.mts';

const DIALOG = '[data-test-id=credential-edit-dialog]';
const KEYS = ['Key Type', 'Secret ID', 'Secret Key', 'Sign Type', 'Custom Hosts'];

/** The credential, opened from a node. */
export const credential: CheckGroup<BrowserSetup> = {
	name: 'Credential',
	async run({ session: { n8n }, editor }, check) {
		const { page, panel } = editor;
		await openTrial(editor, n8n, ACCOUNT_KEY, { resource: 'account', operation: 'getBalance' });
		await editor.openCredential();
		const dialog = page.locator(DIALOG);
		const hosts = dialog.locator('[data-test-id$=Url]:not([data-test-id^=parameter-input])');

		await check('It is tested when it is opened, and accepted', async () => {
			await dialog.locator('[data-test-id=credentials-config-container-test-success]').waitFor();
		});
		await check('It shows its fields, and hosts only where they are custom', async () => {
			for (const label of KEYS) {
				await dialog
					.getByText(new RegExp(`^${label}`))
					.first()
					.waitFor();
			}
			expectEqual(await hosts.count(), Object.keys(HOSTS).length, 'the number of hosts');
			await dialog.locator('[data-test-id=parameter-input-customHosts] .el-switch').click();
			await hosts.first().waitFor({ state: 'hidden' });
			expectEqual(await hosts.count(), 0, 'the number of hosts without custom ones');
		});
		await check(
			'The Secret Key is hidden, and neither it nor the token is on the page',
			async () => {
				const type = await dialog
					.locator('[data-test-id=parameter-input-secretKey] input')
					.getAttribute('type');
				expectEqual(type, 'password', 'the kind of the field');
				expectEqual(
					await dialog.getByText('Secret Token').count(),
					0,
					'the number of token fields',
				);
			},
		);
		await check('No label is cut off', async () => {
			const texts = await panel.cutOff(DIALOG);
			expect(texts.length === 0, `cut off: ${texts.join(' | ')}`);
		});
	},
};

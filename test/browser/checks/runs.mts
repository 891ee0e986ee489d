import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { ACCOUNT_KEY, ORDER_KEY } from '../../../harness/credentials.mts';
import type { ExampleName } from '../../../demo/examples.mts';
import { addManyOrders } from '../../../sandbox/sandbox.mts';
import { until } from '../../../demo/checks/until.mts';
import { openTrial } from '../openTrial.mts';
import type { BrowserSetup } from '../setup.mts';

const OUTPUT = '[data-test-id=output-panel]';

/** 'Execute step', and what the output then shows. */
export const runs: CheckGroup<BrowserSetup> = {
	name: 'Execute step',
	async run({ session: { n8n, sandbox, exampleIds }, editor }, check) {
		const { page, panel } = editor;
		const open = async (
			parameters: Readonly<Record<string, unknown>>,
			credential: typeof ORDER_KEY,
		) => await openTrial(editor, n8n, credential, parameters);
		const idOf = (example: ExampleName): string => {
			const id = exampleIds.get(example);
			if (id === undefined) throw new Error(`There is no example '${example}'`);
			return id;
		};
		const message = page.locator(`${OUTPUT} [data-test-id=node-error-message]`);
		const description = page.locator(`${OUTPUT} [data-test-id=node-error-description]`);

		await check('A wrong value is refused with what is allowed, and nothing is sent', async () => {
			const [sent, paid] = [sandbox.log.count(), sandbox.ledger.count()];
			await open({ resource: 'order', operation: 'create', product: 'DPS' }, ACCOUNT_KEY);
			await panel.fill('dpsIpCount', '2600');
			await panel.execute();
			const said = await message.innerText();
			expect(said.includes("'IPs per Day' can't be 2600"), `it says: ${said}`);
			const shown = await description.innerText();
			expect(shown.includes('2,500 to 150,000 in steps of 2,500'), `it says: ${shown}`);
			expectEqual(sandbox.log.count() - sent, 0, 'the number of requests');
			expectEqual(sandbox.ledger.count() - paid, 0, 'the number of payments');
		});
		await check('The wrong key pair is told, with the one that is needed', async () => {
			await open({ resource: 'account', operation: 'getBalance' }, ORDER_KEY);
			await panel.execute();
			const said = `${await message.innerText()} ${await description.innerText()}`;
			expect(/account/i.test(said) && /Key Type/.test(said), `it says: ${said}`);
		});
		await check('Neither error is cut off', async () => {
			const texts = await panel.cutOff(
				`${OUTPUT} [data-test-id=node-error-message], ${OUTPUT} [data-test-id=node-error-description]`,
			);
			expect(texts.length === 0, `cut off: ${texts.join(' | ')}`);
		});
		await check(
			'A second click buys nothing, and puts out the order of the first one',
			async () => {
				const paid = sandbox.ledger.count();
				const order = { product: 'TPS', payType: 'PRE_PAY', prepayTimeType: 'DAY' };
				await open({ resource: 'order', operation: 'create', ...order }, ACCOUNT_KEY);
				await panel.execute();
				const orderId = sandbox.ledger.entries().at(-1)?.orderId ?? '';
				const output = await panel.execute();
				await output.getByText('This node bought it').first().waitFor();
				const said = await output.innerText();
				expect(said.includes(orderId), `it says: ${said}`);
				expectEqual(sandbox.ledger.count() - paid, 1, 'the number of payments');
			},
		);
		await check('A test event of the trigger renews nothing, and the output says so', async () => {
			const { store, keys, clock } = sandbox;
			const due = { count: 1, fromDay: 1, toDay: 2, sorts: ['tps'] as const };
			addManyOrders(store, store.account(keys.account.secretId), clock.now(), due);
			const paid = sandbox.ledger.count();
			await editor.openWorkflow(idOf('renew-when-expiring'));
			await editor.openNode('Kuaidaili Trigger');
			await page.getByText('Fetch Test Event').first().click();
			await page.locator(OUTPUT).getByText('orderid').first().waitFor();
			await editor.closeNode();
			await editor.openNode('Renew');
			const output = await panel.execute();
			await output.getByText('This is a test event of Kuaidaili Trigger').first().waitFor();
			await editor.closeNode();
			expectEqual(sandbox.ledger.count() - paid, 0, 'the number of payments');
		});
		await check('In an example, a step can be executed after the whole workflow was', async () => {
			await editor.openWorkflow(idOf('order-a-tunnel-proxy'));
			const paid = sandbox.ledger.count();
			await page.locator('[data-test-id=execute-workflow-button]').first().click();
			const isPaid = await until(() => sandbox.ledger.count() > paid, AbortSignal.timeout(30_000));
			expect(isPaid, 'nothing was paid');
			await editor.openNode('Result');
			await panel.execute();
			await page.locator(`${OUTPUT} [data-test-id=node-run-status-success]`).waitFor();
			await editor.closeNode();
		});
	},
};

import { at, excerpt } from '../../harness/outsideData.mts';
import { itemsOf } from '../../harness/realN8n/index.mts';
import { type CheckGroup, expect, expectEqual } from '../../harness/checks/checks.mts';
import { runExample } from './runExample.mts';
import type { Session } from '../session.mts';

type Row = Readonly<Record<string, unknown>>;

/** examples/check-my-setup.json */
export const checkMySetup: CheckGroup<Session> = {
	name: 'Example "check my setup"',
	async run(session, check) {
		const { sandbox } = session;
		const rows = async (): Promise<Row[]> => {
			const items = itemsOf(await runExample(session, 'check-my-setup'), 'Result');
			return items.map((item) => at(item, 'json') as Row);
		};
		await check(
			'It has a row for the key pair, and one for each active order that works',
			async () => {
				const all = await rows();
				const active = [...sandbox.store.orders].filter(
					({ status, product, expiresAt }) =>
						status === 'VALID' &&
						product !== 'TOP_UP' &&
						(expiresAt === undefined || expiresAt > sandbox.clock.now()),
				);
				const bad = all.filter(({ works, whatToDo }) => works !== true || whatToDo !== '');
				expect(bad.length === 0, `some do not work: ${excerpt(bad)}`);
				expect(String(all[0]?.why).startsWith('The balance is'), excerpt(all[0]));
				for (const { orderId } of active) {
					expect(
						all.some((row) => String(row.check).includes(orderId)),
						`no row for ${orderId} among ${all.length}`,
					);
				}
			},
		);
		await check('It says what to do about a proxy that answers 443', async () => {
			const { orderId } = sandbox.store.order(sandbox.keys.tps.secretId);
			sandbox.proxyFaults.add({ kind: 'status', status: 443, orderId });
			const row = (await rows()).find((each) => String(each.check).includes(orderId));
			sandbox.proxyFaults.clear();
			expectEqual(row?.works, false, 'works');
			expect(/runs outside China/.test(String(row?.whatToDo)), excerpt(row));
		});
		await check('It says what to do about a key pair that is refused', async () => {
			sandbox.faults.add({ kind: 'code', code: -104, path: '/api/getaccountbalance' });
			sandbox.faults.add({ kind: 'code', code: -104, path: '/api/getaccountorders' });
			const all = await rows();
			sandbox.faults.clear();
			expectEqual(all.length, 2, 'the number of rows');
			expect(String(all[0]?.whatToDo).startsWith('Check the key pair'), excerpt(all[0]));
		});
	},
};

import { setTimeout as sleep } from 'node:timers/promises';
import { ORDER_KEY, useCredential } from '../../harness/credentials.mts';
import type { Session } from '../session.mts';
import type { CheckGroup } from '../../harness/checks/checkGroup.mts';
import { expect, expectEqual } from '../../harness/checks/expectations.mts';
import { newBuyer } from './purchases/buyer.mts';
import { ORDER_CREATE, RETRYING, TROUBLES, type PurchaseCase } from './purchases/purchaseCase.mts';
import { gatherEvidence } from './purchases/purchaseEvidence.mts';
import { tryPurchase } from './purchases/purchaseTrial.mts';
import { startOwnSandbox } from './purchases/sandboxes.mts';
import { until } from './until.mts';
import { judge } from './purchases/verdict.mts';
import { runTrial, type NodeSettings } from '../../harness/realN8n/trialWorkflow.mts';

/** n8n offers 'Retry' for failed runs only. */
const UNKNOWN = TROUBLES.filter(
	({ outcome, fault }) => outcome === 'unclear' && fault.kind === 'cut',
);

const MANY_ITEMS = 5;
const FIRST_PAYMENT_LIMIT_MS = 30_000;

/** In this time, two more items would have been sent. */
const AFTERMATH_MS = 2_500;

/** What a person can press in n8n; and that its own retries take place, seen where they are free. */
export const purchaseRepeats: CheckGroup<Session> = {
	name: 'Money when a run is repeated or stopped',
	async run(session, check) {
		for (const [name, settings] of RETRYING) {
			await check(`n8n does run a failing node three times (${name})`, async () => {
				expectEqual(await requestsOfFailingExtract(session, settings), 3, 'the number of requests');
			});
		}
		const sandbox = await startOwnSandbox(session);

		for (const trouble of UNKNOWN) {
			const name = `'Retry' in n8n's list of executions buys nothing a second time (${trouble.name})`;
			await check(name, async () => {
				const theCase: PurchaseCase = { ...PLAIN_ORDER, trouble };
				const { run, buyer } = await tryPurchase(session, sandbox, theCase);
				const again = await session.n8n.retryRun(run);
				expect(again.id !== run.id, 'there was no second run');
				const reasons = judge(theCase, gatherEvidence(again, buyer));
				expect(reasons.length === 0, reasons.join('; '));
			});
		}
		await check('A run that is stopped between two items sends nothing more', async () => {
			const buyer = await newBuyer(session, sandbox, ORDER_CREATE);
			const isPaid = () => buyer.payments().length > 0;
			const stopWhen = until(isPaid, AbortSignal.timeout(FIRST_PAYMENT_LIMIT_MS));
			const run = await buyer.buy({ itemCount: MANY_ITEMS, stopWhen });
			const sent = buyer.requests().length;
			expectEqual(run.status, 'canceled', 'the end of the run');
			expect(isPaid(), 'nothing was bought before the run was stopped');
			expect(sent < MANY_ITEMS, 'all items were sent before the run was stopped');
			await sleep(AFTERMATH_MS);
			expectEqual(buyer.requests().length, sent, 'the number of requests');
			expectEqual(buyer.payments().length, sent, 'the number of payments');
		});
	},
};

const PLAIN_ORDER: Omit<PurchaseCase, 'trouble'> = {
	operation: ORDER_CREATE,
	settingsName: 'plain',
	settings: {},
	itemCount: 3,
};

/** Without a failing node being run again, nothing that is checked with these settings would be proved. */
async function requestsOfFailingExtract(
	{ n8n, sandbox: { faults, log } }: Session,
	settings: NodeSettings,
): Promise<number> {
	const before = log.count('/api/getproxy');
	// One that the node itself doesn't try again
	faults.add({ kind: 'status', status: 403, path: '/api/getproxy' });
	try {
		await runTrial(n8n, {
			name: 'Kuaidaili',
			type: 'n8n-nodes-kuaidaili.kuaidaili',
			typeVersion: 1,
			parameters: { resource: 'proxy', operation: 'extract', product: 'OPS', plan: 'vip', num: 1 },
			credentials: useCredential(ORDER_KEY),
			settings,
		});
	} finally {
		faults.clear();
	}
	return log.count('/api/getproxy') - before;
}

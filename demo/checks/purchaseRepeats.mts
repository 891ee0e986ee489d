import { setTimeout as sleep } from 'node:timers/promises';
import { openSandbox, type FinishedRun } from '../../harness/realN8n/index.mts';
import type { Session } from '../session.mts';
import { type CheckGroup, expect, expectEqual } from '../../harness/checks/checks.mts';
import { at, excerpt } from '../../harness/outsideData.mts';
import type { Sandbox } from '../../sandbox/sandbox.mts';
import { CREATE_ORDER, newBuyer, type Buyer } from './buyer.mts';
import { until } from './until.mts';

const MANY_ITEMS = 5;
const FIRST_PAYMENT_LIMIT_MS = 30_000;

/** In this time, two more items would have been sent. */
const AFTERMATH_MS = 2_500;

/** What a person can press in n8n. */
export const purchaseRepeats: CheckGroup<Session> = {
	name: 'Money when a run is repeated or stopped',
	async run(session, check) {
		const sandbox = await startOwnSandbox(session);

		await check("'Retry' buys what was not tried, and nothing a second time", async () => {
			const buyer = await newBuyer(session, sandbox);
			const run = await buyWithCut(sandbox, buyer);
			expectUnclear(run, buyer, ['none', 'cut']);
			const again = await session.n8n.retryRun(run);
			expect(again.id !== run.id, 'there was no second run');
			expectUnclear(again, buyer, ['none', 'cut', 'none']);
		});
		await check('A run that is stopped between two items sends nothing more', async () => {
			const buyer = await newBuyer(session, sandbox);
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

/** The service for purchases alone: a fault hits whoever comes next. */
async function startOwnSandbox({ moreSandboxes }: Session): Promise<Sandbox> {
	const sandbox = await openSandbox({
		catalogueSize: 1,
		forwardProxies: false,
		rateLimits: false,
	});
	moreSandboxes.push(sandbox);
	return sandbox;
}

/** Buys for three items. The connection is cut during the second request, which the service never gets to. */
async function buyWithCut(sandbox: Sandbox, buyer: Buyer) {
	const ended = new AbortController();
	const isFirstPaid = () => buyer.payments().length > 0;
	const cut = until(isFirstPaid, ended.signal).then(() =>
		sandbox.faults.add({ kind: 'cut', when: 'before', path: CREATE_ORDER, times: 1 }),
	);
	try {
		return await buyer.buy({ itemCount: 3 });
	} finally {
		ended.abort();
		await cut;
		sandbox.faults.clear();
	}
}

/** All requests but the cut one are paid; the error says which is unclear, and which was bought. */
function expectUnclear({ status, saved }: FinishedRun, buyer: Buyer, sent: readonly string[]) {
	const error = at(saved, 'data', 'resultData', 'error');
	const errorText = `${String(at(error, 'message'))}. ${String(at(error, 'description'))}`;
	const payments = buyer.payments();
	expectEqual(status, 'error', 'the end of the run');
	expectEqual(at(error, 'context', 'itemIndex'), 1, 'the item that stopped the run');
	const faults = buyer.requests().map(({ fault }) => fault ?? 'none');
	expectEqual(faults.join(), sent.join(), 'the requests');
	expectEqual(payments.length, sent.length - 1, 'the number of payments');
	const words = ['The order may have been placed: ', 'Order: Get Many', 'item 1 at ', '(item 0)'];
	for (const part of [...words, payments[0].orderId]) {
		expect(errorText.includes(part), `the error lacks "${part}": ${excerpt(errorText)}`);
	}
}
